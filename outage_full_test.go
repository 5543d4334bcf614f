package main

import (
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/db"
	"plateia/waitingroom/frontier"
)

var outageFull = flag.Bool("outage.full", false, "the whole outage in real time: the primary away for two minutes, then both")

// The whole outage: so many seconds of each weather, while a new fan orders every fanEvery.
const (
	fanEvery    = 250 * time.Millisecond
	lookEvery   = time.Second // how often a fan's page asks what became of the order
	calm        = 6 * time.Second
	primaryAway = 2 * time.Minute
	bothAway    = 50 * time.Second
	shortHold   = 40 * time.Second // ends within bothAway, if nobody keeps it
)

// rush is fans that keep coming to a sale, each with an order that it pays as soon as it can.
type rush struct {
	*sale
	mu      sync.Mutex
	weather string
	placed  int
	paid    []confirmation
	fans    sync.WaitGroup
}

// confirmation is an order that was confirmed.
type confirmation struct {
	weather  string // when it was placed
	provider string
	at       time.Time
	took     time.Duration // from the order to the tickets
}

// through has fans come for as long as a weather lasts.
func (r *rush) through(weather string, lasts time.Duration) {
	r.mu.Lock()
	r.weather, r.placed = weather, 0
	r.mu.Unlock()
	began := time.Now()
	next := time.NewTicker(fanEvery)
	defer next.Stop()
	for time.Since(began) < lasts {
		b := r.hold()
		r.placed++
		r.fans.Go(func() { r.buy(b, weather) })
		<-next.C
	}
	r.report(weather, began)
}

// buy orders, and pays wherever the order's page leads, until there are tickets.
func (r *rush) buy(b *buyer, weather string) {
	began := time.Now()
	b.place()
	provider, pressed := "", ""
	for o := b.look(); o["status"] != "CONFIRMED"; o = b.look() {
		if time.Since(began) > 2*primaryAway {
			r.t.Errorf("an order placed with %s is never confirmed: %v", weather, o)
			return
		}
		if p, action := pageOf(o); action != "" && action != pressed && b.approve(p, action) == nil {
			provider, pressed = p, action
		}
		time.Sleep(lookEvery)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paid = append(r.paid, confirmation{weather, provider, time.Now(), time.Since(began)})
}

// since is the payments at a provider that were confirmed since then.
func (r *rush) since(then time.Time, provider string) (out []confirmation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.paid {
		if p.provider == provider && p.at.After(then) {
			out = append(out, p)
		}
	}
	return out
}

func (r *rush) report(weather string, began time.Time) {
	r.t.Logf("%-20s %4.0f s  %4d orders placed, confirmed meanwhile: %4d at the primary, %4d at the secondary; longest pause of the secondary %v",
		weather, time.Since(began).Seconds(), r.placed, len(r.since(began, "sandbox")), len(r.since(began, "sandbox2")),
		longestPause(began, r.since(began, "sandbox2"), time.Now()).Round(100*time.Millisecond))
}

func longestPause(from time.Time, paid []confirmation, to time.Time) (longest time.Duration) {
	for _, p := range paid {
		longest, from = max(longest, p.at.Sub(from)), p.at
	}
	return max(longest, to.Sub(from))
}

// The primary is away for two minutes in the middle of a sale, then both are: sales go on at the secondary all along,
// admission stops within two seconds, no hold ends before its time, and everything goes on alone. In real time: make chaos-outage.
func TestSalesSurviveTwoMinutesWithoutTheirPrimary(t *testing.T) {
	if !*outageFull {
		t.Skip("takes four minutes: make chaos-outage")
	}
	r := &rush{sale: openSale(t, func(rules *event.Rules) { rules.HoldSeconds = int(shortHold.Seconds()) })}
	r.through("both alive", calm)

	r.first.dead.Store(true)
	died := time.Now()
	r.through("primary dead", primaryAway)
	if pause := longestPause(died, r.since(died, "sandbox2"), time.Now()); pause > 10*time.Second {
		t.Errorf("with the primary dead nothing was sold at the secondary for %v", pause)
	}
	r.first.dead.Store(false)
	r.through("primary back", calm)
	if len(r.since(time.Now().Add(-calm), "sandbox")) == 0 {
		t.Error("the primary is not used again after its return")
	}

	for range 3 {
		r.enter()
	}
	within(t, 10*time.Second, "the door lets somebody in", func() bool { return r.phase() == frontier.Open })
	idle := []*buyer{r.hold(), r.hold(), r.hold(), r.hold()} // seats that nobody has ordered yet
	r.first.dead.Store(true)
	r.second.dead.Store(true)
	died = time.Now()
	stopped := make(chan time.Duration, 1)
	r.fans.Go(func() { stopped <- r.paused(died) })
	r.through("both dead", bothAway)
	if took := <-stopped; took > 2*time.Second {
		t.Errorf("admission stopped after %v, want two seconds", took)
	}
	for _, b := range idle {
		h, err := r.seller.inventory.Hold(t.Context(), b.hold)
		if err != nil || !h.State.Live() || time.Until(h.ExpiresAt) < shortHold/2 {
			t.Errorf("a hold of the outage is %v until %v, absolutely %v: %v", h.State, h.ExpiresAt, h.HardExpiresAt, err)
		}
	}
	t.Logf("%d holds of %v that nobody ordered live on after %v without providers", len(idle), shortHold, time.Since(died).Round(time.Second))

	r.second.dead.Store(false)
	back := time.Now()
	r.through("secondary back", calm+calm)
	within(t, 30*time.Second, "waiting orders are confirmed, alone", func() bool { return r.since(back, "sandbox2") != nil })
	within(t, 30*time.Second, "the line moves, alone", func() bool { return r.phase() == frontier.Open })
	t.Logf("one back: the first order confirmed %v later", r.since(back, "sandbox2")[0].at.Sub(back).Round(10*time.Millisecond))
	r.first.dead.Store(false) // those who had its page open when it died can pay now
	r.fans.Wait()
	r.summary()
}

// paused waits for the door of the other process to stand still.
func (r *rush) paused(since time.Time) time.Duration {
	for time.Since(since) < 20*time.Second {
		if phase, err := r.phaseNow(); err == nil && phase == frontier.Paused {
			took := time.Since(since)
			r.t.Logf("both dead: admission stopped %v after they died", took.Round(time.Millisecond))
			return took
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(since)
}

// summary prints how long orders took, by the weather they were placed in, and checks the books.
func (r *rush) summary() {
	took := map[string][]time.Duration{}
	for _, p := range r.paid {
		took[p.weather] = append(took[p.weather], p.took)
	}
	for weather, all := range took {
		slices.Sort(all)
		r.t.Logf("%-20s %4d orders, all confirmed: median %v, longest %v after the order", weather, len(all),
			all[len(all)/2].Round(10*time.Millisecond), all[len(all)-1].Round(10*time.Millisecond))
	}
	report, err := r.seller.database.Verify(r.t.Context(), r.event.ID, db.VerifyOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, v := range report.Violations {
		r.t.Error(v)
	}
}
