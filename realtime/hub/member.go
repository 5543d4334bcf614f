package hub

import (
	"time"

	"plateia/realtime/wire"
)

// join adds a viewer; false says that the event has ended meanwhile.
func (e *event) join(v *Viewer, view wire.View, resume *wire.Position) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return false
	}
	if e.linger != nil {
		e.linger.Stop()
		e.linger = nil
	}
	v.joined, v.view, v.resume = true, view, resume
	e.viewers[v] = struct{}{}
	e.own(v)
	if e.fold != nil {
		e.begin(v)
		e.schedule(time.Now())
	}
	return true
}

// begin puts a viewer into the groups of its view and brings it up to date.
func (e *event) begin(v *Viewer) {
	resume := v.resume
	v.resume = nil
	if !e.shows(v.view) {
		v.end(wire.Bye{Code: wire.ByeNoSection, Text: "no such section"})
		return
	}
	if v.view.Mode != wire.Overview {
		g := e.group(v.view, v.pace, seatSlot)
		g.add(v)
		e.answer(v, e.catchUp(g, v, resume))
	}
	if v.view.Mode != wire.Whole {
		g := e.group(wire.View{}, Full, summarySlot)
		g.add(v)
		e.answer(v, g.first(e, v))
	}
}

// catchUp is a delta from the viewer's position when that is possible and shorter, else a snapshot.
func (e *event) catchUp(g *group, v *Viewer, from *wire.Position) []byte {
	if from == nil || from.Epoch != e.fold.epoch || from.Offset < e.fold.base {
		return g.first(e, v)
	}
	e.scratch = e.fold.since(e.fold.heard(from.Offset), g.view, e.scratch[:0])
	if len(e.scratch) > 16+e.fold.seats(g.view)/8 {
		return g.first(e, v)
	}
	e.hub.count.deltas.Add(1)
	return encodeDelta(e.fold, from.Offset, time.Time{}, e.scratch)
}

// shows reports whether the chart has what a view asks for.
func (e *event) shows(v wire.View) bool {
	n := len(v.Sections)
	return n == 0 || v.Sections[n-1] < len(e.fold.sections)
}

// group returns the group of a view, making it if need be.
func (e *event) group(view wire.View, pace Pace, slot int) *group {
	if view.Mode == wire.Sections && len(e.groups) >= e.hub.o.MaxViews {
		view = wire.View{Mode: wire.Whole}
	}
	key := string(append(wire.AppendView(nil, view), byte(pace)))
	if g := e.groups[key]; g != nil {
		return g
	}
	g := &group{key: key, view: view, pace: pace, slot: slot, at: e.fold.at, sent: time.Now()}
	g.pacing(&e.hub.o, 0)
	if view.Mode == wire.Sections {
		g.sections = newBitmap(len(e.fold.sections))
		for _, i := range view.Sections {
			g.sections.set(i)
		}
	}
	e.groups[key] = g
	return g
}

// quit takes a viewer out of its groups.
func (e *event) quit(v *Viewer) {
	for _, g := range v.groups {
		if g == nil {
			continue
		}
		g.remove(v)
		if len(g.viewers) == 0 {
			delete(e.groups, g.key)
		}
	}
}

func (e *event) setView(v *Viewer, view wire.View) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !v.joined {
		return
	}
	v.view, v.resume = view, nil
	if e.fold != nil {
		e.quit(v)
		v.forget()
		e.begin(v)
		e.schedule(time.Now())
	}
}

func (e *event) leave(v *Viewer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !v.joined {
		return
	}
	v.joined = false
	e.hub.count.viewers.Add(-1)
	delete(e.viewers, v)
	e.disown(v)
	e.quit(v)
	if len(e.viewers) == 0 && !e.ended {
		e.linger = time.AfterFunc(e.hub.o.Linger, e.endIfEmpty)
	}
}

func (e *event) endIfEmpty() {
	e.mu.Lock()
	empty := len(e.viewers) == 0 && e.linger != nil
	if empty {
		e.ended = true
	}
	e.mu.Unlock()
	if empty {
		e.end()
	}
}

// endAll tells every viewer and ends the event.
func (e *event) endAll(bye wire.Bye) {
	e.mu.Lock()
	e.ended = true
	for v := range e.viewers {
		v.end(bye)
	}
	e.mu.Unlock()
	e.end()
}

// end stops the timers and the fold.
func (e *event) end() {
	e.mu.Lock()
	e.ended = true
	for _, timer := range []*time.Timer{e.timer, e.linger} {
		if timer != nil {
			timer.Stop()
		}
	}
	e.mu.Unlock()
	e.cancel()
	e.hub.forget(e)
}
