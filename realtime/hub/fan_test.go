package hub_test

import (
	"slices"
	"testing/synctest"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// fan is a viewer of TestConverges with a bad network.
type fan struct {
	*screen
	p    *play
	at   int // its gateway
	view wire.View
	air  []wire.Frame // on the way
	free []int        // by section, as the last summary said
}

func (f *fan) reconnect() {
	if f.viewer != nil {
		f.viewer.Leave()
	}
	f.air = nil
	if f.Position == nil {
		f.Reset() // as every client does: what waits for a snapshot was of another connection, perhaps of another view
	}
	f.join(f.p.hubs[f.at], f.p.w.event, id.ID{}, f.view)
}

// receive moves frames into the air and lets some of them arrive: any of them, once, twice or never.
func (f *fan) receive(rt *rapid.T) {
	synctest.Wait()
	bye := f.fetch()
	gap := false
	for range rapid.IntRange(0, 4).Draw(rt, "arrivals") {
		if len(f.air) == 0 {
			break
		}
		i := rapid.IntRange(0, len(f.air)-1).Draw(rt, "frame")
		fate := rapid.SampledFrom([]string{"arrives", "arrives", "twice", "lost"}).Draw(rt, "fate")
		if fate != "lost" {
			gap = f.apply(f.air[i])
		}
		if fate != "twice" {
			f.air = slices.Delete(f.air, i, i+1)
		}
	}
	if bye != nil || (gap && rapid.Bool().Draw(rt, "impatient")) {
		f.Reset()
		f.reconnect()
	}
}

// fetch takes what the gateway has sent.
func (f *fan) fetch() *wire.Bye {
	raw, bye := f.viewer.Take(nil)
	for _, b := range raw {
		frame, err := wire.Decode(b)
		if err != nil {
			f.p.rt.Fatal(err)
		}
		f.air = append(f.air, frame)
	}
	return bye
}

func (f *fan) apply(frame wire.Frame) bool {
	if s, ok := frame.(wire.Summary); ok {
		f.free = s.Free
	}
	set, gap := f.Apply(frame)
	for _, c := range set {
		if !f.p.w.shown[c] {
			f.p.rt.Fatalf("seat %d is shown as %d, which it never was", c.Ordinal, c.Status)
		}
	}
	return gap
}

// turn looks at something else.
func (f *fan) turn(rt *rapid.T) {
	f.view = wire.View{Mode: rapid.SampledFrom([]wire.Mode{wire.Whole, wire.Sections, wire.Overview}).Draw(rt, "mode")}
	if f.view.Mode == wire.Sections {
		n := rapid.IntRange(1, 3).Draw(rt, "sections")
		f.view.Sections = rapid.SliceOfNDistinct(rapid.IntRange(0, 3), n, n, rapid.ID).Draw(rt, "which")
		slices.Sort(f.view.Sections)
	}
	// Frames of the old view still in the air must not be taken for the new one's: the map starts over.
	f.Reset()
	f.air = nil
	f.viewer.Take(nil)
	f.viewer.SetView(f.view)
}

func (f *fan) move() {
	f.at = 1 - f.at
	f.reconnect()
}

// listen takes everything, in order and without a loss.
func (f *fan) listen() {
	bye := f.fetch()
	gap := false
	for _, frame := range f.air {
		gap = f.apply(frame)
	}
	f.air = nil
	if bye != nil || gap {
		f.Reset()
		f.reconnect()
	}
}

// compare expects what the database says.
func (f *fan) compare() {
	if f.view.Mode != wire.Overview {
		f.compareSeats()
	}
	if f.view.Mode != wire.Whole {
		f.compareCounts()
	}
}

func (f *fan) compareSeats() {
	if f.Position == nil {
		f.p.rt.Fatal("no map")
	}
	for _, r := range f.Ranges {
		if got, want := f.Statuses[r.From:r.To], f.p.w.statuses[r.From:r.To]; !slices.Equal(got, want) {
			f.p.rt.Fatalf("seats %d to %d: the map says %v, the database %v", r.From, r.To, got, want)
		}
	}
}

func (f *fan) compareCounts() {
	for i, r := range f.p.w.sections {
		free := 0
		for _, s := range f.p.w.statuses[r.From:r.To] {
			if s == inventory.Available {
				free++
			}
		}
		if len(f.free) <= i || f.free[i] != free {
			f.p.rt.Fatalf("section %d has %d free seats, the summary says %v", i, free, f.free)
		}
	}
}
