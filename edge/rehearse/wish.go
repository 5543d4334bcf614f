package rehearse

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

type hold struct {
	HoldID string `json:"holdId"`
	Seats  []struct {
		SeatID string `json:"seatId"`
	} `json:"seats"`
}

const (
	holdTries = 12
	mapTries  = 4 // of them on the map; then the page is asked to choose
)

// hold asks for seats until some are held. Hot fans want the same few seats
// (deliberate collisions), others a place on the map or the best available.
func (f *fan) hold(ctx context.Context) (hold, error) {
	var last error
	wish := f.firstWish()
	for try := range holdTries {
		body, err := f.body(ctx, wish)
		if err != nil {
			return hold{}, err
		}
		var got hold
		began := time.Now()
		last = f.api.do(ctx, call{method: http.MethodPost, path: "/v1/events/" + url.PathEscape(f.opts.Event) + "/holds",
			bearer: f.access, key: f.newKey("hold", try), body: body}, &got)
		f.tally.hold(time.Since(began))
		switch codeOf(last) {
		case "":
			return got, nil
		case "SEAT_TAKEN", "SEAT_BLOCKED", "ORPHAN", "ORPHAN_SEAT":
			if try+1 >= mapTries {
				wish = wish.chosenForMe()
			}
		case "NO_SEATS":
			next, more := wish.humbler()
			if !f.opts.SellOut || !more {
				return hold{}, last
			}
			wish = next
		case "RATE_LIMITED":
			if !pause(ctx, 5*time.Second) {
				return hold{}, last
			}
		default:
			return hold{}, last
		}
	}
	return hold{}, last
}

// wish is what a fan would like.
type wish struct {
	way  way
	many int
}

type way int

const (
	onMap      way = iota // any place
	hot                   // the place everybody wants
	best                  // the page chooses
	accessible            // a seat kept for people with wheelchairs, with its companions
)

func (f *fan) firstWish() wish {
	switch {
	case f.hot:
		return wish{hot, f.want}
	case f.rand.IntN(2) == 0:
		return wish{onMap, f.want}
	}
	return wish{best, f.want}
}

func (w wish) chosenForMe() wish {
	if w.way == accessible {
		return w
	}
	return wish{best, w.many}
}

// humbler is what is left to want when there is nothing like the wish: fewer seats, then
// those kept for people with wheelchairs and their companions, who come in pairs.
func (w wish) humbler() (wish, bool) {
	switch {
	case w.many > 1:
		return wish{w.way, w.many / 2}, true
	case w.way != accessible:
		return wish{accessible, 2}, true
	}
	return w, false
}

// body is the wish as a request, with seats as they are free now.
func (f *fan) body(ctx context.Context, w wish) (map[string]any, error) {
	bestAvailable := map[string]any{"quantity": w.many}
	if w.way == best {
		return map[string]any{"bestAvailable": bestAvailable}, nil
	}
	now, err := f.stock.now(ctx)
	if err != nil {
		return nil, err
	}
	if w.way == accessible {
		if seats := chooseGroup(f.rand, f.house.groups, now, f.house.max); w.many > 1 && seats != nil {
			return map[string]any{"seatIds": seats, "accessible": true}, nil
		}
		bestAvailable["accessible"] = true
		return map[string]any{"bestAvailable": bestAvailable}, nil
	}
	seats := choose(f.rand, f.house.labels, now, w.many, w.way == hot)
	if seats == nil {
		return map[string]any{"bestAvailable": bestAvailable}, nil
	}
	return map[string]any{"seatIds": seats}, nil
}

// choose takes a run of quantity free seats: near the front of the free ones when
// hot, anywhere otherwise. nil when there is none.
func choose(r *rand.Rand, labels []string, now seatsNow, quantity int, hot bool) []string {
	start, skip := 0, 0
	if hot {
		skip = r.IntN(8) // of the hot runs
	} else {
		start = r.IntN(len(labels))
	}
	for n := range labels {
		first := (start + n) % len(labels)
		if first+quantity > len(labels) || !run(labels, now, first, quantity) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		return labels[first : first+quantity]
	}
	return nil
}

// chooseGroup takes an accessible seat with all of its companions, so that none is left that nobody may have alone.
func chooseGroup(r *rand.Rand, groups []group, now seatsNow, most int) []string {
	free := func(g group) bool {
		for o := range g.seats {
			if now.status(g.first+o) != 0 {
				return false
			}
		}
		return len(g.seats) <= most
	}
	if len(groups) == 0 {
		return nil
	}
	start := r.IntN(len(groups))
	for n := range groups {
		if g := groups[(start+n)%len(groups)]; free(g) {
			return g.seats
		}
	}
	return nil
}

func run(labels []string, now seatsNow, first, quantity int) bool {
	for o := first; o < first+quantity; o++ {
		if labels[o] == "" || now.status(o) != 0 {
			return false
		}
	}
	return true
}
