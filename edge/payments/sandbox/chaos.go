package sandbox

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// Fault is one way in which a provider disappoints.
type Fault string

// The faults. Those about webhooks spare no delivery of the payment; those about
// calls strike the first of its kind.
const (
	Delay         Fault = "delay"          // its webhooks come some pauses late
	Duplicate     Fault = "duplicate"      // every webhook is sent again after it was taken
	Reorder       Fault = "reorder"        // "pending" is told after the end
	Drop          Fault = "drop"           // the first two deliveries are lost on the way, then it is tried again
	Silence       Fault = "silence"        // no webhook at all
	Early         Fault = "early"          // a webhook comes before the create call has returned
	Late          Fault = "late"           // an approved payment ends unpaid, and the money comes after that
	Signature     Fault = "signature"      // the first delivery is signed with somebody else's secret
	Stale         Fault = "stale"          // the first delivery has an old timestamp
	WrongAmount   Fault = "amount"         // another amount is captured than was asked for
	ErrorAfter    Fault = "error"          // 500 after doing it: create, the fan's button, refund
	NoAnswer      Fault = "timeout"        // done, and the caller waits in vain for the answer: create, refund
	RefundFails   Fault = "refund-fails"   // the first refund is accepted and fails later
	RefundReturns Fault = "refund-returns" // the first refund is done and comes back later
)

// Faults lists them all.
func Faults() []Fault {
	return []Fault{
		Delay, Duplicate, Reorder, Drop, Silence, Early, Late, Signature, Stale, WrongAmount, ErrorAfter, NoAnswer, RefundFails, RefundReturns,
	}
}

// Script says what goes wrong. The zero Script is a provider as it should be.
type Script struct {
	Seed      uint64            `json:"seed"`             // the nth payment of a server meets the same under the same seed
	Rate      float64           `json:"rate"`             // of every fault by itself, 0 to 1
	Faults    []Fault           `json:"faults,omitempty"` // that Rate is about; empty: all
	Orders    map[id.ID][]Fault `json:"orders,omitempty"` // what the payments of an order meet, whatever Rate says
	PauseMS   int               `json:"pauseMs"`          // how late webhooks and failures are; money is late by twenty of it. 0: 2000
	LatencyMS int               `json:"latencyMs"`        // that every answer takes longer
}

// maxOrders bounds the orders that a script names.
const maxOrders = 1000

func (s Script) check() error {
	if s.Rate < 0 || s.Rate > 1 || s.PauseMS < 0 || s.PauseMS > 600_000 || s.LatencyMS < 0 || s.LatencyMS > 60_000 || len(s.Orders) > maxOrders {
		return fault.New(fault.Invalid, "rate is 0 to 1, pauseMs at most 600000, latencyMs at most 60000, orders at most %d", maxOrders)
	}
	for _, f := range slices.Concat(append(slices.Collect(maps.Values(s.Orders)), s.Faults)...) {
		if !slices.Contains(Faults(), f) {
			return fault.New(fault.Invalid, "no fault %q; there are %v", f, Faults())
		}
	}
	return nil
}

func (s Script) pause() time.Duration {
	if s.PauseMS == 0 {
		return 2 * time.Second
	}
	return time.Duration(s.PauseMS) * time.Millisecond
}

// chaos is the script of a server and what it has done so far.
type chaos struct {
	mu      sync.Mutex
	script  Script
	done    map[Fault]int
	used    map[string]bool // faults that strike once
	outage  time.Time       // no answers until then
	over    chan struct{}   // closed when the outage ends before its time, or another begins
	stopped bool
}

func newChaos() *chaos {
	return &chaos{done: map[Fault]int{}, used: map[string]bool{}, over: make(chan struct{})}
}

func (c *chaos) current() Script {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.script
}

// change sets a script and forgets what the one before has done.
func (c *chaos) change(s Script) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.script, c.done = s, map[Fault]int{}
}

// inDescription is how a merchant without the admin call asks for faults: "[chaos:late,drop]".
var inDescription = regexp.MustCompile(`\[chaos:([a-z, -]{1,200})\]`)

// choose says what the nth payment of the server meets.
func (c *chaos) choose(n int, order id.ID, description string) []Fault {
	s := c.current()
	out := slices.Clone(s.Orders[order])
	if m := inDescription.FindStringSubmatch(description); m != nil {
		for name := range strings.SplitSeq(m[1], ",") {
			if f := Fault(strings.TrimSpace(name)); slices.Contains(Faults(), f) {
				out = append(out, f)
			}
		}
	}
	if s.Rate == 0 {
		return out
	}
	among := s.Faults
	if len(among) == 0 {
		among = Faults()
	}
	draw := rand.New(rand.NewPCG(s.Seed, uint64(n))) //nolint:gosec // faults are no secret; n is not negative
	for _, f := range Faults() {
		hit := draw.Float64() < s.Rate // drawn for every fault, whichever are asked for
		if hit && slices.Contains(among, f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// did counts a fault that happened.
func (c *chaos) did(f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[f]++
}

// strikes reports whether a fault of an intent happens now: the first time for each kind of call.
func (c *chaos) strikes(i intent, f Fault, call string) bool {
	if !slices.Contains(i.Faults, f) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := fmt.Sprint(i.Reference, f, call)
	if c.used[name] {
		return false
	}
	c.used[name] = true
	c.done[f]++
	return true
}

func (c *chaos) counts() map[Fault]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.done)
}

// takeDown lets the server answer nothing for a while; zero ends that.
func (c *chaos) takeDown(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	c.outage = time.Now().Add(d)
	close(c.over)
	c.over = make(chan struct{})
}

// down reports whether there is an outage, and how to wait for its end.
func (c *chaos) down() (until time.Time, over <-chan struct{}, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outage, c.over, time.Now().Before(c.outage) && !c.stopped
}

// stop lets everybody go who waits.
func (c *chaos) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped {
		c.stopped = true
		close(c.over)
	}
}
