package api

import (
	"fmt"
	"testing"
	"time"

	"plateia/core/id"
)

func TestPresses(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := newPresses(3)
	who := presser{id.New(), id.New()}
	for i := range 10 {
		if _, _, ok := p.allow(who, fmt.Sprint(i), 10, now.Add(time.Duration(i)*time.Second)); !ok {
			t.Fatalf("press %d refused", i)
		}
	}
	reset, _, ok := p.allow(who, "x", 10, now.Add(30*time.Second))
	if ok || !reset.Equal(now.Add(time.Minute)) {
		t.Errorf("the eleventh: %v %v", reset, ok)
	}
	if _, again, ok := p.allow(who, "7", 10, now.Add(30*time.Second)); !ok || !again {
		t.Error("a retry under the same key is free")
	}
	if _, _, ok := p.allow(presser{who.event, id.New()}, "x", 10, now); !ok {
		t.Error("another account is not concerned")
	}
	if _, _, ok := p.allow(presser{id.New(), who.account}, "x", 10, now); !ok {
		t.Error("another event is not concerned")
	}
	if _, _, ok := p.allow(who, "y", 10, now.Add(time.Minute)); !ok {
		t.Error("after a minute the first press is forgotten")
	}
	if _, _, ok := p.allow(who, "z", 10, now.Add(time.Minute)); ok {
		t.Error("and only the first")
	}
	for i := range 3 * replays {
		p.allow(who, "y", 10, now.Add(time.Minute))
		if _, _, ok := p.allow(who, "y", 10, now.Add(time.Minute)); !ok && i < replays/2-1 {
			t.Fatalf("repetition %d refused", i)
		}
	}
	if _, _, ok := p.allow(who, "y", 10, now.Add(time.Minute)); ok {
		t.Error("repeating one key for ever is not free")
	}
	for range 100 {
		p.allow(presser{id.New(), id.New()}, "x", 10, now)
		if len(p.byWho) > 3 || p.recent.Len() > 3 {
			t.Fatalf("%d accounts remembered, 3 allowed", len(p.byWho))
		}
	}
}
