package hub_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// TestConverges runs commits, late, repeated and lost messages, lost, repeated and
// reordered frames, sleeping viewers, restarted gateways and a lost log against
// two gateways and one viewer. Whatever happens, no seat is ever shown in a state
// it never had, and when things calm down the map is the database.
func TestConverges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bubble(t, func() {
			p := newPlay(rt)
			defer p.end()
			rt.Repeat(map[string]func(*rapid.T){
				"commit":  p.commit,
				"relay":   p.relay,
				"repeat":  p.repeat,
				"wait":    func(rt *rapid.T) { time.Sleep(time.Duration(rapid.IntRange(0, 700).Draw(rt, "ms")) * time.Millisecond) },
				"receive": p.receive,
				"view":    p.view,
				"switch":  p.switchGateway,
				"restart": p.restart,
				"lose":    func(*rapid.T) { p.w.lose() },
			})
			p.calm()
		})
	})
}

// bubble runs f with fake time and carries rapid's panics out of it.
func bubble(t *testing.T, f func()) {
	var failure any
	synctest.Test(t, func(*testing.T) {
		defer func() { failure = recover() }()
		f()
	})
	if failure != nil {
		panic(failure)
	}
}

type play struct {
	rt      *rapid.T
	w       *world
	hubs    [2]*hub.Hub
	at      int // the viewer's gateway
	s       *screen
	looking wire.View
	waiting []inventory.Delta // committed, not yet published
	air     []wire.Frame      // on the way to the viewer
}

func newPlay(rt *rapid.T) *play {
	p := &play{rt: rt, w: newWorld(24, 4), looking: wire.View{Mode: wire.Whole}}
	for i := range p.hubs {
		p.hubs[i] = hub.New(p.w, p.w, hub.Options{})
	}
	p.s = &screen{}
	p.reconnect()
	return p
}

func (p *play) end() {
	p.s.viewer.Leave()
	for _, h := range p.hubs {
		h.Stop()
	}
	synctest.Wait()
}

func (p *play) reconnect() {
	if p.s.viewer != nil {
		p.s.viewer.Leave()
	}
	p.air = nil
	if p.s.Position == nil {
		p.s.Reset() // as every client does: what waits for a snapshot was of another connection, perhaps of another view
	}
	p.s.join(p.hubs[p.at], p.w.event, id.ID{}, p.looking)
}

func (p *play) commit(rt *rapid.T) {
	ordinals := rapid.SliceOfNDistinct(rapid.IntRange(0, 23), 1, 4, rapid.ID).Draw(rt, "seats")
	slices.Sort(ordinals)
	var seats []seatmap.Ordinal
	for _, o := range ordinals {
		seats = append(seats, seatmap.Ordinal(o))
	}
	d := p.w.commit(inventory.Status(rapid.IntRange(0, 3).Draw(rt, "status")), seats...)
	if rapid.IntRange(0, 3).Draw(rt, "late") == 0 {
		p.waiting = append(p.waiting, d)
		return
	}
	p.w.publish(d)
}

// relay publishes a batch that the fast path did not bring through, in any order.
func (p *play) relay(rt *rapid.T) {
	if len(p.waiting) == 0 {
		return
	}
	i := rapid.IntRange(0, len(p.waiting)-1).Draw(rt, "which")
	p.w.publish(p.waiting[i])
	p.waiting = slices.Delete(p.waiting, i, i+1)
}

func (p *play) repeat(rt *rapid.T) {
	p.w.mu.Lock()
	n := len(p.w.log)
	p.w.mu.Unlock()
	if n > 0 {
		p.w.publish(p.w.log[rapid.IntRange(0, n-1).Draw(rt, "which")])
	}
}

// receive moves frames into the air and lets some of them arrive: any of them, once, twice or never.
func (p *play) receive(rt *rapid.T) {
	synctest.Wait()
	raw, bye := p.s.viewer.Take(nil)
	for _, b := range raw {
		f, err := wire.Decode(b)
		if err != nil {
			rt.Fatal(err)
		}
		p.air = append(p.air, f)
	}
	gap := false
	for range rapid.IntRange(0, 4).Draw(rt, "arrivals") {
		if len(p.air) == 0 {
			break
		}
		i := rapid.IntRange(0, len(p.air)-1).Draw(rt, "frame")
		fate := rapid.SampledFrom([]string{"arrives", "arrives", "twice", "lost"}).Draw(rt, "fate")
		if fate != "lost" {
			gap = p.apply(p.air[i])
		}
		if fate != "twice" {
			p.air = slices.Delete(p.air, i, i+1)
		}
	}
	if bye != nil || (gap && rapid.Bool().Draw(rt, "impatient")) {
		p.s.Reset()
		p.reconnect()
	}
}

func (p *play) apply(f wire.Frame) bool {
	set, gap := p.s.Apply(f)
	for _, c := range set {
		if !p.w.shown[c] {
			p.rt.Fatalf("seat %d is shown as %d, which it never was", c.Ordinal, c.Status)
		}
	}
	return gap
}

func (p *play) view(rt *rapid.T) {
	p.looking = wire.View{Mode: wire.Whole}
	if n := rapid.IntRange(0, 3).Draw(rt, "sections"); n > 0 {
		p.looking = wire.View{Mode: wire.Sections, Sections: rapid.SliceOfNDistinct(rapid.IntRange(0, 3), n, n, rapid.ID).Draw(rt, "which")}
		slices.Sort(p.looking.Sections)
	}
	// Frames of the old view still in the air must not be taken for the new one's: the map starts over.
	p.s.Reset()
	p.air = nil
	p.s.viewer.Take(nil)
	p.s.viewer.SetView(p.looking)
}

func (p *play) switchGateway(*rapid.T) {
	p.at = 1 - p.at
	p.reconnect()
}

func (p *play) restart(rt *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(rt, "gateway")
	if i == p.at {
		p.s.viewer.Leave()
	}
	p.hubs[i].Stop()
	p.hubs[i] = hub.New(p.w, p.w, hub.Options{})
	if i == p.at {
		p.reconnect()
	}
}

// calm publishes what is left, ends the losses and compares.
func (p *play) calm() {
	for _, d := range p.waiting {
		p.w.publish(d)
	}
	p.reconnect()
	for range 4 {
		time.Sleep(8 * time.Second)
		synctest.Wait()
		raw, bye := p.s.viewer.Take(nil)
		for _, b := range raw {
			f, err := wire.Decode(b)
			if err != nil {
				p.rt.Fatal(err)
			}
			p.apply(f)
		}
		if bye != nil {
			p.reconnect()
		}
	}
	if p.s.Position == nil {
		p.rt.Fatal("no map")
	}
	for _, r := range p.s.Ranges {
		if got, want := p.s.Statuses[r.From:r.To], p.w.statuses[r.From:r.To]; !slices.Equal(got, want) {
			p.rt.Fatalf("seats %d to %d: the map says %v, the database %v", r.From, r.To, got, want)
		}
	}
}
