package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/secret"
	"plateia/db/dbtest"
	"plateia/realtime/natsd"
)

// openApart is a sale whose sweeper is a process of its own, with a NATS server between them.
func openApart(t *testing.T) *sale {
	t.Helper()
	if testing.Short() {
		t.Skip("runs two processes' worth of the program")
	}
	nats, err := natsd.Start(t.Context(), natsd.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := nats.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s := &sale{t: t, pulse: takePulse(t)}
	api := freeAddr(t)
	s.first = openBank(t, s.pulse, "sandbox", api)
	cfg := config{
		apiAddr: api, gatewayAddr: "127.0.0.1:0", databaseURL: dbtest.URL(t), nats: natsConfig{urls: nats.URL()},
		providers: []providerConfig{{name: "sandbox", url: s.first.URL, key: secret.New(bankKey), webhooks: []secret.Text{secret.New(bankHook)}}},
	}
	cfg.roles = []string{"api", "gateway", "relay"}
	s.seller = s.open(cfg)
	cfg.roles = []string{"sweeper"}
	s.open(cfg)
	s.sell([]func(*event.Rules){func(r *event.Rules) { r.Inside, r.HoldSeconds = 100, 1 }})
	return s
}

// forget makes what a screen is told from now on all that it was told.
func (sc *screen) forget() {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.told = nil
}

// hears waits until a screen was told something.
func (sc *screen) hears(t *testing.T, what string) {
	t.Helper()
	within(t, 30*time.Second, "it hears "+what, func() bool {
		told, _ := sc.heard()
		return slices.Contains(told, what)
	})
}

// A sweeper in a process of its own frees a hold that nobody asks for any more: its owner is told, everybody sees the seat.
func TestOwnersHearOfASweepersExpiries(t *testing.T) {
	t.Parallel()
	s := openApart(t)
	b := &buyer{s: s, account: id.New()}
	mine, nobody := s.look(b.account), s.look(id.ID{})
	s.holdFor(b)
	mine.hears(t, b.hold.String()+" EXPIRED")
	within(t, 30*time.Second, "the seat is seen to be taken and free again", func() bool {
		_, changes := mine.heard()
		return changes >= 2
	})
	if told, _ := nobody.heard(); len(told) > 0 {
		t.Errorf("nobody heard %q", told)
	}
}

// Everybody who looks at an event hears that it goes on sale, and of every state that a process moves it to.
func TestEverybodyHearsOfTheEventsState(t *testing.T) {
	t.Parallel()
	s := openApart(t)
	fan, nobody := s.look(id.New()), s.look(id.ID{})
	for _, step := range []event.State{event.Paused, event.OnSale} {
		if err := s.seller.catalog.SetState(t.Context(), s.event.ID, step); err != nil {
			t.Fatal(err)
		}
		fan.hears(t, " "+string(step))
	}
	nobody.hears(t, " on_sale")
	fan.forget()
	if _, err := s.seller.database.Pool().Exec(t.Context(), "update event set state = 'scheduled', on_sale_at = now() where event_id = $1",
		[16]byte(s.event.ID)); err != nil {
		t.Fatal(err)
	}
	fan.hears(t, " on_sale") // the sweeper opens it
}
