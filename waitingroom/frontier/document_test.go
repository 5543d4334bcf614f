package frontier

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/waitingroom/draw"
)

// A random life of a line: whatever the controller, the operator and the clock do, the
// frontiers, versions and deadlines of every ticket only go forward (P1, P2, P7).
func TestNothingEverMovesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawn(500, 2000)
		d.ClaimWindow = 120
		tickets := []Ticket{lottery(0), lottery(0.3), lottery(0.999), late(0, 0.5), late(30, 0.1)}
		tickets[1].Tier = 1
		now, before := at(d), make([]time.Duration, len(tickets))
		for range rapid.IntRange(1, 80).Draw(t, "documents") {
			now = now.Add(time.Duration(rapid.IntRange(-2, 40).Draw(t, "seconds")) * time.Second)
			old := d
			d = randomStep(t, old, now)
			if d.Version != old.Version+1 || !d.Frontiers.Equal(d.Frontiers.Later(old.Frontiers)) || d.Time < old.Time {
				t.Fatalf("moved back from %+v to %+v", old, d)
			}
			if len(d.History) > 70 {
				t.Fatalf("%d points of history", len(d.History))
			}
			for i, ticket := range tickets {
				before[i] = checkDeadline(t, old, d, ticket, before[i])
			}
		}
	})
}

// randomStep moves frontiers forward and back, pauses and goes on.
func randomStep(t *rapid.T, d *Document, now time.Time) *Document {
	wanted, _ := d.Line.Advance(d.Frontiers, rapid.Float64Range(0, 300).Draw(t, "tickets"))
	wanted = wanted.Sweep(rapid.Float64Range(0, 0.2).Draw(t, "sweep"))
	out, err := Next(d, now, func(d *Document) {
		d.Line.Late = d.Line.Late.With(now.Unix(), int64(now.Sub(onSale)/time.Second))
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0, 1:
			d.Frontiers = wanted
		case 2: // a controller that believes in the past
			d.Frontiers = Frontiers{Lottery: make([]draw.Rank, 2)}
		case 3:
			d.Phase = rapid.SampledFrom([]Phase{Open, Paused}).Draw(t, "phase")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkDeadline compares the deadlines, in time without pauses, that two documents give a
// ticket whose window is open.
func checkDeadline(t *rapid.T, old, d *Document, ticket Ticket, before time.Duration) time.Duration {
	now := at(d)
	was, is := old.Gate(ticket, now), d.Gate(ticket, now)
	if was.State == MayClaim && is.State != MayClaim && is.State != Stopped {
		t.Fatalf("version %d closed an open window: %+v became %+v", d.Version, was, is)
	}
	if is.State != MayClaim && is.State != Stopped {
		return 0
	}
	deadline := time.Duration(d.active(now))*time.Millisecond + is.Left
	if before > 0 && deadline < before {
		t.Fatalf("version %d shortened a deadline from %v to %v", d.Version, before, deadline)
	}
	return deadline
}

func TestWhatNoNewerDocumentMayDo(t *testing.T) {
	d := drawn(1000)
	for name, change := range map[string]func(*Document){
		"another event":      func(d *Document) { d.Event[0]++ },
		"another epoch":      func(d *Document) { d.Epoch++ },
		"a shorter window":   func(d *Document) { d.ClaimWindow-- },
		"another seed":       func(d *Document) { d.Seed = &draw.Digest{2} },
		"no seed":            func(d *Document) { d.Seed = nil },
		"more lottery":       func(d *Document) { d.Line.Tiers = []int64{1001} },
		"a phase of its own": func(d *Document) { d.Phase = "party" },
		"a novel":            func(d *Document) { d.Message = &Message{Text: map[string]string{"en": string(make([]byte, 1000))}} },
	} {
		if _, err := Next(d, at(d), change); err == nil {
			t.Errorf("%s: made", name)
		}
	}
	ended := next(t, d, time.Second, phase(Ended))
	if _, err := Next(ended, at(ended), phase(Open)); err == nil {
		t.Error("an event that has ended goes on")
	}
}

func TestAResetBeginsAnEpochAndVersionsGoOn(t *testing.T) {
	d := next(t, drawn(1000), time.Second, move(900))
	r := Restart(d, at(d).Add(time.Second), draw.Digest{7})
	if !r.Newer(d) || d.Newer(r) || d.Newer(d) || !r.Newer(nil) || r.Epoch != 2 {
		t.Errorf("%+v", r)
	}
	if got := r.Gate(lottery(0.1), at(r)).State; got != Restarted {
		t.Errorf("an old ticket is told %s", got)
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}

func TestASignedDocumentIsReadAsItWasWritten(t *testing.T) {
	d := drawn(5_000_000, 4_000_000, 1_000_000)
	for range 400 {
		d = next(t, d, 5*time.Second, func(d *Document) {
			d.Frontiers, _ = d.Line.Advance(d.Frontiers, 400)
			d.Frontiers = d.Frontiers.Sweep(0.001)
			d.Line.Late = d.Line.Late.With(d.Time/1000, d.Time/1000-onSale.Unix())
		})
	}
	a := authority(t)
	s, err := d.Sign(a)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Verify(a.Keys(), s)
	if err != nil {
		t.Fatal(err)
	}
	was, _ := json.Marshal(d)
	is, _ := json.Marshal(back)
	if string(was) != string(is) {
		t.Errorf("%s\n%s", was, is)
	}
	if len(was) > 20<<10 {
		t.Errorf("%d bytes after half an hour", len(was))
	}
	s.Payload = s.Payload[:40] + "A" + s.Payload[41:]
	if _, err := Verify(a.Keys(), s); err == nil {
		t.Error("a changed document is believed")
	}
	if _, err := (&Document{}).Sign(a); err == nil {
		t.Error("an empty document is signed")
	}
}

func TestPollPolicy(t *testing.T) {
	p := Poll{FloorMS: 2000, CeilingMS: 60000, Divisor: 20}
	for wait, want := range map[time.Duration]time.Duration{
		0: time.Minute, time.Second: 2 * time.Second, 10 * time.Minute: 30 * time.Second, 10 * time.Hour: time.Minute,
	} {
		if got := p.Delay(wait); got != want {
			t.Errorf("waiting %v: ask in %v, want %v", wait, got, want)
		}
	}
}
