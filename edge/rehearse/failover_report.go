package rehearse

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// What a drill may take.
const (
	mostFirstSale   = 10 * time.Second // from the loss to a sale in another region
	mostViewersBack = 5 * time.Second  // from the edges' decision to the last viewer
)

// FailoverReport is what a drill found. Times are milliseconds since the region was lost, where nothing else is said.
type FailoverReport struct {
	Lost string `json:"lost"` // the region

	LostOrders int `json:"lostOrders"` // confirmed to a fan, or paid, and not confirmed at the end
	OpenOrders int `json:"openOrders"` // that have not ended 30 s after the last fan has, or whose end nobody said
	LostHolds  int `json:"lostHolds"`  // fans whose seats were gone before their time
	DoubleSold int `json:"doubleSold"` // seats for which two fans hold tickets
	MapsWrong  int `json:"mapsWrong"`  // live maps that do not show what the API says, 30 s after the last sale

	DecidedMs     float64 `json:"decidedMs"`      // the last edge calls the region dead
	Refused       int     `json:"refused"`        // requests refused since the loss; each was asked again
	LastRefusedMs float64 `json:"lastRefusedMs"`  // 0: none
	FirstSaleMs   float64 `json:"firstSaleMs"`    // of a fan whose edge had sold in the region, now in another one
	SalesBefore   int     `json:"salesBefore"`    // in the lost region, until the loss
	SalesElse     int     `json:"salesElsewhere"` // of the same edges, after it
	LongestGapMs  float64 `json:"longestGapMs"`   // between two sales, the loss between them or after it

	Viewers            int     `json:"viewers"`
	ViewersCut         int     `json:"viewersCut"`
	ViewersBack        int     `json:"viewersBack"`
	ViewersBackMs      float64 `json:"viewersBackMs"`         // the last of them shows the map again
	ViewersBackDecided float64 `json:"viewersBackDecidedMs"`  // the same since the edges' decision; 0: before it
	MapsRightMs        float64 `json:"mapsRightAfterSalesMs"` // from the last sale until every map shows all of them

	Rehearsal Report `json:"rehearsal"`
}

// OK reports whether nothing was lost or sold twice, sales went on in time and every viewer came back in time.
func (r FailoverReport) OK() bool {
	ms := func(d time.Duration) float64 { return float64(d.Milliseconds()) }
	return r.LostOrders+r.OpenOrders+r.LostHolds+r.DoubleSold+r.MapsWrong == 0 && r.Rehearsal.Broken+r.Rehearsal.GaveUp == 0 &&
		r.SalesElse > 0 && r.FirstSaleMs <= ms(mostFirstSale) &&
		r.ViewersCut == r.ViewersBack && r.ViewersBackDecided <= ms(mostViewersBack)
}

func (d *failover) report(ctx context.Context) (FailoverReport, error) {
	r := FailoverReport{Lost: d.o.Lose}
	r.LostOrders, r.OpenOrders = d.orders(ctx)
	r.MapsRightMs, r.MapsWrong = d.mapsRight(ctx)
	r.Rehearsal = d.tally.report()
	if now, err := d.crowds[0].stock.now(ctx); err == nil {
		r.Rehearsal.SeatsSold, r.Rehearsal.SeatsLeft, r.Rehearsal.SeatsBlocked = now.sold, now.free+now.held, now.blocked
	}
	r.DoubleSold, r.LostHolds = r.Rehearsal.DoubleSold, r.Rehearsal.ErrorsByCode["HOLD_GONE"]
	d.mu.Lock()
	defer d.mu.Unlock()
	decided := d.killed
	for _, at := range d.decided {
		if at.After(decided) {
			decided = at
		}
	}
	r.DecidedMs = since(d.killed, decided)
	d.sales(&r)
	d.refusals(&r)
	d.viewers(&r, decided)
	return r, nil
}

func since(from, to time.Time) float64 { return float64(to.Sub(from).Microseconds()) / 1000 }

func (d *failover) sales(r *FailoverReport) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	previous, moved := time.Time{}, map[string]bool{} // edges that sold in the region
	for _, s := range d.tally.sales {
		if s.at.After(d.killed) && !previous.IsZero() {
			r.LongestGapMs = max(r.LongestGapMs, since(previous, s.at))
		}
		previous = s.at
		switch {
		case s.at.Before(d.killed):
			if s.region == d.o.Lose {
				r.SalesBefore++
				moved[s.edge] = true
			}
		case s.region != d.o.Lose && moved[s.edge]:
			if r.SalesElse++; r.SalesElse == 1 {
				r.FirstSaleMs = since(d.killed, s.at)
			}
		}
	}
}

func (d *failover) refusals(r *FailoverReport) {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	for _, f := range d.tally.refusals {
		if f.at.After(d.killed) {
			r.Refused++
			r.LastRefusedMs = since(d.killed, f.at)
		}
	}
}

// viewers looks what became of the screens that were cut when the region went away.
func (d *failover) viewers(r *FailoverReport, decided time.Time) {
	r.Viewers = len(d.screens)
	for _, s := range d.screens {
		s.mu.Lock()
		var cutAt, backAt time.Time
		for _, m := range s.saw {
			switch {
			case m.at.Before(d.killed):
			case m.what == cut && cutAt.IsZero():
				cutAt = m.at
			case m.what == shown && !cutAt.IsZero() && backAt.IsZero():
				backAt = m.at
			}
		}
		s.mu.Unlock()
		if cutAt.IsZero() {
			continue
		}
		if r.ViewersCut++; backAt.IsZero() {
			continue
		}
		r.ViewersBack++
		r.ViewersBackMs = max(r.ViewersBackMs, since(d.killed, backAt))
		r.ViewersBackDecided = max(r.ViewersBackDecided, since(decided, backAt))
	}
}

// orders asks about every order until it has ended, for 30 s: what a fan was told stays true, and what was paid is decided.
func (d *failover) orders(ctx context.Context) (lost, undecided int) {
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	left := d.tally.orders()
	for len(left) > 0 {
		left = slices.DeleteFunc(left, func(p placed) bool {
			status, err := d.crowds[0].orderIs(ctx, p)
			if err != nil {
				return false // nobody said anything about it
			}
			ended, kept := p.ends(status)
			if ended && !kept {
				lost++
			}
			return ended
		})
		if len(left) > 0 && !sleep(ctx, 500*time.Millisecond) {
			break
		}
	}
	return lost, len(left)
}

// ends reports whether an order with this status has ended, and as its fan was told.
func (p placed) ends(status string) (ended, kept bool) {
	switch {
	case status == "CONFIRMED":
		return true, true
	case p.status == "CONFIRMED":
		return true, false
	case status == "CANCELLED", status == "EXPIRED":
		return true, p.status == status
	}
	return false, false
}

// mapsRight waits until every screen shows what the API says.
func (d *failover) mapsRight(ctx context.Context) (took float64, wrong int) {
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	began := time.Now()
	for {
		now, err := d.crowds[0].stock.now(ctx)
		d.mu.Lock()
		screens := d.screens
		d.mu.Unlock()
		wrong = 0
		for _, s := range screens {
			if err != nil || !s.Shows(now.bits) {
				wrong++
			}
		}
		if wrong == 0 || !sleep(ctx, 100*time.Millisecond) {
			return since(began, time.Now()), wrong
		}
	}
}

// Print writes the report for people.
func (r FailoverReport) Print(w io.Writer) {
	row := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %-66s "+format+"\n", append([]any{what}, args...)...)
	}
	fmt.Fprintf(w, "region %s lost in the middle of a sale\n", r.Lost)
	row("orders lost", "%d", r.LostOrders)
	row("orders that have not ended", "%d", r.OpenOrders)
	row("holds lost", "%d", r.LostHolds)
	row("seats sold twice", "%d", r.DoubleSold)
	row("maps that stay wrong", "%d of %d", r.MapsWrong, r.Viewers)
	row("the edges call the region dead after", "%.0f ms", r.DecidedMs)
	row("requests refused since the loss (each asked again)", "%d", r.Refused)
	row("the last of them after", "%.0f ms", r.LastRefusedMs)
	row("sales in the region before, elsewhere after", "%d, %d", r.SalesBefore, r.SalesElse)
	row("first sale elsewhere after (at most 10,000)", "%.0f ms", r.FirstSaleMs)
	row("longest pause between two sales", "%.0f ms", r.LongestGapMs)
	row("viewers cut, back", "%d, %d", r.ViewersCut, r.ViewersBack)
	row("the last viewer is back after", "%.0f ms", r.ViewersBackMs)
	row("since the edges' decision (at most 5,000)", "%.0f ms", r.ViewersBackDecided)
	row("all maps right after the last order", "%.0f ms", r.MapsRightMs)
	f := r.Rehearsal
	row("fans who came, bought, were refused, gave up, met something broken", "%d, %d, %d, %d, %d", f.Fans, f.Bought, f.Refused, f.GaveUp, f.Broken)
	row("hold p50, p99; order p50, p99", "%.0f, %.0f; %.0f, %.0f ms", f.HoldP50Ms, f.HoldP99Ms, f.OrderP50Ms, f.OrderP99Ms)
	if f.FirstBroken != "" {
		row("first broken", "%s", f.FirstBroken)
	}
}
