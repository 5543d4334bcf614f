package rehearse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Screen is a live map that stays open whatever happens.
type Screen interface {
	// Run shows the map until ctx ends.
	Run(ctx context.Context)
	// Shows reports whether the map is right, given the seats' statuses, two bits a seat.
	Shows(seats []byte) bool
}

// FailoverOptions of a drill: fans buy through edges in front of several regions, and one region goes away.
type FailoverOptions struct {
	URLs      []string      // public addresses of the edges; fans are spread over them
	Statuses  []string      // where the same edges say what they know of the regions
	Event     string        // event id
	Lose      string        // the region that goes away
	Kill      func() error  // makes it go away; nil: somebody else does, and the edges notice
	Fans      int           // 200
	Arrival   time.Duration // they arrive evenly over this time; 20 s
	After     time.Duration // when the region goes away; a third of Arrival
	Viewers   int           // live maps open at the same time; 60
	DevSecret string
	Progress  io.Writer
	Prover    Prover
	Line      func(keys []byte) (LineReader, error) // as in Options
	// Screen opens a live map at an edge; told hears when it begins to show something and when it is cut.
	Screen func(base, accessToken string, told func(shown bool)) Screen
}

func (o FailoverOptions) withDefaults() FailoverOptions {
	o.Fans = cmp.Or(o.Fans, 200)
	o.Arrival = cmp.Or(o.Arrival, 20*time.Second)
	o.After = cmp.Or(o.After, o.Arrival/3)
	o.Viewers = cmp.Or(o.Viewers, 60)
	return o
}

// The patience of a drill.
const (
	noticePatience = 2 * time.Minute // until edges have noticed; also how long a region may take to be lost by somebody else
	settlePatience = 30 * time.Second
)

// failover is a drill under way.
type failover struct {
	o      FailoverOptions
	tally  *tally
	crowds []*crowd

	watching sync.WaitGroup
	mu       sync.Mutex
	screens  []*screen
	killed   time.Time
	decided  map[string]time.Time // by edge and role
}

// screen is one live map and what became of it.
type screen struct {
	Screen
	mu  sync.Mutex
	saw []moment // "shown", "cut"
}

const shown, cut = "shown", "cut"

// Failover plays a drill to its end and reports it. The error is about the drill itself.
func Failover(ctx context.Context, o FailoverOptions) (FailoverReport, error) {
	o = o.withDefaults()
	if len(o.URLs) == 0 || len(o.Statuses) != len(o.URLs) || o.Lose == "" || o.Fans < len(o.URLs) || o.After >= o.Arrival {
		return FailoverReport{}, errors.New("a drill needs edges, where each tells its health, a region to lose, fans, and a moment while they arrive")
	}
	d := &failover{o: o, tally: newTally(), decided: map[string]time.Time{}}
	if err := d.gather(ctx); err != nil {
		return FailoverReport{}, err
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer func() { stopWatching(); d.watching.Wait() }()
	for _, c := range d.crowds {
		c.opts.Viewer = d.viewer(watching, c.api.base)
	}
	stop := d.crowds[0].progress(ctx, o.Progress)
	defer stop()
	lost := make(chan error, 1)
	go func() { lost <- d.lose(ctx) }()
	var playing sync.WaitGroup
	for _, c := range d.crowds {
		playing.Go(func() { c.play(ctx) })
	}
	playing.Wait()
	if err := <-lost; err != nil {
		return FailoverReport{}, err
	}
	return d.report(ctx)
}

// gather makes a crowd for each edge.
func (d *failover) gather(ctx context.Context) error {
	for i, base := range d.o.URLs {
		opts := Options{
			URL: strings.TrimSuffix(base, "/"), Event: d.o.Event, Fans: d.o.Fans / len(d.o.URLs), Arrival: d.o.Arrival, Viewers: d.o.Viewers,
			DevSecret: d.o.DevSecret, Prover: d.o.Prover, Line: d.o.Line, keepOrders: true, Patience: 2 * time.Minute,
		}
		if i == 0 {
			opts.Fans += d.o.Fans % len(d.o.URLs)
		}
		opts = opts.withDefaults()
		if err := opts.validate(); err != nil {
			return err
		}
		api := newClient(opts, d.tally)
		house, err := api.loadHouse(ctx, opts.Event)
		if err != nil {
			return fmt.Errorf("looking at the event at %s: %w", base, err)
		}
		crowd, err := newCrowd(ctx, opts, api, house, d.tally)
		if err != nil {
			return err
		}
		d.crowds = append(d.crowds, crowd)
	}
	return nil
}

// viewer opens screens that outlive the fans they belong to.
func (d *failover) viewer(ctx context.Context, base string) Viewer {
	return func(_ context.Context, token string, _ func(time.Time)) error {
		s := &screen{}
		s.Screen = d.o.Screen(base, token, s.told)
		d.mu.Lock()
		d.screens = append(d.screens, s)
		d.mu.Unlock()
		d.watching.Go(func() { s.Run(ctx) })
		return nil
	}
}

func (s *screen) told(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := cut
	if is {
		what = shown
	}
	s.saw = append(s.saw, moment{time.Now(), what})
}

// lose has the region go away when its time has come, and waits until every edge has noticed.
func (d *failover) lose(ctx context.Context) error {
	if !sleep(ctx, d.o.After) {
		return ctx.Err()
	}
	for deadline := time.Now().Add(noticePatience); !d.sells() && time.Now().Before(deadline); { // however slow the machine is
		if !sleep(ctx, 20*time.Millisecond) {
			return ctx.Err()
		}
	}
	if d.o.Kill != nil {
		d.mu.Lock()
		d.killed = time.Now()
		d.mu.Unlock()
		if err := d.o.Kill(); err != nil {
			return fmt.Errorf("losing %s: %w", d.o.Lose, err)
		}
	}
	for deadline := time.Now().Add(noticePatience); time.Now().Before(deadline); {
		if d.noticed(ctx) {
			return nil
		}
		if !sleep(ctx, 50*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("the edges do not notice that %s is away", d.o.Lose)
}

// sells reports whether the region has sold something: only then its loss is one in the middle of a sale.
func (d *failover) sells() bool {
	d.tally.mu.Lock()
	defer d.tally.mu.Unlock()
	return slices.ContainsFunc(d.tally.sales, func(s sale) bool { return s.region == d.o.Lose })
}

// edgeHealth is what an edge tells of a region, see its /upstreams.
type edgeHealth struct {
	Role        string    `json:"role"`
	Region      string    `json:"region"`
	State       string    `json:"state"`
	Since       time.Time `json:"since"`
	DecidedInMs float64   `json:"decidedInMs"`
}

// noticed asks the edges, and reports whether all of them call all of the region dead.
func (d *failover) noticed(ctx context.Context) bool {
	all := true
	for i, address := range d.o.Statuses {
		health, err := askHealth(ctx, address)
		found := 0
		for _, h := range health {
			if h.Region != d.o.Lose {
				continue
			}
			if found++; h.State != "dead" {
				all = false
				continue
			}
			d.mu.Lock()
			d.decided[fmt.Sprint(i, h.Role)] = h.Since
			if first := h.Since.Add(-time.Duration(h.DecidedInMs * float64(time.Millisecond))); d.killed.IsZero() {
				d.killed = first
			}
			d.mu.Unlock()
		}
		all = all && err == nil && found > 0
	}
	return all
}

func askHealth(ctx context.Context, address string) (all []edgeHealth, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return all, json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&all)
}

// orderIs asks what became of an order.
func (c *crowd) orderIs(ctx context.Context, p placed) (string, error) {
	var o orderAnswer
	err := c.api.do(ctx, call{method: http.MethodGet, path: "/v1/orders/" + url.PathEscape(p.order), bearer: p.session}, &o)
	return o.Status, err
}
