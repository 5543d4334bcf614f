package api

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"time"

	"github.com/boombuler/barcode/qr"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ticket"
)

func (a *API) ticketRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/tickets/:ticketId.png", needs: bySession, do: a.ticketPicture},
		{method: http.MethodGet, path: "/v1/tickets/:ticketId", needs: bySession, do: a.getTicket},
	}
}

// ticketJSON is one ticket with what is printed beside its code.
type ticketJSON struct {
	orderTicketJSON
	OrderID  id.ID          `json:"orderId"`
	EventID  id.ID          `json:"eventId"`
	Event    orderEventJSON `json:"event"`
	IssuedAt time.Time      `json:"issuedAt"`
}

func (a *API) ownTicket(c *call) (ticket.Ticket, error) {
	which, err := c.paramID("ticketId")
	if err != nil {
		return ticket.Ticket{}, err
	}
	return a.Checkout.Ticket(c.ctx, c.session.Account, which)
}

func (a *API) getTicket(c *call) error {
	t, err := a.ownTicket(c)
	if err != nil {
		return err
	}
	e, chart, err := a.eventOf(c, t.Event)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, ticketJSON{
		orderTicketJSON: orderTicketJSON{TicketID: t.ID, seatNameJSON: nameOf(chart, t.Ordinal), State: t.State, Code: a.codeOf(t)},
		OrderID:         t.Order, EventID: t.Event, Event: orderEventOf(e), IssuedAt: t.IssuedAt.UTC(),
	})
}

func (a *API) ticketPicture(c *call) error {
	t, err := a.ownTicket(c)
	if err != nil {
		return err
	}
	code := a.codeOf(t)
	if code == nil {
		return fault.New(fault.OrderState, "this ticket is not valid any more").With("state", string(t.State))
	}
	picture, err := qrPNG(*code)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, "image/png", picture)
}

// A QR picture: modulePixels per module, quietModules of white around, which scanners need.
const (
	modulePixels = 8
	quietModules = 4
)

// qrPNG draws a code in QR's alphanumeric mode at error correction level M.
func qrPNG(code string) ([]byte, error) {
	symbol, err := qr.Encode(code, qr.M, qr.AlphaNumeric)
	if err != nil {
		return nil, fmt.Errorf("draw a ticket's code: %w", err)
	}
	modules := symbol.Bounds().Dx()
	size := (modules + 2*quietModules) * modulePixels
	picture := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y := range modules * modulePixels {
		row := picture.Pix[(y+quietModules*modulePixels)*picture.Stride+quietModules*modulePixels:]
		for x := range modules * modulePixels {
			if luma, _, _, _ := symbol.At(x/modulePixels, y/modulePixels).RGBA(); luma < 0x8000 {
				row[x] = 1
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("draw a ticket's code: %w", err)
	}
	return out.Bytes(), nil
}
