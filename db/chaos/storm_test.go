package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"plateia/db/dbtest/wireproxy"
)

// deck deals faults to the statements of one process: every so many statements of a kind, the next card
// of that kind's shuffled pile. So each fault comes up, and a seed repeats their order.
type deck struct {
	mu    sync.Mutex
	draw  *rand.Rand
	piles map[wireproxy.Kind]*pile
}

type pile struct {
	cards []wireproxy.Fault
	gap   int // statements between two, on average
	next  int
	dealt int
}

func newDeck(seed uint64) *deck {
	const ms = time.Millisecond
	fail := func(code string) wireproxy.Fault { return wireproxy.Fault{Deed: wireproxy.Fail, Code: code} }
	late := func(d time.Duration) wireproxy.Fault { return wireproxy.Fault{Deed: wireproxy.Delay, Wait: d} }
	cut := func(p wireproxy.Point) wireproxy.Fault { return wireproxy.Fault{Point: p, Wait: 300 * ms} }
	silent := func(p wireproxy.Point) wireproxy.Fault { return wireproxy.Fault{Deed: wireproxy.Silence, Point: p} }
	torn := wireproxy.Fault{Point: wireproxy.After, Torn: true}
	before, during, after := wireproxy.Before, wireproxy.During, wireproxy.After
	return &deck{draw: rand.New(rand.NewPCG(seed, 1)), piles: map[wireproxy.Kind]*pile{ //nolint:gosec // no secret
		wireproxy.Commit: {gap: 12, cards: []wireproxy.Fault{cut(before), cut(during), cut(after), torn, silent(before), silent(after),
			fail("40001"), fail("23505"), late(100 * ms), cut(before), cut(during), cut(after)}},
		wireproxy.Write:      {gap: 60, cards: []wireproxy.Fault{fail("40001"), fail("23505"), cut(before), cut(after), late(50 * ms)}},
		wireproxy.Copy:       {gap: 4, cards: []wireproxy.Fault{fail("40001"), fail("23505"), cut(before)}},
		wireproxy.Read:       {gap: 90, cards: []wireproxy.Fault{fail("40001"), cut(before), cut(after), late(50 * ms), fail("40001"), silent(before)}},
		wireproxy.Begin:      {gap: 40, cards: []wireproxy.Fault{late(200 * ms), cut(before), late(20 * ms)}},
		wireproxy.Session:    {gap: 80, cards: []wireproxy.Fault{cut(before), late(100 * ms)}},
		wireproxy.Settlement: {gap: 2, cards: []wireproxy.Fault{cut(after), fail("40001"), cut(before), silent(after)}},
	}}
}

// plan is for Proxy.Plan.
func (d *deck) plan(s wireproxy.Statement) *wireproxy.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.piles[s.Kind]
	if p == nil {
		return nil
	}
	if p.next == 0 {
		p.next = 1 + d.draw.IntN(2*p.gap)
	}
	if p.next--; p.next > 0 {
		return nil
	}
	if p.dealt%len(p.cards) == 0 {
		d.draw.Shuffle(len(p.cards), func(i, j int) { p.cards[i], p.cards[j] = p.cards[j], p.cards[i] })
	}
	f := p.cards[p.dealt%len(p.cards)]
	p.dealt++
	return &f
}

// blow is what happens to a whole process or to the database.
type blow struct {
	name string
	hit  func(a *arena) error
}

func (a *arena) blows() []blow {
	list := []blow{}
	for i := range a.processes {
		name := string(rune('A' + i))
		list = append(list,
			blow{"process " + name + " killed", func(a *arena) error { return a.processes[i].again() }},
			blow{"every line of " + name + " cut", func(a *arena) error { a.proxies[i].CutAll(); return nil }})
	}
	if a.server == nil {
		return list
	}
	for name, immediate := range map[string]bool{"database stopped fast": false, "database stopped at once": true} {
		list = append(list, blow{name, func(a *arena) error { return a.server.Restart(context.Background(), immediate) }})
	}
	return list
}

// storm strikes until the last seat is sold; after so many rounds of everything the sale may end.
func (a *arena) storm(rounds int) error {
	draw := rand.New(rand.NewPCG(a.seed, 2)) //nolint:gosec // no secret
	for i, p := range a.proxies {
		p.Plan(newDeck(a.seed + uint64(i)).plan) //nolint:gosec // 0 or 1
	}
	blows, calmer := a.blows(), time.Duration(0)
	for round := 0; ; round++ {
		draw.Shuffle(len(blows), func(i, j int) { blows[i], blows[j] = blows[j], blows[i] })
		for _, b := range blows {
			select {
			case <-a.over:
				return nil
			case <-time.After(time.Duration(400+draw.IntN(1200))*time.Millisecond + calmer):
			}
			if err := b.hit(a); err != nil {
				return fmt.Errorf("%s: %w", b.name, err)
			}
			a.report.blow(b.name)
		}
		if round+1 == rounds {
			calmer = 3 * time.Second // so that the sale gets on
			close(a.hurry)
		}
	}
}
