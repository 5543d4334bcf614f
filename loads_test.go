package main

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/load"
	"plateia/edge/metrics"
)

// Whoever begins to lead arms what sells already: nobody is the first who waits for it.
func TestALeaderArmsWhatSells(t *testing.T) {
	t.Parallel()
	s := openSelling(t, "api", "sweeper")
	err := s.seller.database.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "update event set on_sale_at = now() - interval '1 hour'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if rooms, err := s.seller.desk.Rooms(t.Context()); err != nil || len(rooms) != 0 {
		t.Fatalf("%d rooms before anybody leads, %v", len(rooms), err)
	}
	leader := s.open(config{roles: []string{"admitter"}, databaseURL: s.seller.cfg.databaseURL, ownStream: true})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		rooms, err := leader.desk.Rooms(t.Context()) // arms nothing
		if err == nil && len(rooms) == 1 && rooms[0].Event == s.event.ID {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d rooms after a minute, %v", len(rooms), err)
		}
	}
}

// Another process's slow holds reach the leader of the waiting rooms, and every process with engines tells how they do.
func TestSlowHoldsElsewhereReachTheLeader(t *testing.T) {
	t.Parallel()
	s := openSelling(t, "api", "sweeper", "admitter")
	told := make(chan id.ID, 100)
	stop, err := s.seller.stream.Load(func(process id.ID, _ []load.Event) { told <- process })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	elsewhere := id.New()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if err := s.seller.stream.TellLoad(elsewhere, []load.Event{{Event: s.event.ID, HoldP99: time.Second}}); err != nil {
			t.Fatal(err)
		}
		room, err := s.seller.desk.Overview(t.Context(), s.event.ID)
		if err == nil && room.Reason == "slow" && room.Throttle < 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %+v %v", room.Moment, err)
		}
	}
	if !slices.ContainsFunc(s.seller.roomSamples(), func(m metrics.Sample) bool { return m.Name == "plateia_room_hold_p99_seconds" && m.Number == 1 }) {
		t.Error("/metrics does not say so")
	}
	for deadline := time.After(time.Minute); ; {
		select {
		case process := <-told:
			if process != elsewhere {
				return
			}
		case <-deadline:
			t.Fatal("the process tells nothing of its own engines")
		}
	}
}
