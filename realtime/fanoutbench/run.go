package fanoutbench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"plateia/realtime/natsd"
	"plateia/realtime/stream"
)

// settled is how long everything rests after connecting before memory is read.
const settled = 3 * time.Second

// quiet is the pause before a single change: longer than the widest tick.
func (o Options) quiet() time.Duration {
	if o.Overview > 0 {
		return 2200 * time.Millisecond // summaries come every one to two seconds
	}
	return 700 * time.Millisecond
}

// roundLimit bounds the wait for the last viewer of a single change.
const roundLimit = 30 * time.Second

// Run measures; progress is told line by line.
func Run(ctx context.Context, o Options, progress func(string)) (Report, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends every process that still runs
	server, err := natsd.Start(ctx, natsd.Options{Dir: filepath.Join(o.Dir, "nats"), Listen: "127.0.0.1:0"})
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = server.Stop(context.WithoutCancel(ctx)) }()
	s, err := stream.Connect(ctx, stream.Options{InProcess: server, Logger: o.Logger})
	if err != nil {
		return Report{}, err
	}
	defer s.Close()
	r := &run{o: o, progress: progress}
	defer r.close()
	ours := &contender{run: r, name: plateia, sale: newSale(o.newEvents()), publish: s.Publish}
	r.contenders = append(r.contenders, ours)
	database, stop, err := ours.sale.serve(ctx)
	if err != nil {
		return Report{}, err
	}
	defer stop()
	if err := ours.startGateways(ctx, server.URL(), database); err != nil {
		return Report{}, err
	}
	if o.Centrifugo != "" {
		theirs, err := r.centrifugo(ctx)
		if err != nil {
			return Report{}, err
		}
		r.contenders = append(r.contenders, theirs)
	}
	return r.measure(ctx)
}

type run struct {
	o          Options
	progress   func(string)
	contenders []*contender
}

func (r *run) say(format string, args ...any) { r.progress(fmt.Sprintf(format, args...)) }

func (r *run) close() {
	for _, c := range r.contenders {
		c.close()
	}
}

// measure gives each contender the machine for itself: what another one's idle viewers
// cost would be in its figures.
func (r *run) measure(ctx context.Context) (Report, error) {
	for i, c := range r.contenders {
		if i > 0 {
			if err := pause(ctx, settled); err != nil { // the others' connections are taken down
				return Report{}, err
			}
		}
		for _, part := range []func(context.Context) error{c.connect, c.singles, c.flow} {
			if err := part(ctx); err != nil {
				return Report{}, err
			}
		}
		c.leave()
	}
	return r.report(), nil
}

// singles makes single changes, each after a quiet moment.
func (c *contender) singles(ctx context.Context) error {
	if err := c.beginPart("profile"); err != nil {
		return err
	}
	for range c.run.o.Rounds {
		if err := pause(ctx, c.run.o.quiet()); err != nil {
			return err
		}
		came, read, err := c.round(ctx)
		if err != nil {
			return err
		}
		c.rounds = append(c.rounds, float64(came.Microseconds())/1000)
		c.read = append(c.read, float64(read.Microseconds())/1000)
	}
	var err error
	if c.single, err = c.endPart(); err != nil {
		return err
	}
	slices.Sort(c.rounds)
	slices.Sort(c.read)
	server, crowd := c.single.micros()
	c.run.say("%s: %d single changes to the last of %d viewers: median %.0f ms, %.0f to %.0f, read after %.0f, CPU of a frame %.1f µs and its viewer's %.1f",
		c.name, len(c.rounds), c.run.o.Viewers, median(c.rounds), c.rounds[0], c.rounds[len(c.rounds)-1], median(c.read), server, crowd)
	if c.single.tally.Unstamped > 0 {
		c.run.say("%s: this kernel did not say when %d of %d frames came: they count when they were read", c.name, c.single.tally.Unstamped, c.single.tally.Frames)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func median(sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
