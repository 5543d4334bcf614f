package mint

import (
	"context"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/realtime/natsd"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/store"
	"plateia/waitingroom/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hall is an event with a line, a real log, a real authority, and a hand-turned clock.
type hall struct {
	t      *testing.T
	now    time.Time
	event  event.Event
	doc    *frontier.Document
	tokens *token.Authority
	log    *store.Entries
	server *natsd.Server
	codes  *Codes
	*Minter
}

func (h *hall) Event(context.Context, id.ID) (event.Event, error) { return h.event, nil }
func (h *hall) Frontier(context.Context, id.ID) (*frontier.Document, error) {
	return h.doc, nil
}
func (h *hall) InProcessConn() (net.Conn, error) { return h.server.InProcessConn() }

func newHall(t *testing.T, challenge Challenge) *hall {
	t.Helper()
	h := &hall{t: t, now: time.Now().Truncate(time.Second), codes: NewCodes(make([]byte, 32))}
	h.event = event.Event{ID: id.New(), Epoch: 1, State: event.Scheduled, OnSaleAt: h.now.Add(time.Hour)}
	h.event.Rules.Queue = &event.Queue{Tiers: []event.Tier{{Name: "club"}, {Name: "all"}}}
	h.doc = &frontier.Document{Version: 1, Event: h.event.ID, Epoch: 1, Phase: frontier.Before, OnSaleAt: h.event.OnSaleAt}
	var err error
	if h.tokens, err = token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32), Now: func() time.Time { return h.now }}); err != nil {
		t.Fatal(err)
	}
	if h.server, err = natsd.Start(t.Context(), natsd.Options{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	js, closing, err := store.Dial(h)
	if err != nil {
		t.Fatal(err)
	}
	h.log = store.New(js, store.Options{})
	if err := h.log.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.log.Stop(context.Background()); closing(); h.server.Stop(context.Background()) })
	h.Minter = New(h, h, h.log, h.tokens, Options{Challenge: challenge, Codes: h.codes, Now: func() time.Time { return h.now }})
	return h
}

// session is an account's that signed in a while ago.
func (h *hall) session(who id.ID, ago time.Duration) account.Session {
	return account.Session{Account: who, IssuedAt: h.now.Add(-ago), ExpiresAt: h.now.Add(time.Hour)}
}

func (h *hall) enter(who account.Session, key string, asked queue.Asked) (account.QueueTicket, error) {
	h.t.Helper()
	text, ticket, err := h.Enter(h.t.Context(), h.event.ID, who, key, asked)
	if err != nil {
		return ticket, err
	}
	if read, err := h.tokens.Ticket(text); err != nil || read != ticket {
		h.t.Errorf("the ticket is read as %+v, not %+v: %v", read, ticket, err)
	}
	return ticket, nil
}
