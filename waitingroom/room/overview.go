package room

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/controller"
	"plateia/waitingroom/draw"
)

const mostRooms = 200 // shown side by side

func noTickets(e event.Event) []int64   { return make([]int64, len(e.Rules.QueuePolicy().Tiers)) }
func noRanks(e event.Event) []draw.Rank { return make([]draw.Rank, len(e.Rules.QueuePolicy().Tiers)) }

// Rooms are those that are armed and not over, the soonest on-sale first, without cohorts and without who left.
func (p *Operators) Rooms(ctx context.Context) ([]queue.Overview, error) {
	open, err := p.room.store.Open(ctx)
	if err != nil {
		return nil, err
	}
	var out []queue.Overview
	for _, which := range open[:min(len(open), mostRooms)] {
		v, e, err := p.read(ctx, which)
		if err != nil {
			return nil, err
		}
		o := overviewOf(v, e)
		o.Cohorts = nil
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b queue.Overview) int {
		return cmp.Or(a.OnSaleAt.Compare(b.OnSaleAt), cmp.Compare(a.Event.String(), b.Event.String()))
	})
	return out, nil
}

// Overview is one room. The first question about an event that sells, or will, arms it, whoever asks.
func (p *Operators) Overview(ctx context.Context, which id.ID) (queue.Overview, error) {
	v, e, err := p.read(ctx, which)
	if err != nil {
		return queue.Overview{}, err
	}
	o := overviewOf(v, e)
	o.Left, err = p.left.Get(ctx, o.Key, func(ctx context.Context) (map[string]int64, error) { return p.records.Left(ctx, o.Key) })
	return o, err
}

func (p *Operators) read(ctx context.Context, which id.ID) (*view, event.Event, error) {
	v, err := p.room.look(ctx, which)
	if err != nil {
		return nil, event.Event{}, err
	}
	e, err := p.room.catalog.Event(ctx, which)
	return v, e, err
}

// History is the room's moments after an instant, oldest first.
func (p *Operators) History(ctx context.Context, which id.ID, since time.Time, limit int) ([]queue.Moment, error) {
	rows, err := p.records.Moments(ctx, which, since, limit)
	if err != nil {
		return nil, err
	}
	out := make([]queue.Moment, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Actions are what operators did to a room, newest first.
func (p *Operators) Actions(ctx context.Context, which id.ID, before int64, limit int) ([]queue.Action, error) {
	return p.records.Actions(ctx, which, before, limit)
}

// Predict says what another target would do, beside what the present one does.
func (p *Operators) Predict(ctx context.Context, which id.ID, to int64) (queue.Effect, error) {
	v, e, err := p.read(ctx, which)
	if err != nil {
		return queue.Effect{}, err
	}
	target := v.setting.target(e.Rules.Inside)
	m := momentOf(v.doc, v.memory, target)
	waiting := float64(max(m.Entered-m.Passed, 0))
	in := controller.Signals{Inside: int(m.Inside)}
	then, now := controller.Predict(v.memory.Controller, in, int(to), waiting), controller.Predict(v.memory.Controller, in, target, waiting)
	return queue.Effect{
		Target: to, From: int64(target), Inside: m.Inside, PerSecond: then.PerSecond, Now: now.PerSecond,
		Settles: then.Settles, Rest: then.Rest, RestNow: now.Rest,
	}, nil
}

// overviewOf is a pure function of the row and the event.
func overviewOf(v *view, e event.Event) queue.Overview {
	d, m := v.doc, v.memory
	o := queue.Overview{
		Key: v.row.Key, Moment: momentOf(d, m, v.setting.target(e.Rules.Inside)), OnSaleAt: d.OnSaleAt, Lottery: d.Line.Tiers,
		Drawn: d.Seed != nil, Verifiable: d.Verifiable, SecondChance: m.Second, ClaimSeconds: int(d.ClaimWindow),
		Stay: time.Duration(m.Controller.Stay * float64(time.Second)), Held: v.setting.Paused, Codes: v.setting.Codes,
	}
	for _, tier := range e.Rules.QueuePolicy().Tiers {
		o.Tiers = append(o.Tiers, tier.Name)
	}
	if n := len(d.Line.Late); n > 0 {
		o.Late = d.Line.Late[n-1].Count
	}
	if d.PausedSince > 0 {
		o.PausedSince = time.UnixMilli(d.PausedSince).UTC()
	}
	if said := d.Message; said != nil {
		o.Message = &queue.Message{Reason: said.Reason, Text: said.Text, NextUpdate: said.NextUpdate}
	}
	o.Called, o.Missed = notCome(v, o.Passed)
	for _, c := range m.Controller.Cohorts {
		o.Cohorts = append(o.Cohorts, queue.Cohort{At: m.Controller.When(c), Tickets: c.Tickets, Came: c.Came, Complete: m.Controller.Mature(c)})
	}
	return o
}

// notCome splits those who were called and did not come: their window is open, or over. Their sum is counted; how many
// of those who came belong to the open windows follows from the share that comes.
func notCome(v *view, passed int64) (called, missed int64) {
	all := max(passed-v.memory.Arrived, 0)
	before := 0.0
	if h := v.doc.History; len(h) > 0 && v.doc.Point().Active()-h[0].Active() >= v.doc.ClaimWindow*1000 {
		before = v.doc.Line.Served(h[0].Frontiers)
	}
	open := float64(passed) - before
	came := max(float64(v.memory.Arrived)-before*v.memory.Controller.Shows(), 0)
	called = min(int64(math.Round(max(open-came, 0))), all)
	return called, max(all-called-v.memory.Second, 0)
}
