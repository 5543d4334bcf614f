package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"plateia/waitingroom/draw"
)

func TestATallyCountsByTierAndSecondAndKnowsTheRoots(t *testing.T) {
	e, key := newSite(t).entries(), newKey()
	onSale := time.Unix(time.Now().Unix()+3600, 0) // so that nothing comes too late, however slow this machine is
	before, err := e.Follow(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	const fans = 300
	var all sync.WaitGroup
	for n := range fans {
		all.Go(func() {
			entry := entryOf(n, onSale.Add(time.Duration(n-100)*10*time.Millisecond), onSale) // a hundred before the instant
			if entry.Class == draw.Lottery {
				entry.Tier = n % 3
			}
			if _, _, err := enter(context.Background(), e, key, entry, onSale); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	after, err := e.Follow(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	var want draw.Log
	for entry, err := range e.All(t.Context(), key) {
		if err != nil {
			t.Fatal(err)
		}
		want.Add(entry)
	}
	root, count := draw.LogRoot(want.Roots())
	for name, tally := range map[string]*Tally{"from the start": before, "afterwards": after} {
		roots, err := tally.Cut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, n := draw.LogRoot(roots); got != root || n != count || n != fans {
			t.Errorf("%s: root %s over %d, want %s over %d", name, got, n, root, count)
		}
		tiers := tally.Tiers()
		if len(tiers) != 3 || tiers[0] != 34 || tiers[1] != 33 || tiers[2] != 33 || tally.Lottery() != 100 {
			t.Errorf("%s: tiers %v", name, tiers)
		}
		if tally.Late() != 200 || tally.LateBefore(onSale.Unix()) != 0 || tally.LateBefore(onSale.Unix()+1) != 100 || tally.LateBefore(onSale.Unix()+9) != 200 {
			t.Errorf("%s: %d late, %d before the second", name, tally.Late(), tally.LateBefore(onSale.Unix()+1))
		}
		if !tally.Caught() {
			t.Errorf("%s: it has not caught up", name)
		}
	}
}

func TestACutOfAnEmptyLog(t *testing.T) {
	tally, err := newSite(t).entries().Follow(t.Context(), newKey())
	if err != nil {
		t.Fatal(err)
	}
	defer tally.Close()
	roots, err := tally.Cut(t.Context())
	if _, n := draw.LogRoot(roots); err != nil || n != 0 || len(roots) != draw.Shards {
		t.Errorf("%d entries, %v", n, err)
	}
	eventually(t, "caught up", tally.Caught)
}

func TestLateEntriesThatComeOutOfOrder(t *testing.T) {
	var tally Tally
	for _, second := range []int64{100, 103, 101, 100, 103, 99} {
		tally.count(draw.Entry{Pseudonym: "x", Class: draw.Late, EnteredAt: second*1000 + 5})
	}
	for second, want := range map[int64]int64{99: 0, 100: 1, 101: 3, 102: 4, 103: 4, 104: 6} {
		if got := tally.LateBefore(second); got != want {
			t.Errorf("before %d: %d, want %d", second, got, want)
		}
	}
}

func TestALogThatIsAnotherOneIsCountedAnew(t *testing.T) {
	s := newSite(t)
	e, key, now := s.entries(), newKey(), time.Now()
	tally, err := e.Follow(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer tally.Close()
	for n := range 5 {
		if _, _, err := enter(t.Context(), e, key, entryOf(n, now, now), now); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "counted", func() bool { return tally.Late() == 5 })
	s.stop()
	s.dir = t.TempDir()
	s.start()
	eventually(t, "counted anew", func() bool {
		_, _, _ = e.Enter(t.Context(), key, entryOf(7, now, now), now)
		return tally.Late() == 1
	})
}
