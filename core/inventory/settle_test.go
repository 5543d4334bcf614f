package inventory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

func TestConflictsAreDecidedAgain(t *testing.T) {
	engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		m.before = func(n int) error {
			if n < 3 {
				return ErrConflict
			}
			return nil
		}
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1)); err != nil || m.commit != 3 {
			t.Fatalf("%v after %d tries", err, m.commit)
		}
	})
}

func TestPoisonEndsAlone(t *testing.T) {
	engineOn(t, 100, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		poison := errors.New("poison")
		store := inv.store
		inv.store = poisoned{store, poison, 13}
		var all sync.WaitGroup
		failed := make([]error, 40)
		for i := range failed {
			all.Go(func() {
				_, failed[i] = inv.Do(t.Context(), m.event.ID, placeOf(id.New(), seatmap.Ordinal(i)))
			})
		}
		all.Wait()
		for i, err := range failed {
			if (fault.CodeOf(err) == fault.Internal) != (i == 13) {
				t.Errorf("seat %d: %v", i, err)
			}
		}
	})
}

// poisoned fails every batch that needs one seat.
type poisoned struct {
	Store
	err  error
	seat seatmap.Ordinal
}

func (p poisoned) Commit(ctx context.Context, ev id.ID, n Needs, decide func(*Snapshot) *Changes) error {
	if slices.Contains(n.Seats, p.seat) {
		return p.err
	}
	return p.Store.Commit(ctx, ev, n, decide)
}

func TestEndlessConflictsEndAsBusy(t *testing.T) {
	engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		m.before = func(int) error { return ErrConflict }
		_, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1))
		if f := fault.From(err); f.Code != fault.Busy || f.RetryAfter == 0 {
			t.Fatalf("%v", err)
		}
	})
}

func TestLostCommitAnswers(t *testing.T) {
	t.Run("it had happened", func(t *testing.T) {
		engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
			m.after = func(int) error { return ErrUnknown }
			out, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1))
			if err != nil || len(m.holds) != 1 || m.holds[out.Hold.ID].State != HoldActive {
				t.Fatalf("%+v, %v, %d holds", out, err, len(m.holds))
			}
		})
	})
	t.Run("it had not", func(t *testing.T) {
		engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
			inv.store = &lostOnce{Store: m}
			if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1)); err != nil || len(m.holds) != 1 {
				t.Fatalf("%v, %d holds", err, len(m.holds))
			}
		})
	})
	t.Run("nobody can say", func(t *testing.T) {
		engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
			m.after = func(int) error { return ErrUnknown }
			inv.store = dumb{m}
			_, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1))
			if fault.CodeOf(err) != fault.OutcomeUnknown {
				t.Fatal(err)
			}
			inv.end() // ends the settlement behind it
		})
	})
}

// lostOnce loses the first COMMIT on its way to the database.
type lostOnce struct {
	Store
	lost bool
}

func (l *lostOnce) Commit(ctx context.Context, ev id.ID, n Needs, decide func(*Snapshot) *Changes) error {
	if l.lost {
		return l.Store.Commit(ctx, ev, n, decide)
	}
	l.lost = true
	err := l.Store.Commit(ctx, ev, n, func(s *Snapshot) *Changes { decide(s); return nil })
	return errors.Join(err, ErrUnknown)
}

// dumb never says what became of a batch.
type dumb struct{ Store }

func (dumb) Settle(context.Context, id.ID, id.ID) (bool, error) { return false, ErrUnavailable }
