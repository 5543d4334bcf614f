package hub_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"plateia/core/fault"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// TestConverges (cases 23 and 24) runs commits, late, repeated and lost messages, lost, repeated and reordered frames,
// sleeping viewers, restarted gateways, gateways that are behind, a database that is away, gateways that read what the log
// keeps from them out of the database, new epochs, a bucket of old
// snapshots, and a log that is lost, cut short or purged while nobody notices, against two gateways and viewers of every view. Whatever happens,
// no seat is ever shown in a state it never had, and when things calm down the maps are the database.
func TestConverges(t *testing.T) {
	for round := range 8 { // of a hundred programs each
		t.Run(strconv.Itoa(round), converges)
	}
}

func converges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bubble(t, func() {
			p := newPlay(rt)
			defer p.end()
			rt.Repeat(map[string]func(*rapid.T){
				"commit":  p.commit,
				"relay":   p.relay,
				"repeat":  p.repeat,
				"wait":    func(rt *rapid.T) { time.Sleep(time.Duration(rapid.IntRange(0, 700).Draw(rt, "ms")) * time.Millisecond) },
				"receive": func(rt *rapid.T) { p.fan(rt).receive(rt) },
				"view":    func(rt *rapid.T) { p.fan(rt).turn(rt) },
				"switch":  func(rt *rapid.T) { p.fan(rt).move() },
				"restart": p.restart,
				"lose":    p.lose,
				"look":    func(rt *rapid.T) { p.taps[rapid.IntRange(0, 1).Draw(rt, "gateway")].look() },
				"hold": func(rt *rapid.T) {
					p.taps[rapid.IntRange(0, 1).Draw(rt, "gateway")].hold(rapid.Bool().Draw(rt, "held"))
				},
				"reload":   p.reload,
				"database": p.database,
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
	taps    [2]*tap
	fans    []*fan
	bucket  *bucket
	waiting []inventory.Delta // committed, not yet published
}

func newPlay(rt *rapid.T) *play {
	p := &play{rt: rt, w: newWorld(24, 4), bucket: &bucket{}}
	for i := range p.hubs {
		p.taps[i] = newTap(p.w)
		p.hubs[i] = p.gateway(i)
	}
	for i, view := range []wire.View{{Mode: wire.Whole}, {Mode: wire.Sections, Sections: []int{1, 3}}, {}, {Mode: wire.Whole}} {
		f := &fan{p: p, at: i % 2, view: view, screen: &screen{}}
		if i == 3 {
			f.pace = hub.Slow
		}
		p.fans = append(p.fans, f)
		f.reconnect()
	}
	return p
}

// gateway is a hub; the second has room for few frames, so that its viewers are soon too slow. No comparison with the
// database helps.
func (p *play) gateway(i int) *hub.Hub {
	return hub.New(p.taps[i], p.w, hub.Options{QueueFrames: []int{32, 3}[i], Shelf: &bucketSide{p.bucket, p.taps[i]}, Journal: p.w, CompareEvery: -1})
}

func (p *play) end() {
	for _, f := range p.fans {
		f.viewer.Leave()
	}
	for _, h := range p.hubs {
		h.Stop()
	}
	synctest.Wait()
}

func (p *play) fan(rt *rapid.T) *fan { return p.fans[rapid.IntRange(0, len(p.fans)-1).Draw(rt, "fan")] }

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

func (p *play) lose(rt *rapid.T) {
	switch rapid.SampledFrom([]string{"all", "tail", "purge"}).Draw(rt, "what") {
	case "all":
		p.w.cut(p.w.end())
	case "tail":
		p.w.cut(rapid.IntRange(1, 3).Draw(rt, "messages"))
	case "purge":
		p.w.purge()
	}
}

// reload is an operator's new epoch of the event, or a comparison with the database that found a fold wrong.
func (p *play) reload(rt *rapid.T) {
	p.w.mu.Lock()
	if rapid.Bool().Draw(rt, "new epoch") {
		p.w.epoch++
	}
	p.w.mu.Unlock()
	for _, h := range p.hubs {
		h.Reload(p.w.event)
	}
}

func (p *play) database(rt *rapid.T) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.down = nil
	if rapid.Bool().Draw(rt, "away") {
		p.w.down = fault.New(fault.Busy, "the database is away")
	}
}

func (p *play) restart(rt *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(rt, "gateway")
	for _, f := range p.fans {
		if f.at == i {
			f.viewer.Leave()
		}
	}
	p.hubs[i].Stop()
	p.taps[i].look() // a new process knows the log as it is
	p.hubs[i] = p.gateway(i)
	for _, f := range p.fans {
		if f.at == i {
			f.reconnect()
		}
	}
}

// calm publishes what is left, ends the losses and compares.
func (p *play) calm() {
	p.w.mu.Lock()
	p.w.down = nil
	p.w.mu.Unlock()
	for _, tap := range p.taps {
		tap.look()
		tap.hold(false)
	}
	for _, d := range p.waiting {
		p.w.publish(d)
	}
	for _, f := range p.fans {
		f.reconnect()
	}
	for range 6 {
		time.Sleep(8 * time.Second)
		synctest.Wait()
		for _, f := range p.fans {
			f.listen()
		}
	}
	for _, f := range p.fans {
		f.compare()
	}
}
