package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"plateia/core/id"
)

// Records are the public records of draws.
type Records interface {
	// Statements are what was signed about an event's draws, with the keys, as JSON.
	Statements(ctx context.Context, event id.ID) ([]byte, error)
	// Write returns what writes the whole record as JSON. It must be called once.
	Write(ctx context.Context, event id.ID) (func(context.Context, io.Writer) error, error)
}

const (
	cacheRecord   = "no-store"       // it is long, and grows while the line is let in
	recordTimeout = 30 * time.Minute // to read a whole record
	pieceTimeout  = 30 * time.Second // to read a piece of one
)

func (a *API) drawRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/events/:eventId/draw", do: a.getDraw},
		{method: http.MethodGet, path: "/v1/events/:eventId/draw/statements", do: a.getDrawStatements},
	}
}

// getDraw streams an event's record: what `plateia audit draw` reads. A record that cannot be read to its end ends
// in the middle, so that nobody takes it for a whole one.
func (a *API) getDraw(c *call) error {
	event, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	write, err := a.Records.Write(c.ctx, event)
	if err != nil {
		return err
	}
	c.set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	c.set(fiber.HeaderCacheControl, cacheRecord)
	patient := &patientWriter{conn: c.fc.Context().Conn()}
	c.fc.Context().SetBodyStreamWriter(func(out *bufio.Writer) {
		ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
		defer cancel()
		patient.out = out
		if err := write(ctx, patient); err != nil {
			a.Logger.Warn("the record of a draw was not read to its end", "event", event, "error", err)
		}
	})
	return nil
}

// patientWriter gives each piece its time, where other answers have theirs as a whole.
type patientWriter struct {
	conn net.Conn
	out  *bufio.Writer
}

func (w *patientWriter) Write(piece []byte) (int, error) {
	_ = w.conn.SetWriteDeadline(time.Now().Add(pieceTimeout)) // a connection that is gone fails below
	n, err := w.out.Write(piece)
	if err == nil {
		err = w.out.Flush()
	}
	return n, err
}

func (a *API) getDrawStatements(c *call) error {
	event, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	text, err := a.Records.Statements(c.ctx, event)
	if err != nil {
		return err
	}
	return c.cachedJSON(json.RawMessage(text), cacheEvent)
}
