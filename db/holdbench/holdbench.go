// Package holdbench measures holds per second on a private database that it
// starts and removes: the engine against one transaction per hold, the same over
// HTTP through the product's own API, and the same in Redis. All with two
// seats, all durable (fsync on), all checked for double sales at the end.
//
// All sell the same kind of seats. The naive way and Redis have no limits, no
// replacement and no idempotency (but see RedisRules); the engine and HTTP have them all on.
package holdbench

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"os/exec"
	"runtime"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/scratch"
)

// Modes of a measurement. A run asks for one of the first three, or for all of them.
const (
	Engine     = "engine"
	Naive      = "naive"
	HTTP       = "http"
	Redis      = "redis"
	RedisRules = "redis-rules" // with limit, one live hold and idempotency in the script
)

// Contentions of a run: everybody wants other seats, or many want the same few.
const (
	Spread = "spread"
	Hot    = "hot"
)

// Options of Run.
type Options struct {
	Mode       string        // Engine, Naive, HTTP, or "": naive at 8, 16 and 32 clients, engine at 1,000 and fewer and at 8 × naive, HTTP
	Contention string        // Spread ("") or Hot, which is for Engine and HTTP
	Clients    int           // callers at the same time; 0: 1,000 for the engine, 16 for naive, 500 over HTTP
	Engines    int           // processes with an engine each; 0: one, this process
	Duration   time.Duration // of each measurement; 0: 5 s
	URL        string        // a database to use instead of a private PostgreSQL; its schema is migrated
	Redis      string        // "host:port" or the path of a socket to compare with; RedisAuto starts a private server; "": not
	AtMost     int           // holds of one measurement, which ends when they are made; 0: more than can be
	HotSeats   int           // 0: 500
	HotBuyers  int           // for each hot seat; 0: 200
	Logger     *slog.Logger  // nil: discard

	Site   func(ctx context.Context, databaseURL string) (Site, error) // starts what HTTP measures
	Worker func(ctx context.Context) *exec.Cmd                         // a process that calls Work, for Engines

	Settings map[string]string // of the private server, on top of the product's

	Measuring func(begins bool) // told when a measurement begins and has ended, for profiles; nil: nobody

	meter meter
}

// Site is the product's API on the bench's database, and its authority's pen.
type Site struct {
	Addr    string // host:port of the API's listener
	Mint    func(account.Access) (token string, err error)
	Prepare func(ctx context.Context, event id.ID) error // what the product does before a sale begins
	Stop    func(context.Context) error
}

func (o Options) withDefaults() Options {
	o.Contention = cmp.Or(o.Contention, Spread)
	o.Duration = cmp.Or(o.Duration, 5*time.Second)
	o.Engines = max(o.Engines, 1)
	if o.Measuring == nil {
		o.Measuring = func(bool) {}
	}
	o.AtMost = cmp.Or(o.AtMost, math.MaxInt)
	o.HotSeats, o.HotBuyers = cmp.Or(o.HotSeats, 500), cmp.Or(o.HotBuyers, 200)
	return o
}

// Run measures. What it is doing is told to say (nil: nobody) line by line.
func Run(ctx context.Context, opts Options, say func(string)) (Report, error) {
	if say == nil {
		say = func(string) {}
	}
	opts = opts.withDefaults()
	redisAddr := ""
	if opts.Redis != "" {
		addr, stop, err := openRedis(ctx, opts.Redis)
		if err != nil {
			return Report{}, err
		}
		defer stop()
		redisAddr = addr
	}
	house, err := scratch.Open(ctx, scratch.Options{
		URL: opts.URL, Settings: opts.Settings, DB: db.Options{MaxConns: 64, Application: "plateia-bench", Logger: opts.Logger},
	})
	if err != nil {
		return Report{}, err
	}
	defer house.Close()
	opts.meter.server = house.PID
	var report Report
	compared, after := rounds(opts)
	if len(compared) > 0 {
		say(fmt.Sprintf("%d measurements in turns", len(compared)))
		if err := alternate(ctx, house.DB, compared, opts, &report); err != nil {
			return report, err
		}
		for _, result := range report.Results {
			say(fmt.Sprintf("%s, %d clients\n%s", result.Mode, result.Clients, result.summary()))
		}
	}
	for _, r := range after {
		if r.half {
			r.offered = report.best(HTTP) / 2
		}
		if r.timesNaive > 0 {
			r.offered = r.timesNaive * report.best(Naive)
		}
		say(r.announce())
		if err := one(ctx, house.DB, r, opts, &report); err != nil {
			return report, err
		}
		say(report.Results[len(report.Results)-1].summary())
	}
	if redisAddr != "" {
		if err := redisRounds(ctx, redisAddr, opts, &report, say); err != nil {
			return report, err
		}
	}
	report.finish()
	return report, nil
}

// one measures a round by itself: in slices as well, where an engine is met by nothing but an on-sale. (So few holds as a
// test allows are not cut.)
func one(ctx context.Context, d *db.DB, r round, opts Options, report *Report) error {
	runtime.GC() // the fans and seats of the rounds before, up to a gigabyte, are not collected at this one's cost
	if r.mode == Engine && r.contention == Spread && r.engines == 1 && opts.AtMost == math.MaxInt {
		if err := alternate(ctx, d, []round{r}, opts, report); err != nil {
			return err
		}
		report.Results[len(report.Results)-1].Slices = nil // they were compared with nobody's
		return nil
	}
	result, err := measure(ctx, d, r, opts)
	report.add(result)
	return err
}

// round is one measurement to make.
type round struct {
	mode       string
	contention string
	clients    int
	engines    int
	half       bool    // offer half of what the round before has reached
	timesNaive float64 // offer so many times what the naive way has reached in this run; 0: not
	offered    float64 // holds per second asked for at instants of their own; 0: as fast as answered
}

func (r round) announce() string {
	line := fmt.Sprintf("%s, %s, %d clients", r.mode, r.contention, r.clients)
	if r.engines > 1 {
		line += fmt.Sprintf(", %d engines", r.engines)
	}
	if r.offered > 0 {
		line += fmt.Sprintf(", %.0f/s offered", r.offered)
	}
	return line
}

var defaultClients = map[string]int{Engine: 1000, Naive: 16, HTTP: 500}

// rounds are those that are compared, in turns, and those made one after the other behind them.
func rounds(opts Options) (compared, after []round) {
	one := func(mode string, clients int) round {
		return round{mode: mode, contention: opts.Contention, clients: cmp.Or(opts.Clients, clients), engines: opts.Engines}
	}
	over := []round{one(HTTP, defaultClients[HTTP]), one(HTTP, defaultClients[HTTP])}
	over[1].half = true
	switch {
	case opts.Mode == HTTP && opts.Contention == Spread:
		return nil, over
	case opts.Mode != "":
		return nil, []round{one(opts.Mode, defaultClients[opts.Mode])}
	}
	compared = []round{one(Naive, 8), one(Naive, 16), one(Naive, 32), one(Engine, defaultClients[Engine])}
	for i := range 3 {
		compared[i].clients = 8 << i
	}
	after = engineRounds(compared[3])
	if opts.Site != nil {
		over[0].clients, over[1].clients = defaultClients[HTTP], defaultClients[HTTP]
		compared, after = append(compared, over[0]), append(after, over[1])
	}
	return compared, after
}

// asked is how many times the naive way's best the engine should reach (and keep its latency at).
const asked = 8

// engineRounds measure the engine with all callers at the rate that is asked of it, and with fewer.
func engineRounds(all round) []round {
	at := all
	at.timesNaive = asked
	out := []round{at}
	for _, share := range []float64{0.4, 0.2, 0.1} {
		fewer := all
		fewer.clients = max(1, int(share*float64(all.clients)))
		out = append(out, fewer)
	}
	return out
}
