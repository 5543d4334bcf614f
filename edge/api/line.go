package api

import (
	"encoding/json"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"plateia/core/id"
	"plateia/edge/line"
)

func (a *API) lineRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/events/:eventId/frontier", do: a.getFrontier},
		{method: http.MethodPost, path: "/v1/events/:eventId/queue", needs: bySession, do: a.enterQueue, note: a.entries.Note},
		{method: http.MethodGet, path: "/v1/queue", needs: byTicket, do: a.queueStatus},
		{method: http.MethodDelete, path: "/v1/queue", needs: byTicket, do: a.leaveQueue},
		{method: http.MethodPost, path: "/v1/queue/claim", needs: bySession, do: a.claim, note: a.claims.Note},
	}
}

// getFrontier answers with the one document for everybody.
func (a *API) getFrontier(c *call) error {
	event, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	signed, err := a.Room.Document(c.ctx, event)
	if err != nil {
		return err
	}
	return c.cachedJSON(json.RawMessage(signed), cacheEvent)
}

// proof verifies the request's DPoP header and returns the thumbprint of the device's key.
func (a *API) proof(c *call) (keyThumb string, err error) {
	proof := c.header("DPoP")
	if proof == "" {
		return "", line.ErrNoProof()
	}
	return a.Tokens.Proof(proof, c.method(), c.path(), c.bearer())
}

func (a *API) enterQueue(c *call) error {
	event, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	asked, err := line.ReadEntering(c.header(fiber.HeaderContentType), c.body)
	if err != nil {
		return line.WayBack(err, event)
	}
	keyThumb, err := a.proof(c)
	if err != nil {
		return line.WayBack(err, event)
	}
	token, ticket, err := a.Mint.Enter(c.ctx, event, c.session, keyThumb, asked)
	if err != nil {
		return line.WayBack(err, event)
	}
	place, err := a.Room.Status(c.ctx, ticket)
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, line.EnteredOf(token, ticket, place))
}

func (a *API) queueStatus(c *call) error {
	place, err := a.Room.Status(c.ctx, c.ticket)
	if err != nil {
		return line.WayBack(err, c.ticket.Event)
	}
	return c.json(http.StatusOK, line.PlaceOf(place))
}

func (a *API) leaveQueue(c *call) error {
	if err := a.Room.Leave(c.ctx, c.ticket); err != nil {
		return err
	}
	return c.noContent()
}

func (a *API) claim(c *call) error {
	queueToken, err := line.ReadClaim(c.header(fiber.HeaderContentType), c.body)
	if err != nil {
		return err
	}
	ticket, err := a.Tokens.Ticket(queueToken)
	if err != nil {
		return line.WayBack(err, id.ID{})
	}
	keyThumb, err := a.proof(c)
	if err != nil {
		return line.WayBack(err, ticket.Event)
	}
	token, access, err := a.Room.Claim(c.ctx, c.session, ticket, keyThumb)
	if err != nil {
		return line.WayBack(err, ticket.Event)
	}
	return c.json(http.StatusOK, line.AdmittedOf(token, access))
}
