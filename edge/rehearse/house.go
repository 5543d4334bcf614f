package rehearse

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// house is what every fan sees before choosing: fetched once, as a CDN would serve it.
type house struct {
	labels []string // seat ids by ordinal; "" for those that not everybody may name: places of an area, accessible seats
	groups []group
	max    int // seats per account
	onSale time.Time
}

// group is an accessible seat and the companion seats beside it, which are sold together.
type group struct {
	first int // ordinal
	seats []string
}

type chartJSON struct {
	Sections []struct {
		Label  string `json:"label"`
		Places int    `json:"places"` // of an area without numbered seats
		Rows   []struct {
			Label string `json:"label"`
			Seats []struct {
				Number     string `json:"number"`
				Accessible bool   `json:"accessible"`
				Companion  bool   `json:"companion"`
			} `json:"seats"`
		} `json:"rows"`
	} `json:"sections"`
}

func (c *client) loadHouse(ctx context.Context, event string) (*house, error) {
	var detail struct {
		Chart struct {
			URL string `json:"url"`
		} `json:"chart"`
		OnSaleAt time.Time `json:"onSaleAt"`
		Rules    struct {
			MaxPerAccount int `json:"maxPerAccount"`
		} `json:"rules"`
	}
	if err := c.look(ctx, call{method: http.MethodGet, path: "/v1/events/" + url.PathEscape(event)}, &detail); err != nil {
		return nil, err
	}
	var chart chartJSON
	if err := c.look(ctx, call{method: http.MethodGet, path: detail.Chart.URL, accept: "application/json"}, &chart); err != nil {
		return nil, err
	}
	h := &house{max: detail.Rules.MaxPerAccount, onSale: detail.OnSaleAt}
	h.labels, h.groups = chart.seats()
	if len(h.labels) == 0 || h.max < 1 {
		return nil, errors.New("the chart has no seats, or nobody may have any")
	}
	return h, nil
}

// lookPatience is how long a program may take that has just started: the first to ask waits for a chart of 60,000 seats.
const lookPatience = time.Minute

// look is a read before anybody has come. Asked to come back it does; nothing else is tried again, so that a wrong address is told at once.
func (c *client) look(ctx context.Context, req call, out any) error {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	for {
		err := c.once(ctx, req, out)
		var p *problem
		if !errors.As(err, &p) || p.Status != http.StatusServiceUnavailable || p.RetryAfter == 0 {
			return err
		}
		if !pause(ctx, time.Duration(p.RetryAfter*float64(time.Second))) {
			return p
		}
	}
}

// seats lists the labels by ordinal (sections, rows and seats in their order) and the accessible groups.
func (c chartJSON) seats() (labels []string, groups []group) {
	for _, section := range c.Sections {
		labels = append(labels, make([]string, section.Places)...)
		for _, row := range section.Rows {
			beside := false // the seat before is in the last group
			for _, seat := range row.Seats {
				label := section.Label + "-" + row.Label + "-" + seat.Number
				switch beside = seat.Accessible || seat.Companion && beside; {
				case seat.Accessible:
					groups = append(groups, group{len(labels), []string{label}})
				case beside:
					last := &groups[len(groups)-1]
					last.seats = append(last.seats, label)
				}
				if seat.Accessible || seat.Companion {
					label = ""
				}
				labels = append(labels, label)
			}
		}
	}
	return labels, groups
}

// stock is the seats of the event as an edge shows them: at most a second old, asked for once for all fans.
type stock struct {
	api   *client
	event string
	seats int // of the chart

	mu sync.Mutex
	at time.Time
	is seatsNow
}

// seatsNow is what was answered.
type seatsNow struct {
	bits                      []byte // two a seat
	free, held, sold, blocked int
}

const stockLife = time.Second // max-age of the availability

func (s *stock) now(ctx context.Context) (seatsNow, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) < stockLife {
		return s.is, nil
	}
	var answer struct {
		Bitmap []byte `json:"seatsBitmap"` // base64
	}
	err := s.api.do(ctx, call{method: http.MethodGet, path: "/v1/events/" + url.PathEscape(s.event) + "/availability"}, &answer)
	if err != nil {
		return seatsNow{}, err
	}
	s.is, s.at = count(answer.Bitmap, s.seats), time.Now()
	return s.is, nil
}

func count(bits []byte, seats int) seatsNow {
	now := seatsNow{bits: bits}
	for o := range min(seats, 4*len(bits)) {
		switch now.status(o) {
		case 0:
			now.free++
		case 1:
			now.held++
		case 2:
			now.sold++
		case 3:
			now.blocked++
		}
	}
	return now
}

// status of a seat: 0 free, 1 held, 2 sold, 3 blocked; a seat that was not told of is blocked.
func (n seatsNow) status(o int) byte {
	if o/4 >= len(n.bits) {
		return 3
	}
	return n.bits[o/4] >> (2 * (o % 4)) & 3
}
