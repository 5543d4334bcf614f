package fanoutbench

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"time"

	"plateia/core/id"
)

// Options of a run.
type Options struct {
	Viewers  int           // connections
	Events   int           // they look at, in equal shares
	Rate     int           // changed seats per second, all events together
	Duration time.Duration // of the changes at Rate
	Gateways int           // processes that share the viewers
	Overview float64       // share of the viewers who look from afar (summaries), 0 to 1

	Centrifugo string // URL of a Centrifugo 6 to compare with; empty: none
	Rounds     int    // single changes; 0: 15
	Hasty      bool   // viewers keep their priority: figures of a busy machine are worth nothing, but it comes to an end
	Profile    string // file for a CPU profile of the first gateway; empty: none

	// Process is this program again, with one of the Roles as its task.
	Process func(ctx context.Context, role string) *exec.Cmd
	Dir     string // for the stream's files
	Logger  *slog.Logger
}

// The roles of processes that a run starts.
const (
	RoleGateway = "fanout-gateway" // ServeGateway
	RoleViewers = "fanout-viewers" // ServeViewers
)

// What a chart of the bench looks like: a stadium.
const (
	chartSeats    = 60_000
	chartSections = 100
)

// PerProcess is how many connections a process of viewers or a gateway holds: under the usual limit of 20,000 open files.
const PerProcess = 19_000

// roundSeats change together in a single change, as a busy batch would.
const roundSeats = 25

var errTooMany = errors.New("fanoutbench: more than 19,000 viewers for each gateway: a process may open 20,000 files")

func (o Options) withDefaults() (Options, error) {
	o.Events, o.Gateways = max(o.Events, 1), max(o.Gateways, 1)
	o.Rounds = cmp.Or(o.Rounds, 15)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if (o.Viewers+o.Gateways-1)/o.Gateways > PerProcess {
		return o, errTooMany
	}
	return o, nil
}

func (o Options) newEvents() []id.ID {
	events := make([]id.ID, o.Events)
	for i := range events {
		events[i] = id.New()
	}
	return events
}
