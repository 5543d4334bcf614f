package db_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

var quiet = slog.New(slog.DiscardHandler)

func TestLeaseHasOneHolderAndAGrowingFence(t *testing.T) {
	d := dbtest.New(t)
	a, b := id.New(), id.New()
	take := func(who id.ID, want bool, fence int64) db.Lease {
		t.Helper()
		lease, ok, err := d.TakeLease(t.Context(), "job", who, time.Minute)
		if err != nil || ok != want || lease.Fence != fence {
			t.Fatalf("TakeLease = %+v, %v, %v; want %v and fence %d", lease, ok, err, want, fence)
		}
		return lease
	}
	mine := take(a, true, 1)
	take(a, true, 1)
	take(b, false, 0)
	if err := d.GiveLease(t.Context(), db.Lease{Job: "job", Holder: b, Fence: 1}); err != nil {
		t.Fatal(err)
	}
	take(b, false, 0) // a stranger cannot give it away
	if err := d.GiveLease(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond) // "now" has moved past the end
	take(b, true, 2)
	take(a, false, 0)
}

// terms are the leases under which somebody leads. What a machine that stood still begins too late is no second leader:
// the database's clock says whose time it is.
type terms struct {
	t      *testing.T
	life   time.Duration
	mu     sync.Mutex
	now    []db.Lease // of those who have not given it back
	newest db.Lease
}

func (s *terms) begin(lease db.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.now {
		first, next := other, lease
		if first.Fence > next.Fence {
			first, next = next, first
		}
		if next.Until.Add(-s.life).Before(first.Until) {
			s.t.Errorf("%+v begins while %+v leads", next, first)
		}
	}
	if s.now = append(s.now, lease); lease.Until.After(s.newest.Until) {
		if lease.Fence < s.newest.Fence {
			s.t.Errorf("%+v comes after %+v", lease, s.newest)
		}
		s.newest = lease
	}
}

func (s *terms) end(lease db.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = slices.DeleteFunc(s.now, func(other db.Lease) bool { return other == lease })
}

func TestLeadIsTakenOverAndNeverDoubled(t *testing.T) {
	d, s := dbtest.New(t), &terms{t: t, life: 300 * time.Millisecond}
	var turns atomic.Int32
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			d.Lead(ctx, "job", s.life, quiet, func(_ context.Context, lease db.Lease) error {
				s.begin(lease)
				defer s.end(lease)
				if turns.Add(1) == 4 {
					cancel()
				}
				return errors.New("had enough")
			})
		})
	}
	group.Wait()
	if turns.Load() < 4 {
		t.Errorf("%d turns in a minute", turns.Load())
	}
}

func TestLeaderIsToldWhenItsLeaseIsGone(t *testing.T) {
	d := dbtest.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d.Lead(ctx, "job", 600*time.Millisecond, quiet, func(working context.Context, _ db.Lease) error {
		exec(t, d, "update lease set holder = gen_random_uuid(), fence = fence + 1, expires_at = now() + interval '1 minute'")
		<-working.Done()
		cancel()
		return nil
	})
	if ctx.Err() != context.Canceled {
		t.Error("the leader was never told")
	}
}

func TestSigningKeysAreMadeOnce(t *testing.T) {
	d := dbtest.New(t)
	var group sync.WaitGroup
	seen := make([]db.SigningKey, 8)
	for i := range seen {
		group.Go(func() {
			var err error
			if seen[i], err = d.SigningKey(t.Context(), "token"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, k := range seen {
		if k.KID != seen[0].KID || k.Seed != seen[0].Seed || k.KID == "" {
			t.Fatalf("two current keys: %v and %v", k, seen[0])
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s"} {
		if text := fmt.Sprintf(verb, seen[0]); text != "token key "+seen[0].KID || strings.Contains(text, "Seed") {
			t.Errorf("%s prints %q", verb, text)
		}
	}
	other, err := d.SigningKey(t.Context(), "ticket")
	if err != nil || other.Seed == seen[0].Seed {
		t.Fatalf("purposes share a key: %v", err)
	}
	if err := d.RetireSigningKey(t.Context(), seen[0].KID); err != nil {
		t.Fatal(err)
	}
	fresh, err := d.SigningKey(t.Context(), "token")
	if err != nil || fresh.KID == seen[0].KID {
		t.Fatalf("after retiring: %v, %v", fresh, err)
	}
	all, err := d.SigningKeys(t.Context(), "token")
	if err != nil || len(all) != 2 || all[0].KID != fresh.KID || all[1].RetiredAt.IsZero() {
		t.Errorf("keys %v, %v", all, err)
	}
}
