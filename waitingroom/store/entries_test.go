package store

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/draw"
)

func TestTheFirstEntryCounts(t *testing.T) {
	e, key, now := newSite(t).entries(), newKey(), time.Now()
	onSale := now.Add(time.Hour)
	if _, found, err := e.Find(t.Context(), key, "fan-1"); found || err != nil {
		t.Fatalf("an entry before there is one: %v %v", found, err)
	}
	first := entryOf(1, now, onSale)
	kept, fresh, err := e.Enter(t.Context(), key, first, onSale)
	if err != nil || !fresh || kept.Entry != first || kept.KeyThumb != "key-1" {
		t.Fatalf("%+v %v %v", kept, fresh, err)
	}
	second := first
	second.EnteredAt, second.KeyThumb, second.Tier = first.EnteredAt+5000, "another", 2
	kept, fresh, err = e.Enter(t.Context(), key, second, onSale)
	if err != nil || fresh || kept.Entry != first || kept.KeyThumb != "key-1" {
		t.Errorf("the second entry: %+v %v %v", kept, fresh, err)
	}
	for name, other := range map[string]queue.Key{"epoch": {Event: key.Event, Epoch: 2}, "event": {Event: id.New(), Epoch: 1}} {
		if _, fresh, err := e.Enter(t.Context(), other, second, onSale); err != nil || !fresh {
			t.Errorf("in another %s: %v %v", name, fresh, err)
		}
	}
	if _, _, err := e.Enter(t.Context(), key, draw.Entry{Pseudonym: "a.b"}, onSale); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("no entry: %v", err)
	}
}

// Two processes, sixty accounts, each of which presses ten times at once.
func TestACrowdThatPressesAgainAndAgainEntersOnce(t *testing.T) {
	s := newSite(t)
	logs, key, now := []*Entries{s.entries(), s.entries()}, newKey(), time.Now()
	const fans, presses = 60, 10
	var fresh atomic.Int64
	var first [fans]sync.Map
	var all sync.WaitGroup
	for press := range presses {
		for fan := range fans {
			all.Go(func() {
				entry := entryOf(fan, now.Add(time.Duration(press)*time.Millisecond), now)
				kept, was, err := enter(context.Background(), logs[press%2], key, entry, now)
				if err != nil {
					t.Errorf("fan %d: %v", fan, err)
				}
				if was {
					fresh.Add(1)
				}
				first[fan].Store(kept.Entry, true)
			})
		}
	}
	all.Wait()
	if fresh.Load() > fans { // fewer: an answer that was lost is found at the next press
		t.Errorf("%d entries are said to be new, of %d accounts", fresh.Load(), fans)
	}
	for fan := range fans {
		answers := 0
		first[fan].Range(func(any, any) bool { answers++; return true })
		if answers != 1 {
			t.Errorf("fan %d was told %d different entries", fan, answers)
		}
	}
	if got := count(t, logs[0], key); got != fans {
		t.Errorf("the log has %d entries of %d accounts", got, fans)
	}
}

func count(t *testing.T, e *Entries, key queue.Key) (n int) {
	t.Helper()
	seen := map[string]bool{}
	for entry, err := range e.All(t.Context(), key) {
		if err != nil {
			t.Fatal(err)
		}
		seen[entry.Pseudonym] = true
		n++
	}
	if len(seen) != n {
		t.Errorf("%d entries of %d accounts", n, len(seen))
	}
	return n
}

func TestAnotherDeviceIsBoundOnce(t *testing.T) {
	e, key, now := newSite(t).entries(), newKey(), time.Now()
	kept, _, err := enter(t.Context(), e, key, entryOf(1, now, now), now)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := e.Rebind(t.Context(), key, kept, "phone", now.Add(time.Minute))
	if err != nil || moved.KeyThumb != "phone" || moved.Entry != kept.Entry {
		t.Fatalf("%+v %v", moved, err)
	}
	if _, err := e.Rebind(t.Context(), key, kept, "laptop", now.Add(time.Minute)); fault.CodeOf(err) != fault.Busy {
		t.Errorf("a rebinding of what has moved: %v", err)
	}
	if moved, err = e.Rebind(t.Context(), key, moved, "laptop", now.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	found, ok, err := e.Find(t.Context(), key, "fan-1")
	if err != nil || !ok || found != moved || found.Entry.KeyThumb != "key-1" || found.BoundAt.UnixMilli() != now.Add(2*time.Minute).UnixMilli() {
		t.Errorf("%+v, want %+v (%v)", found, moved, err)
	}
	if again, fresh, err := enter(t.Context(), e, key, entryOf(1, now, now), now); err != nil || fresh || again.KeyThumb != "laptop" {
		t.Errorf("entering again: %+v %v %v", again, fresh, err)
	}
}

func TestACodeIsOneAccounts(t *testing.T) {
	e, event := newSite(t).entries(), id.New()
	for _, want := range []struct {
		who  string
		code byte
		ok   bool
	}{{"ana", 1, true}, {"ana", 1, true}, {"bob", 1, false}, {"bob", 2, true}, {"ana", 1, true}} {
		if ok, err := e.UseCode(t.Context(), event, draw.Digest{want.code}, want.who); err != nil || ok != want.ok {
			t.Errorf("%+v: %v %v", want, ok, err)
		}
	}
	if ok, err := e.UseCode(t.Context(), id.New(), draw.Digest{1}, "bob"); err != nil || !ok {
		t.Errorf("of another event: %v %v", ok, err)
	}
}

func TestWhatWasAcknowledgedSurvivesTheServer(t *testing.T) {
	s := newSite(t)
	e, key, now := s.entries(), newKey(), time.Now()
	tally, err := e.Follow(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer tally.Close()
	for n := range 20 {
		if _, _, err := enter(t.Context(), e, key, entryOf(n, now, now), now); err != nil {
			t.Fatal(err)
		}
	}
	s.stop()
	if _, _, err := e.Enter(t.Context(), key, entryOf(99, now, now), now); fault.CodeOf(err) != fault.Busy {
		t.Errorf("while the server is away: %v", err)
	}
	s.start()
	eventually(t, "entered", func() bool {
		_, _, err := e.Enter(t.Context(), key, entryOf(20, now, now), now)
		return err == nil
	})
	if got := count(t, e, key); got != 21 {
		t.Errorf("%d entries", got)
	}
	eventually(t, "the tally goes on", func() bool { return tally.Late() == 21 && tally.Caught() })
	if got := count(t, s.entries(), key); got != 21 { // a program that starts anew, on a disk where there is room for one such log
		t.Errorf("%d entries after a restart", got)
	}
}

// A message that is no entry, and an entry that was on its way for too long.
func TestAnEntryThatCameTooLateIsNotInTheLottery(t *testing.T) {
	e, key, now := newSite(t).entries(), newKey(), time.Now()
	onSale := now.Add(-lotteryEnd - time.Second) // so that now is too late
	entry := entryOf(1, onSale.Add(-time.Millisecond), onSale)
	if _, fresh, err := e.Enter(t.Context(), key, entry, onSale); err != nil || !fresh || entry.Class != draw.Lottery {
		t.Fatal(fresh, err)
	}
	if _, err := e.js.PublishMsg(t.Context(), &nats.Msg{Subject: e.names.of(entryKind, key, "spoiled"), Data: []byte("{")}); err != nil {
		t.Fatal(err)
	}
	in := entryOf(2, now, now.Add(time.Hour))
	if _, _, err := enter(t.Context(), e, key, in, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	kept, _, err := e.Find(t.Context(), key, "fan-1")
	if err != nil || kept.Entry.Class != draw.Late || kept.Entry.EnteredAt < now.UnixMilli() {
		t.Errorf("%+v %v", kept, err)
	}
	tally, err := e.Follow(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer tally.Close()
	eventually(t, "caught up", tally.Caught)
	if tally.Lottery() != 1 || tally.Late() != 1 {
		t.Errorf("%d in the lottery, %d late", tally.Lottery(), tally.Late())
	}
	if got := count(t, e, key); got != 2 {
		t.Errorf("%d entries are read", got)
	}
}

func TestEntriesOfRegionsStandApart(t *testing.T) {
	s, key, now := newSite(t), newKey(), time.Now()
	here := s.entries()
	js, closing, err := Dial(s)
	if err != nil {
		t.Fatal(err)
	}
	defer closing()
	if got := (subjects{"south"}).of(entryKind, key, "x"); got != "entry.south."+key.Event.String()+".1."+strconv.Itoa(draw.ShardOf("x"))+".x" {
		t.Error(got)
	}
	there := New(js, Options{Region: "south"})
	if there.o.stream() == here.o.stream() {
		t.Error("one stream for two regions")
	}
	if _, _, err := enter(t.Context(), here, key, entryOf(1, now, now), now); err != nil {
		t.Fatal(err)
	}
}
