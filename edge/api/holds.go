package api

import (
	"net/http"
	"slices"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/edge/decode"
)

func (a *API) holdRoutes() []route {
	return []route{
		{method: http.MethodPost, path: "/v1/events/:eventId/holds", needs: byAccess, repeat: true, do: a.placeHold},
		{method: http.MethodGet, path: "/v1/events/:eventId/holds/mine", needs: bySession, do: a.myHold},
		{method: http.MethodGet, path: "/v1/holds/:holdId", needs: bySession, do: a.getHold},
		{method: http.MethodDelete, path: "/v1/holds/:holdId", needs: bySession, do: a.releaseHold},
		{method: http.MethodPost, path: "/v1/holds/:holdId/extend", needs: bySession, repeat: true, do: a.extendHold},
	}
}

// holdRequest is the body of POST holds: seats by name and places of areas, or best available.
type holdRequest struct {
	SeatIDs       *[]string      `json:"seatIds"`
	Areas         *[]areaRequest `json:"areas"`
	BestAvailable *bestRequest   `json:"bestAvailable"`
	Accessible    bool           `json:"accessible"` // asks for accessible seats
	ExpectedTotal *money.Amount  `json:"expectedTotal"`
}

// areaRequest is so many places of a general-admission area, whichever.
type areaRequest struct {
	Section  string `json:"section"`
	Quantity int    `json:"quantity"`
}

type bestRequest struct {
	Quantity   int           `json:"quantity"`
	Sections   []string      `json:"sections"`
	Categories []string      `json:"categories"`
	MaxPrice   *money.Amount `json:"maxPrice"`
	Accessible bool          `json:"accessible"`
}

func (a *API) placeHold(c *call) error {
	var body holdRequest
	if err := c.decode(&body); err != nil {
		return err
	}
	e, chart, err := a.eventAndChart(c)
	if err != nil {
		return err
	}
	cmd := inventory.PlaceHold{Hold: id.NewIn(c.access.Event), Account: c.access.Account, Session: c.access.Session, Channel: c.access.Channel, Idempotency: c.idem}
	if err := body.into(&cmd, e, chart); err != nil {
		return err
	}
	a.Room.Seen(e.ID, c.access.Account)
	who := presser{e.ID, c.access.Account}
	reset, again, ok := a.presses.allow(who, c.idem.Key, e.Rules.PressesPerMinute, c.now)
	cmd.Fresh = cmd.Fresh && !again
	if !ok {
		return fault.New(fault.RateLimited, "at most %d tries a minute; a moment, please", e.Rules.PressesPerMinute).
			With("resetAt", reset.UTC().Format(time.RFC3339Nano)).After(reset.Sub(c.now))
	}
	out, err := a.Seats.Do(c.ctx, e.ID, cmd)
	if err != nil {
		return sessionFault(e.ID, err)
	}
	return c.hold(http.StatusCreated, out, e, chart)
}

// sessionFault adds the way back in to what a replaced session is told.
func sessionFault(event id.ID, err error) error {
	if f := fault.From(err); f.Code == fault.SessionReplaced || f.Code == fault.QueueRequired {
		return f.With("waitingRoom", "/events/"+event.String())
	}
	return err
}

// into fills in a command, turning names into ordinals.
func (r holdRequest) into(cmd *inventory.PlaceHold, e event.Event, chart *seatmap.Chart) error {
	if (r.SeatIDs == nil && r.Areas == nil) == (r.BestAvailable == nil) {
		return fault.New(fault.Invalid, "give either seatIds and areas, or bestAvailable")
	}
	if r.ExpectedTotal != nil {
		if err := checkAmount(*r.ExpectedTotal, e, "expectedTotal"); err != nil {
			return err
		}
		cmd.ExpectedTotal = &r.ExpectedTotal.Minor
	}
	cmd.Accessible = r.Accessible
	if r.BestAvailable == nil {
		return r.named(cmd, e, chart)
	}
	query, err := r.BestAvailable.query(e, chart)
	if err == nil {
		query.Accessible = query.Accessible || r.Accessible
	}
	cmd.Best = query
	return err
}

func checkAmount(m money.Amount, e event.Event, field string) error {
	if m.Currency != e.Currency || m.Minor < 0 {
		return fault.New(fault.Invalid, "%s must be an amount in %s, not below zero", field, e.Currency).With("field", field)
	}
	return nil
}

func (b bestRequest) query(e event.Event, chart *seatmap.Chart) (*pick.Query, error) {
	if b.Quantity < 1 || b.Quantity > pick.MaxParty {
		return nil, fault.New(fault.Invalid, "quantity is a number from 1 to %d", pick.MaxParty).With("field", "bestAvailable.quantity")
	}
	q := &pick.Query{Quantity: b.Quantity, Sections: b.Sections, Categories: b.Categories, Accessible: b.Accessible}
	for _, name := range b.Sections {
		if sectionNamed(chart, name) < 0 {
			return nil, unknownSection(name, "bestAvailable.sections")
		}
	}
	for _, key := range b.Categories {
		if !slices.ContainsFunc(chart.Categories(), func(c seatmap.Category) bool { return c.Key == key }) {
			return nil, fault.New(fault.NotFound, "this event has no category %q", decode.Clip(key)).With("field", "bestAvailable.categories")
		}
	}
	if b.MaxPrice != nil {
		if err := checkAmount(*b.MaxPrice, e, "bestAvailable.maxPrice"); err != nil {
			return nil, err
		}
		q.MaxPrice = &b.MaxPrice.Minor
	}
	return q, nil
}

func (a *API) myHold(c *call) error {
	e, chart, err := a.eventAndChart(c)
	if err != nil {
		return err
	}
	var out struct {
		Hold *holdJSON `json:"hold"`
	}
	h, err := a.Seats.LiveHold(c.ctx, e.ID, c.session.Account)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
	case err != nil:
		return err
	case h.State == inventory.HoldPaying || h.State == inventory.HoldActive && c.now.Before(h.ExpiresAt):
		shape, err := a.holdShape(c, h, e, chart)
		if err != nil {
			return err
		}
		out.Hold = &shape
	}
	return c.json(http.StatusOK, out)
}

// ownHold is the hold that the path names. Somebody else's does not exist.
func (a *API) ownHold(c *call) (inventory.Hold, event.Event, *seatmap.Chart, error) {
	which, err := c.paramID("holdId")
	if err != nil {
		return inventory.Hold{}, event.Event{}, nil, err
	}
	h, err := a.Seats.Hold(c.ctx, which)
	if err == nil && h.Account != c.session.Account {
		err = fault.New(fault.NotFound, "no such hold")
	}
	if err != nil {
		return h, event.Event{}, nil, err
	}
	e, chart, err := a.eventOf(c, h.Event)
	return h, e, chart, err
}

func (a *API) getHold(c *call) error {
	h, e, chart, err := a.ownHold(c)
	if err != nil {
		return err
	}
	shape, err := a.holdShape(c, h, e, chart)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, shape)
}

// holdShape is a hold with the order it is being paid by, so that any tab leads on to the payment.
func (a *API) holdShape(c *call, h inventory.Hold, e event.Event, chart *seatmap.Chart) (holdJSON, error) {
	out := holdOf(h, e, chart, c.now)
	if h.State != inventory.HoldPaying {
		return out, nil
	}
	o, err := a.Checkout.OrderOfHold(c.ctx, h.Account, h.ID)
	if err != nil {
		return out, err
	}
	out.OrderID = &o.ID
	return out, nil
}

func (a *API) releaseHold(c *call) error {
	h, e, _, err := a.ownHold(c)
	if err != nil {
		return err
	}
	if _, err := a.Seats.Do(c.ctx, e.ID, inventory.Release{Account: c.session.Account, Hold: h.ID}); err != nil {
		return err
	}
	return c.noContent()
}

func (a *API) extendHold(c *call) error {
	h, e, chart, err := a.ownHold(c)
	if err != nil {
		return err
	}
	out, err := a.Seats.Do(c.ctx, e.ID, inventory.Extend{Account: c.session.Account, Hold: h.ID, Idempotency: c.idem})
	if err != nil {
		return err
	}
	a.Room.Seen(e.ID, c.session.Account)
	return c.hold(http.StatusOK, out, e, chart)
}
