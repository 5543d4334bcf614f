package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

// Rooms is what operators see of waiting rooms.
type Rooms interface {
	Rooms(ctx context.Context) ([]queue.Overview, error)                      // those that are armed, the soonest on-sale first
	Overview(ctx context.Context, event id.ID) (queue.Overview, error)        // fault.NotFound when it is not armed
	Predict(ctx context.Context, event id.ID, to int64) (queue.Effect, error) // of another target; changes nothing
	RoomRecord
	RoomOrders
}

// RoomRecord is what has been.
type RoomRecord interface {
	History(ctx context.Context, event id.ID, since time.Time, limit int) ([]queue.Moment, error) // oldest first
	Actions(ctx context.Context, event id.ID, before int64, limit int) ([]queue.Action, error)    // newest first; before 0: all
}

// RoomOrders carries out what an operator asks for, and writes it into the audit in the same transaction.
type RoomOrders interface {
	Act(ctx context.Context, o queue.Order) (queue.Overview, error)
	Codes(ctx context.Context, o queue.Order) ([]string, error) // told once
}

func (a *API) roomRoutes() []route {
	room := func(method, path string, do func(*call) error) route {
		return route{method: method, path: "/v1/ops/events/:eventId/room" + path, needs: byOperator, do: do}
	}
	return []route{
		{method: http.MethodGet, path: "/v1/ops/rooms", needs: byOperator, do: a.listRooms},
		room(http.MethodGet, "", a.showRoom),
		room(http.MethodGet, "/history", a.roomHistory),
		room(http.MethodGet, "/actions", a.roomActions),
		room(http.MethodGet, "/target", a.predictTarget),
		room(http.MethodPost, "/target", a.setTarget),
		room(http.MethodPost, "/pause", a.pauseRoom),
		room(http.MethodPost, "/resume", a.resumeRoom),
		room(http.MethodPost, "/message", a.sayInRoom),
		room(http.MethodPost, "/reset", a.resetRoom),
		room(http.MethodPost, "/codes", a.makeCodes),
	}
}

// Bounds of what operators send and ask for.
const (
	maxWho, maxWhy           = 100, 500
	maxTarget                = 1_000_000
	maxCodes                 = 10_000
	maxMoments, maxActions   = 2000, 100
	maxReason, maxText       = 40, 500
	maxLanguages, maxTagSize = 8, 16
)

// signedOrder is what every change needs beside its own members: who and why.
type signedOrder struct {
	Who string `json:"who"` // Plateia-Operator wins: a proxy that knows its people sets it
	Why string `json:"why"`
}

// order begins an order with who and why.
func (c *call) order(verb queue.Verb, by signedOrder) (queue.Order, error) {
	event, err := c.paramID("eventId")
	if err != nil {
		return queue.Order{}, err
	}
	who, why, err := c.signature(by)
	return queue.Order{Event: event, Verb: verb, Who: who, Why: why}, err
}

// signature is who makes a change, and why. The key alone says that somebody may; the audit wants a name.
func (c *call) signature(by signedOrder) (who, why string, err error) {
	who, why = strings.TrimSpace(c.header(headerOperator)), strings.TrimSpace(by.Why)
	if who == "" {
		who = strings.TrimSpace(by.Who)
	}
	if err := oneLine(who, "who", maxWho, "a change needs the name of who makes it"); err != nil {
		return who, why, err
	}
	return who, why, oneLine(why, "why", maxWhy, "a change needs its reason")
}

// oneLine accepts text of one line that is there and short enough.
func oneLine(text, field string, most int, absent string) error {
	switch {
	case text == "":
		return fault.New(fault.Invalid, "%s", absent).With("field", field)
	case len(text) > most:
		return fault.New(fault.Invalid, "%s has at most %d bytes", field, most).With("field", field)
	case strings.ContainsFunc(text, unicode.IsControl):
		return fault.New(fault.Invalid, "%s is one line", field).With("field", field)
	}
	return nil
}

func (a *API) pauseRoom(c *call) error {
	var body struct {
		signedOrder
		messageJSON
	}
	return a.changeRoom(c, queue.Pause, &body, &body.signedOrder, func(o *queue.Order) (err error) {
		o.Message, err = body.message(c.now)
		return err
	})
}

func (a *API) resumeRoom(c *call) error {
	var body signedOrder
	return a.changeRoom(c, queue.Resume, &body, &body, func(*queue.Order) error { return nil })
}

func (a *API) sayInRoom(c *call) error {
	var body struct {
		signedOrder
		Message *messageJSON `json:"message"` // null takes it away
	}
	return a.changeRoom(c, queue.Say, &body, &body.signedOrder, func(o *queue.Order) (err error) {
		if body.Message != nil {
			o.Message, err = body.Message.message(c.now)
		}
		return err
	})
}

func (a *API) setTarget(c *call) error {
	var body struct {
		signedOrder
		Target int64 `json:"target"`
		From   int64 `json:"from"`
	}
	return a.changeRoom(c, queue.SetTarget, &body, &body.signedOrder, func(o *queue.Order) error {
		o.From, o.To = body.From, body.Target
		if o.From < 1 {
			return fault.New(fault.Invalid, "from is the target that the change begins at").With("field", "from")
		}
		return checkTarget(o.To)
	})
}

func (a *API) resetRoom(c *call) error {
	var body struct {
		signedOrder
		Epoch int64 `json:"epoch"`
	}
	return a.changeRoom(c, queue.Reset, &body, &body.signedOrder, func(o *queue.Order) error {
		if o.From = body.Epoch; o.From < 1 {
			return fault.New(fault.Invalid, "epoch is the one that is to end").With("field", "epoch")
		}
		return nil
	})
}

// changeRoom reads an order, carries it out and answers the room as it became.
func (a *API) changeRoom(c *call, verb queue.Verb, body any, by *signedOrder, rest func(*queue.Order) error) error {
	o, err := a.readOrder(c, verb, body, by, rest)
	if err != nil {
		return err
	}
	became, err := a.Rooms.Act(c.ctx, o)
	if err != nil {
		return err
	}
	return a.sendRoom(c, became)
}

func (a *API) readOrder(c *call, verb queue.Verb, body any, by *signedOrder, rest func(*queue.Order) error) (queue.Order, error) {
	if err := c.decode(body); err != nil {
		return queue.Order{}, err
	}
	o, err := c.order(verb, *by)
	if err == nil {
		err = rest(&o)
	}
	if err == nil && a.Rooms == nil {
		err = noRoom()
	}
	return o, err
}

// makeCodes answers presale codes, once: only how to check them is kept.
func (a *API) makeCodes(c *call) error {
	var body struct {
		signedOrder
		Tier  int `json:"tier"`
		Count int `json:"count"`
	}
	o, err := a.readOrder(c, queue.MakeCodes, &body, &body.signedOrder, func(o *queue.Order) error {
		o.Tier, o.Count = body.Tier, body.Count
		switch {
		case o.Tier < 0:
			return fault.New(fault.Invalid, "tier counts from 0").With("field", "tier")
		case o.Count < 1 || o.Count > maxCodes:
			return fault.New(fault.Invalid, "count is a number from 1 to %d", maxCodes).With("field", "count")
		}
		return nil
	})
	if err != nil {
		return err
	}
	codes, err := a.Rooms.Codes(c.ctx, o)
	if err != nil {
		return err
	}
	c.set("Cache-Control", "no-store")
	return c.json(http.StatusCreated, struct {
		Tier  int      `json:"tier"`
		Codes []string `json:"codes"`
	}{o.Tier, codes})
}

// predictTarget says what another target would do, and changes nothing.
func (a *API) predictTarget(c *call) error {
	event, err := a.roomOf(c)
	if err != nil {
		return err
	}
	to, err := strconv.ParseInt(c.query("to"), 10, 64)
	if err != nil {
		to = 0
	}
	if err := checkTarget(to); err != nil {
		return err
	}
	effect, err := a.Rooms.Predict(c.ctx, event, to)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, effectOf(effect))
}

func checkTarget(target int64) error {
	if target < 1 || target > maxTarget {
		return fault.New(fault.Invalid, "the target is a number from 1 to %d", maxTarget).With("field", "target")
	}
	return nil
}

// roomOf is the event whose room the path names.
func (a *API) roomOf(c *call) (id.ID, error) {
	event, err := c.paramID("eventId")
	if err == nil && a.Rooms == nil {
		err = noRoom()
	}
	return event, err
}

func noRoom() error { return fault.New(fault.NotFound, "this event has no waiting room") }
