package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/secret"
	"plateia/db/dbtest"
	"plateia/realtime/client"
	"plateia/realtime/wire"
)

// openNoticed is a sale whose process has a gateway too.
func openNoticed(t *testing.T) *sale { return openSelling(t, "api", "sweeper", "gateway") }

// openSelling is a sale at a process with these roles, which have a stream of their own.
func openSelling(t *testing.T, roles ...string) *sale {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a process's worth of the program")
	}
	s := &sale{t: t, pulse: takePulse(t)}
	api := freeAddr(t)
	s.first = openBank(t, s.pulse, "sandbox", api)
	s.seller = s.open(config{
		roles: roles, apiAddr: api, gatewayAddr: "127.0.0.1:0", databaseURL: dbtest.URL(t), ownStream: true,
		providers: []providerConfig{{name: "sandbox", url: s.first.URL, key: secret.New(bankKey), webhooks: []secret.Text{secret.New(bankHook)}}},
	})
	s.sell([]func(*event.Rules){func(r *event.Rules) { r.Inside = 100 }})
	return s
}

// screen is a map that somebody looks at, and what it was told.
type screen struct {
	mu      sync.Mutex
	told    []string
	changes int
}

func (s *sale) look(who id.ID) *screen {
	s.t.Helper()
	token := ""
	if !who.IsZero() {
		var err error
		token, _, err = s.seller.tokens.MintAccess(account.Access{Event: s.event.ID, Account: who, Session: id.New()})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	c, err := client.Dial(s.t.Context(), "http://"+s.seller.gatewayListener.Addr().String(),
		client.Options{Event: s.event.ID, Token: token, View: wire.View{Mode: wire.Whole}})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := c.Next(s.t.Context()); err != nil { // the map
		s.t.Fatal(err)
	}
	sc, done := &screen{}, make(chan struct{})
	go func() {
		defer close(done)
		for {
			f, err := c.Next(context.Background())
			if err != nil {
				return
			}
			sc.take(s.t, f)
		}
	}()
	s.t.Cleanup(func() { c.Close(); <-done })
	return sc
}

func (sc *screen) take(t *testing.T, f wire.Frame) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	switch f := f.(type) {
	case wire.Delta:
		sc.changes += len(f.Changes)
	case wire.Notice:
		var body struct{ HoldID, State, OrderID, Status string }
		if err := json.Unmarshal(f.Body, &body); err != nil {
			t.Errorf("notice %s: %v", f.Body, err)
		}
		sc.told = append(sc.told, body.HoldID+body.OrderID+" "+body.State+body.Status)
	}
}

func (sc *screen) heard() ([]string, int) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(sc.told))), sc.changes
}

// From the commit to the owner's screens and to nobody else's: hold, payment, sale, return and refund, through the engine,
// checkout, a NATS server and a gateway's sockets. The others see the seats change and hear nothing.
func TestOwnersHearOfTheirHoldsAndOrders(t *testing.T) {
	t.Parallel()
	s := openNoticed(t)
	b := &buyer{s: s, account: id.New()}
	mine, again := s.look(b.account), s.look(b.account)
	stranger, nobody := s.look(id.New()), s.look(id.ID{})
	s.holdFor(b)
	b.place()
	b.pay()
	within(t, 20*time.Second, "it is confirmed", b.confirmed)
	if status, out, _ := b.ask(http.MethodPost, "/v1/orders/"+b.order.String()+"/cancel", `{}`); status/100 != 2 {
		t.Fatalf("giving back answered %d %v", status, out)
	}
	hold, order := b.hold.String(), b.order.String()
	want := []string{
		hold + " ACTIVE", hold + " PAYING", order + " PENDING_PAYMENT", hold + " CONVERTED", order + " CONFIRMED", order + " CANCELLED", order + " REFUNDED",
	}
	slices.Sort(want) // batches that commit beside each other are told in any order
	for name, sc := range map[string]*screen{"mine": mine, "mine again": again} {
		var got []string
		for deadline := time.Now().Add(20 * time.Second); !slices.Equal(got, want); time.Sleep(10 * time.Millisecond) {
			if got, _ = sc.heard(); time.Now().After(deadline) {
				t.Fatalf("%s heard\n%q, want\n%q", name, got, want)
			}
		}
	}
	for name, sc := range map[string]*screen{"a stranger": stranger, "nobody": nobody} {
		within(t, 20*time.Second, name+" sees the seat change", func() bool { _, changes := sc.heard(); return changes >= 1 })
		if told, _ := sc.heard(); len(told) > 0 {
			t.Errorf("%s heard %q", name, told)
		}
	}
}
