// Package linebench measures what a fan in line costs: entering (a mint), being asked at the gate, and asking how far the line is (a poll).
//
// Figures are per second of one core's time: operations over the CPU time of whoever serves them, user and
// system. They hardly move with what else the machine does, and the load generator is not in them.
//
//   - A mint is the token work of one fan who enters: an account session that this process has not seen (Ed25519), the proof of the
//     device's key (P-256, once), the pseudonym, the entry's leaf in the log's tree, the signed ticket. The disk of the entry log is not in it.
//   - A gate is a ticket that this process has not seen: signature, lot, the document's lanes and an hour of its history.
//   - A poll is a GET of the signed document over HTTP/1.1 on a kept connection, at an edge process of its own, packed, as a browser takes it.
package linebench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"
)

// Edge is what is polled.
type Edge struct {
	Addr string               // host:port
	CPU  func() time.Duration // time that its process has used so far
	Stop func() error
}

// Options of a run. The zero value of each means the default named beside it.
type Options struct {
	Mints    int           // fans who enter; 20,000
	Gates    int           // tickets at the gate; 20,000
	Polling  time.Duration // how long; 5 s
	Clients  int           // connections that poll; 64
	Progress func(string)
	// OpenEdge starts an edge in front of the origin at a URL.
	OpenEdge func(ctx context.Context, origin string) (Edge, error)
}

// Bounds of a run.
const (
	MaxFans    = 1_000_000
	MaxClients = 4000
)

func (o Options) withDefaults() Options {
	if o.Mints == 0 {
		o.Mints = 20_000
	}
	if o.Gates == 0 {
		o.Gates = 20_000
	}
	if o.Polling == 0 {
		o.Polling = 5 * time.Second
	}
	if o.Clients == 0 {
		o.Clients = 64
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

// Check refuses what cannot be measured.
func (o Options) Check() error {
	switch o = o.withDefaults(); {
	case o.Mints < 1 || o.Mints > MaxFans || o.Gates < 1 || o.Gates > MaxFans:
		return fmt.Errorf("from one fan to %d", MaxFans)
	case o.Clients < 1 || o.Clients > MaxClients:
		return fmt.Errorf("from one client to %d", MaxClients)
	case o.Polling < 100*time.Millisecond || o.Polling > time.Minute:
		return errors.New("from a tenth of a second to a minute")
	}
	return nil
}

// Report of a run. Rates are per second of one core's time, unless they say otherwise.
type Report struct {
	MintsPerCoreSecond      float64 `json:"mintsPerCoreSecond"`
	GatesPerCoreSecond      float64 `json:"gatesPerCoreSecond"`
	GatesKnownPerCoreSecond float64 `json:"gatesKnownPerCoreSecond"` // tickets whose signature this process has verified before
	PollsPerCoreSecond      float64 `json:"pollsPerCoreSecond"`
	OriginRequestsPerSecond float64 `json:"originRequestsPerSecond"` // for the document, per second of the clock
	PollsPerSecond          float64 `json:"pollsPerSecond"`          // per second of the clock, load generator on the same machine
	PollP50Ms               float64 `json:"pollP50Ms"`
	PollP99Ms               float64 `json:"pollP99Ms"`
	PollErrors              int64   `json:"pollErrors"`    // answers other than 200, lost connections, and versions that went back
	DocumentBytes           int     `json:"documentBytes"` // as sent, packed
	Mints                   int     `json:"mints"`
	Gates                   int     `json:"gates"`
	Polls                   int64   `json:"polls"`
	Clients                 int     `json:"clients"`
	Seconds                 float64 `json:"seconds"` // of polling
}

// OK is false when an answer was wrong: its speed is nothing then.
func (r Report) OK() bool { return r.PollErrors == 0 }

// Run measures one after the other.
func Run(ctx context.Context, o Options) (Report, error) {
	if err := o.Check(); err != nil {
		return Report{}, fmt.Errorf("linebench: %w", err)
	}
	o = o.withDefaults()
	line, err := newLine()
	if err != nil {
		return Report{}, err
	}
	r := Report{Mints: o.Mints, Gates: o.Gates, Clients: o.Clients}
	o.Progress(fmt.Sprintf("%d fans enter", o.Mints))
	if r.MintsPerCoreSecond, err = line.mints(ctx, o.Mints); err != nil {
		return r, err
	}
	o.Progress(fmt.Sprintf("%d tickets come to the gate", o.Gates))
	if r.GatesPerCoreSecond, r.GatesKnownPerCoreSecond, err = line.gates(ctx, o.Gates); err != nil {
		return r, err
	}
	o.Progress(fmt.Sprintf("%d connections ask for %v how far the line is", o.Clients, o.Polling))
	return r, line.polls(ctx, o, &r)
}

// Print writes one line a figure: the figure, its name, what it is.
func (r Report) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range []struct {
		value     float64
		name, how string
	}{
		{r.MintsPerCoreSecond, "mints", "session and proof verified, leaf hashed, ticket signed; without the entry log's disk"},
		{r.GatesPerCoreSecond, "gates", "an unknown ticket: signature, lot, lanes, history"},
		{r.GatesKnownPerCoreSecond, "gates, known", "the same ticket again"},
		{r.PollsPerCoreSecond, "polls", fmt.Sprintf("over HTTP at the edge, %d bytes each", r.DocumentBytes)},
	} {
		fmt.Fprintf(table, "%.0f\t  %s a core and second\t  %s\n", line.value, line.name, line.how)
	}
	fmt.Fprintf(table, "%.2f\t  requests a second at the origin\t  for %d polls in %.1f s by %d connections\n", r.OriginRequestsPerSecond, r.Polls, r.Seconds, r.Clients)
	fmt.Fprintf(table, "%.0f\t  polls a second of the clock\t  p50 %.1f ms, p99 %.1f ms, %d errors\n", r.PollsPerSecond, r.PollP50Ms, r.PollP99Ms, r.PollErrors)
	return table.Flush()
}

// rate is n over a time, to a tenth.
func rate(n int64, d time.Duration) float64 {
	return math.Round(10*float64(n)/max(d.Seconds(), 1e-9)) / 10
}
