package fanoutbench

import (
	"context"
	"fmt"
	"time"

	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// contender is a service with its viewers: ours or Centrifugo.
type contender struct {
	run     *run
	name    string
	sale    *sale
	publish func(ctx context.Context, d inventory.Delta, payload []byte) error
	atMost  time.Duration // at the rate; 0: as long as the run says
	gather  time.Duration // changes of this long become one message; 0: a message each
	meter   func(ctx context.Context) (usage, error)

	gateways []*process
	targets  []string
	crowds   []*process

	connected usage     // what being looked at by idle viewers takes
	rounds    []float64 // ms until the last viewer's frame had come
	read      []float64 // until it was read
	single    part
	stream    part
	lost      int
	why       string

	began  usage
	beganT time.Time
}

// part is what one part of the run took.
type part struct {
	usage   usage
	tally   tally
	elapsed time.Duration
}

// micros is the processor time of the gateways for each delivered frame, and that of the viewers.
func (p part) micros() (gateways, viewers float64) {
	frames := float64(p.tally.Frames)
	return ratio(float64(p.usage.CPU.Microseconds()), frames), ratio(float64(p.tally.CPU.Microseconds()), frames)
}

func (c *contender) startGateways(ctx context.Context, natsURL, database string) error {
	for i := range c.run.o.Gateways {
		task := gatewayTask{NATS: natsURL, Truth: database}
		if i == 0 {
			task.Profile = c.run.o.Profile
		}
		p, err := c.run.o.startProcess(ctx, RoleGateway, task)
		if err != nil {
			return err
		}
		c.gateways = append(c.gateways, p)
		var target string
		if err := p.hear(&target); err != nil {
			return err
		}
		c.targets = append(c.targets, target)
	}
	c.meter = func(context.Context) (usage, error) { return c.ask("usage") }
	return nil
}

// ask adds up the gateways' answers.
func (c *contender) ask(what string) (sum usage, err error) {
	for _, p := range c.gateways {
		var u usage
		if err := p.ask(what, &u); err != nil {
			return sum, err
		}
		sum = sum.add(u)
	}
	return sum, nil
}

// connect brings all viewers and notes the memory they take once it is quiet.
func (c *contender) connect(ctx context.Context) error {
	before, err := c.meter(ctx)
	if err != nil {
		return err
	}
	start, o := time.Now(), c.run.o
	for first := 0; first < o.Viewers; first += PerProcess {
		p, err := o.startProcess(ctx, RoleViewers, viewerTask{
			Service: c.name, Targets: c.targets, Events: c.sale.events,
			First: first, Count: min(PerProcess, o.Viewers-first), Overview: o.Overview, Hasty: o.Hasty,
		})
		if err != nil {
			return err
		}
		c.crowds = append(c.crowds, p)
	}
	if err := c.order("connect", nil); err != nil {
		return err
	}
	took := time.Since(start)
	if c.lost > 0 {
		return fmt.Errorf("fanoutbench: %d of %d viewers of %s were not served: %s", c.lost, o.Viewers, c.name, c.why)
	}
	if err := pause(ctx, settled); err != nil {
		return err
	}
	after, err := c.meter(ctx)
	c.connected = usage{RSS: after.RSS - before.RSS, CPU: after.CPU - before.CPU}
	c.run.say("%s: %d viewers connected in %.1f s, %d bytes resident each", c.name, o.Viewers, took.Seconds(), c.connected.RSS/int64(o.Viewers))
	return err
}

// order gives all viewers an order and hears their answers.
func (c *contender) order(do string, each func(answer)) error {
	for _, p := range c.crowds {
		if err := p.tell(order{Do: do}); err != nil {
			return err
		}
	}
	return c.answers(each)
}

func (c *contender) answers(each func(answer)) error {
	c.lost = 0
	for _, p := range c.crowds {
		var a answer
		if err := p.hear(&a); err != nil {
			return err
		}
		if c.lost += a.Lost; a.Why != "" {
			c.why = a.Why
		}
		if each != nil {
			each(a)
		}
	}
	return nil
}

// round makes one change of every event and waits until the last viewer has it: it came, it was read.
func (c *contender) round(ctx context.Context) (came, read time.Duration, err error) {
	if err := c.order("round", nil); err != nil {
		return 0, 0, err
	}
	late := time.AfterFunc(roundLimit, func() { c.close() })
	defer late.Stop()
	start := time.Now()
	for _, d := range c.sale.single(start) {
		if err := c.publish(ctx, d, wire.EncodeStream(d)); err != nil {
			return 0, 0, err
		}
	}
	last, lastRead := int64(0), int64(0)
	err = c.answers(func(a answer) { last, lastRead = max(last, a.Last), max(lastRead, a.LastRead) })
	if err != nil {
		return 0, 0, fmt.Errorf("fanoutbench: %s: waiting for the last viewer: %w", c.name, err)
	}
	if last == 0 {
		return 0, 0, fmt.Errorf("fanoutbench: %s: no viewer is left: %s", c.name, c.why)
	}
	return time.Duration(last - start.UnixNano()), time.Duration(lastRead - start.UnixNano()), nil
}

// flow sends changes at the rate.
func (c *contender) flow(ctx context.Context) error {
	if c.run.o.Duration == 0 || c.run.o.Rate == 0 {
		return nil
	}
	if err := pause(ctx, c.run.o.quiet()); err != nil {
		return err
	}
	if err := c.beginPart("usage"); err != nil {
		return err
	}
	if err := c.sale.flow(ctx, c); err != nil {
		return err
	}
	elapsed := time.Since(c.beganT)
	if err := pause(ctx, 1500*time.Millisecond); err != nil { // the last frames arrive
		return err
	}
	var err error
	c.stream, err = c.endPart()
	c.stream.elapsed = elapsed
	h := c.stream.tally.Latency
	server, crowd := c.stream.micros()
	c.run.say("%s: %d seats/s for %.0f s: p50 %.0f ms, p99 %.0f ms, %.0f frames/s, CPU of a frame %.1f µs and its viewer's %.1f, %d viewers lost", c.name,
		c.run.o.Rate, elapsed.Seconds(), h.quantile(.5), h.quantile(.99), float64(c.stream.tally.Frames)/elapsed.Seconds(), server, crowd, c.lost)
	return err
}

func (c *contender) beginPart(what string) (err error) {
	if err = c.order("begin", nil); err != nil {
		return err
	}
	c.beganT = time.Now()
	if len(c.gateways) > 0 {
		c.began, err = c.ask(what)
		return err
	}
	c.began, err = c.meter(context.Background())
	return err
}

func (c *contender) endPart() (p part, err error) {
	u, err := c.meter(context.Background())
	if err != nil {
		return p, err
	}
	p.usage = usage{RSS: u.RSS, CPU: u.CPU - c.began.CPU, Frames: u.Frames - c.began.Frames, Slow: u.Slow}
	err = c.order("report", func(a answer) {
		if a.Tally != nil {
			p.tally.add(a.Tally)
		}
	})
	p.elapsed = time.Since(c.beganT)
	return p, err
}

// leave takes the viewers away.
func (c *contender) leave() {
	for _, p := range c.crowds {
		p.stop()
	}
	c.crowds = nil
}

func (c *contender) close() {
	c.leave()
	for _, p := range c.gateways {
		p.stop()
	}
	c.gateways = nil
}
