package room

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/frontier"
)

func hourAgo() time.Time { return time.Now().Add(-time.Hour) }

// While nobody waits, whoever comes claims at once, without another step of the leader.
func TestAQuietSaleLetsInAtOnce(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(100, hourAgo())).opened()
	var f *fan
	p.until("whoever comes is let in", func() bool { // a machine that stands still misses the second that the door is ahead
		p.step()
		f = p.fan().enter()
		return f.status().Status == account.QueueAdmitted
	})
	if place := f.status(); place.ClaimBy.IsZero() || place.Class != account.Late {
		t.Fatalf("%+v", place)
	}
	first := f.mustClaim()
	if again := f.mustClaim(); again.Session != first.Session || again.Account != f.who.Account {
		t.Errorf("claiming again: %+v, then %+v", first, again)
	}
	stranger := p.fan().enter()
	stranger.ticket = f.ticket
	_, err := stranger.claim()
	refused(t, err, fault.Unauthenticated, "")
	stolen := *f
	stolen.key = "another key"
	_, err = stolen.claim()
	refused(t, err, fault.Unauthenticated, "")
}

// Everybody presses at the same moment, at two processes: at most 102 % come in, and the others keep their place.
func TestABurstNeverPassesTheHardLimit(t *testing.T) {
	w := newWorld(t)
	which := w.show(100, hourAgo())
	processes := []*process{w.process(which).opened(), w.process(which)}
	fans := make([]*fan, 300)
	var entering sync.WaitGroup
	for i := range fans {
		entering.Go(func() { fans[i] = processes[i%2].fan().enter() })
	}
	entering.Wait()
	openWide(processes[0])
	var in, told atomic.Int64
	var all sync.WaitGroup
	for _, f := range fans {
		all.Go(func() {
			_, err := f.claim()
			switch {
			case err == nil:
				in.Add(1)
			case fault.CodeOf(err) == fault.Waiting && fault.From(err).Details["reason"] == reasonMoment:
				told.Add(1)
			default:
				t.Errorf("%v %+v", err, fault.From(err).Details)
			}
		})
	}
	all.Wait()
	inside := w.count("select count(*) from admission where admitted_at is not null and left_at is null")
	if in.Load() != 102 || told.Load() != 198 || inside != 102 {
		t.Errorf("%d came in, %d were told to wait, %d are inside", in.Load(), told.Load(), inside)
	}
	p := processes[0]
	p.step()
	if m := p.led.view.memory; m.Arrived != 300 || m.Admitted != 102 || m.Inside != 102 || m.AtDoor != 198 {
		t.Errorf("the leader counted %+v", m)
	}
	for _, f := range fans { // who is told so again is no other arrival
		_, err := f.claim()
		if err != nil {
			refused(t, err, fault.Waiting, reasonMoment)
		}
	}
	p.step()
	if m := p.led.view.memory; m.Arrived != 300 || m.Admitted != 102 {
		t.Errorf("counted twice: %+v", m)
	}
}

// openWide moves the late frontier far ahead, as no leader would.
func openWide(p *process) {
	p.w.t.Helper()
	p.step() // or what is not counted yet would be lost
	_, err := p.store.Step(p.w.t.Context(), p.which, func(row queue.Row, in queue.Signals) (queue.Step, error) {
		now := in.Now
		v, err := p.parse(row)
		if err != nil {
			return queue.Step{}, err
		}
		doc, err := frontier.Next(v.doc, now, func(d *frontier.Document) { d.Frontiers.Late.Second = now.Unix() + 10 })
		if err != nil {
			return queue.Step{}, err
		}
		step := queue.Step{Row: row}
		return step, p.seal(&step.Row, doc, v.memory, v.setting)
	})
	if err != nil {
		p.w.t.Fatal(err)
	}
	p.held.Forget(p.which)
}

// Another device ends the first one's session, and the first one's ticket says why.
func TestAnotherDevice(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(10, hourAgo())).opened()
	f := p.fan().comeIn()
	first := f.mustClaim()
	key := queue.Key{Event: p.which, Epoch: 1}
	kept, _, err := w.log.Find(t.Context(), key, f.ticket.Pseudonym)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.log.Rebind(t.Context(), key, kept, "the phone", time.Now()); err != nil {
		t.Fatal(err)
	}
	phone := *f
	phone.key, phone.ticket.KeyThumb = "the phone", "the phone"
	second := phone.mustClaim()
	if second.Session == first.Session {
		t.Error("the other device got the same session")
	}
	_, err = f.claim()
	refused(t, err, fault.Forbidden, reasonMoved)
	if err := p.Leave(t.Context(), f.ticket); err != nil { // what the first one gives up is not its own any more
		t.Error(err)
	}
	live := w.count("select count(*) from buyer where session_id = $1", [16]byte(second.Session))
	if inside := w.count("select count(*) from admission where left_at is null"); live != 1 || inside != 1 {
		t.Errorf("%d buyer rows with the new session, %d inside", live, inside)
	}
}

// Case 11 and 20: a missed turn costs no place. The second-chance lane comes by.
func TestAMissedTurnGetsASecondChance(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(10, hourAgo())).opened()
	f := p.fan().enter()
	p.until("the turn comes", func() bool { p.step(); return f.status().Status == account.QueueAdmitted })
	p.age(15 * time.Second)
	p.step() // a point of the history from which the window counts
	p.age(11 * time.Minute)
	if place := f.status(); place.Status != account.QueueSecondChance || place.Reason != reasonMissed {
		t.Fatalf("%+v", place)
	}
	_, err := f.claim()
	refused(t, err, fault.Waiting, reasonMissed)
	p.until("the lane comes by", func() bool {
		p.step()
		p.amend(20*time.Second, func(m *memory) { m.Controller.Pace = 0.1 }) // of a lap, or it takes a quarter of an hour
		return f.status().Status == account.QueueAdmitted
	})
	f.mustClaim()
	p.step()
	if m := p.led.view.memory; m.Second != 1 || m.Arrived != 0 {
		t.Errorf("counted as %+v", m)
	}
}

// While the event is paused, or nobody can pay, no clock runs and nobody comes in; those inside renew.
func TestAPauseStopsEveryClock(t *testing.T) {
	for reason, with := range map[string]struct{ pause, resume func(*process) }{
		reasonPaused: {
			func(p *process) { p.w.shows.change(p.which, func(e *event.Event) { e.State = event.Paused }) },
			func(p *process) { p.w.shows.change(p.which, func(e *event.Event) { e.State = event.OnSale }) },
		},
		reasonPayments: {
			func(p *process) { p.opts.Closed = func(event.Event) bool { return true } },
			func(p *process) { p.opts.Closed = func(event.Event) bool { return false } },
		},
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			p := w.process(w.show(10, hourAgo())).opened()
			inside, called := p.fan().comeIn(), p.fan().enter()
			p.until("the turn comes", func() bool { p.step(); return called.status().Status == account.QueueAdmitted })
			with.pause(p)
			p.step()
			p.age(8 * time.Minute) // of the pause
			p.step()
			if place := called.status(); place.Status != account.QueueAdmitted || place.Reason != reason {
				t.Fatalf("%+v", place)
			}
			_, err := called.claim()
			refused(t, err, fault.Waiting, reason)
			inside.mustClaim()
			with.resume(p)
			p.step()
			if left := time.Until(called.status().ClaimBy); left < 9*time.Minute {
				t.Errorf("the pause cost the fan: %v left", left)
			}
			called.mustClaim()
		})
	}
}

// Rooms side by side know nothing of each other.
func TestRoomsSideBySide(t *testing.T) {
	w := newWorld(t)
	a, b := w.process(w.show(1, hourAgo())).opened(), w.process(w.show(1, hourAgo())).opened()
	fa := a.fan().comeIn()
	fb := b.fan()
	fb.who = fa.who // the same person in both lines
	fb.comeIn()
	fa.mustClaim()
	fb.mustClaim()
	if fa.ticket.Pseudonym == fb.ticket.Pseudonym {
		t.Error("two events know a person by the same name")
	}
	late := a.fan().enter()
	a.step()
	if _, err := late.claim(); fault.CodeOf(err) != fault.Waiting {
		t.Errorf("a second one in a room for one: %v", err)
	}
	if err := b.Leave(t.Context(), fb.ticket); err != nil {
		t.Fatal(err)
	}
	a.step()
	if _, err := late.claim(); fault.CodeOf(err) != fault.Waiting {
		t.Errorf("a departure from another room made room here: %v", err)
	}
}

func TestUnknownAndClosedEvents(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(1, hourAgo()))
	if _, err := p.Document(t.Context(), id.New()); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	f := p.opened().fan().comeIn()
	w.shows.change(p.which, func(e *event.Event) { e.State = event.Closed })
	p.step()
	if place := f.status(); place.Status != account.QueueClosed || place.Reason != reasonEnded {
		t.Errorf("%+v", place)
	}
	_, err := f.claim()
	refused(t, err, fault.EventState, reasonEnded)
	other := w.process(w.show(1, hourAgo()))
	w.shows.change(other.which, func(e *event.Event) { e.State = event.Cancelled })
	_, err = other.Document(t.Context(), other.which)
	refused(t, err, fault.EventState, reasonEnded)
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := f.claim(); err == nil {
		t.Error("a claim in a stopped process")
	}
}
