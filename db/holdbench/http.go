package holdbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// overHTTP asks the product's API, each hold by a fan of its own: a fresh
// access token, a fresh Idempotency-Key, one POST on a connection kept alive.
type overHTTP struct {
	site   Site
	labels []string // of the seats, by ordinal
	crowd  *crowd
	lines  chan *line // one for each client
	paths  map[id.ID]string
}

func newOverHTTP(ctx context.Context, d *db.DB, s *supply, r round, opts Options) (*overHTTP, error) {
	if opts.Site == nil {
		return nil, errors.New("holdbench: nothing to measure over HTTP was given")
	}
	site, err := opts.Site(ctx, d.URL())
	if err != nil {
		return nil, err
	}
	o := &overHTTP{site: site, lines: make(chan *line, r.clients), paths: map[id.ID]string{}}
	if err := o.open(ctx, d, s, r); err != nil {
		return nil, errors.Join(err, o.close(ctx))
	}
	return o, nil
}

func (o *overHTTP) open(ctx context.Context, d *db.DB, s *supply, r round) (err error) {
	first, err := s.catalog.Event(ctx, s.events[0])
	if err != nil {
		return err
	}
	chart, err := s.catalog.Chart(ctx, first.ChartID, first.ChartVersion)
	if err != nil {
		return err
	}
	for seat := range chart.Seats() {
		o.labels = append(o.labels, chart.Label(seatmap.Ordinal(seat)))
	}
	for _, e := range s.events {
		o.paths[e] = "/v1/events/" + e.String() + "/holds"
	}
	if o.crowd, err = admit(ctx, d, o.site.Mint, s.events, s.fans); err != nil {
		return err
	}
	for range r.clients {
		l, err := dial(ctx, o.site.Addr)
		if err != nil {
			return err
		}
		o.lines <- l
	}
	return nil
}

func (o *overHTTP) hold(ctx context.Context, event id.ID, seats [2]seatmap.Ordinal) error {
	return o.press(ctx, event, seats[:])
}

func (o *overHTTP) press(ctx context.Context, event id.ID, seats []seatmap.Ordinal) error {
	l := <-o.lines
	defer func() { o.lines <- l }()
	token, ok := o.crowd.next(event)
	if !ok {
		return errors.New("holdbench: nobody is left outside")
	}
	status, body, err := l.post(o.paths[event], token, id.New().String(), o.body(seats))
	if err != nil || l.closes {
		err = errors.Join(err, l.redial(ctx))
	}
	switch {
	case err != nil:
		return err
	case status == 201:
		return o.check(body, seats)
	case status == 409 && bytes.Contains(body, []byte(`"`+string(fault.SeatTaken)+`"`)):
		return fault.New(fault.SeatTaken, "taken")
	}
	return fmt.Errorf("holdbench: the API answered %d: %s", status, body)
}

// check reads of an answer what a fan does: that the hold is theirs, and of the seats asked for.
func (o *overHTTP) check(body []byte, seats []seatmap.Ordinal) error {
	good := bytes.HasPrefix(body, []byte(`{"holdId":"`)) && bytes.HasSuffix(body, []byte(`}`)) && bytes.Contains(body, []byte(`"state":"ACTIVE"`))
	var room [64]byte
	for _, s := range seats {
		label := append(append(append(room[:0], `"seatId":"`...), o.labels[s]...), '"')
		good = good && bytes.Contains(body, label)
	}
	if !good {
		return fmt.Errorf("holdbench: the API answered with something else: %s", body)
	}
	return nil
}

// body is the request's JSON. Labels of the bench's chart need no escapes.
func (o *overHTTP) body(seats []seatmap.Ordinal) []byte {
	out := append(make([]byte, 0, 64), `{"seatIds":[`...)
	for i, s := range seats {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), o.labels[s]...), '"')
	}
	return append(out, `]}`...)
}

func (o *overHTTP) prepare(ctx context.Context, event id.ID) error { return o.site.Prepare(ctx, event) }

func (o *overHTTP) retries() int64 { return 0 }

func (o *overHTTP) close(ctx context.Context) error {
	for len(o.lines) > 0 {
		(<-o.lines).close()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return o.site.Stop(ctx)
}
