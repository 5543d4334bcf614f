package holdbench

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"plateia/db/dbtest"
)

// asWorker makes the test binary behave as one of several engines.
const asWorker = "PLATEIA_TEST_AS_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		if err := Work(context.Background(), os.Stdin, os.Stdout, slog.Default()); err != nil {
			slog.Error("worker", "error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func again(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), asWorker+"=1")
	return cmd
}

// run is a short run: the figures mean nothing here, the counts do.
func run(t *testing.T, opts Options) Result {
	t.Helper()
	opts.Duration, opts.AtMost, opts.Worker = cmp.Or(opts.Duration, 300*time.Millisecond), cmp.Or(opts.AtMost, 1000), again
	if opts.URL == "" {
		opts.URL = dbtest.URL(t)
	}
	report, err := Run(t.Context(), opts, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Print(t.Output()); err != nil {
		t.Fatal(err)
	}
	last := report.Results[len(report.Results)-1]
	if last.Errors > 0 { // a starved machine gives up on batches, which is right and no reason to fail
		t.Logf("%d errors", last.Errors)
	} else if err := report.Wrong(); err != nil {
		t.Fatal(err)
	}
	if last.DoubleSold > 0 {
		t.Fatalf("%+v", last)
	}
	return last
}

func TestSpread(t *testing.T) {
	url := dbtest.URL(t)
	for _, opts := range []Options{{Mode: Engine}, {Mode: Naive}, {Mode: Engine, Engines: 2}} {
		opts.Clients, opts.URL = 8, url
		opts.Duration, opts.AtMost = time.Minute, 400 // it is over when the seats are gone, however slow the machine is
		if r := run(t, opts); r.Holds > 400 || r.P50Ms <= 0 || r.Mode != opts.Mode || r.Clients != 8 {
			t.Errorf("%+v", r)
		}
	}
}

func TestHotSeatsAreSoldOnce(t *testing.T) {
	url := dbtest.URL(t)
	for engines := 1; engines <= 2; engines++ {
		r := run(t, Options{Mode: Engine, Contention: Hot, Clients: 60, Engines: engines, HotSeats: 10, HotBuyers: 30, URL: url})
		if r.Holds+r.Race.Refused+r.Errors != 10*30 || int64(r.Race.SeatsSold) < r.Holds || r.Race.SeatsSold > 10 {
			t.Errorf("%d engines: %+v, %+v", engines, r, r.Race)
		}
	}
}

func TestRedis(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not installed")
	}
	r := run(t, Options{Mode: Engine, Clients: 8, Redis: RedisAuto})
	if r.Mode != RedisRules || r.Connections != 8 || r.Persistence != `appendonly "yes", appendfsync "always", save ""` {
		t.Errorf("%+v", r)
	}
}

// The scripts refuse what is taken, and the one with rules repeats, replaces and limits.
func TestRedisScripts(t *testing.T) {
	addr, stop, err := openRedis(t.Context(), RedisAuto)
	if err != nil {
		t.Skip(err)
	}
	defer stop()
	client := redisClient(addr, 1)
	defer client.Close()
	do := func(rules bool, hold, account, key, asked string, limit int, seats ...string) int {
		t.Helper()
		keys, script := slices.Concat(seats, []string{"hold:" + hold}), redisPlain
		args := []any{hold, account, 420}
		if rules {
			script = redisWithRules
			keys, args = append(keys, "buyer:"+account, "key:"+account+key), append(args, limit, asked)
		}
		n, err := script.Run(t.Context(), client, keys, args...).Int()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, step := range []struct{ got, want int }{
		{do(false, "h1", "ann", "", "", 0, "s1", "s2"), 1},
		{do(false, "h2", "bob", "", "", 0, "s2", "s3"), 0},
		{do(true, "h3", "bob", "k", "s2 s3", 6, "s2", "s3"), 0},
		{do(true, "h4", "bob", "k", "s3 s4", 6, "s3", "s4"), 1},
		{do(true, "h5", "bob", "k", "s3 s4", 6, "s3", "s4"), 1},  // repeated
		{do(true, "h6", "bob", "k", "s5 s6", 6, "s5", "s6"), -2}, // another question under the same key
		{do(true, "h7", "bob", "l", "s4 s5", 6, "s4", "s5"), 1},  // replaces
		{do(true, "h8", "eve", "m", "s3 s9", 6, "s3", "s9"), 1},  // so that this one is free again
		{do(true, "h9", "eve", "n", "s7 s8", 1, "s7", "s8"), -1},
	} {
		if step.got != step.want {
			t.Errorf("step %d: %d, want %d", i, step.got, step.want)
		}
	}
}

// One measurement's members are at the top of the report as well.
func TestReportOfOne(t *testing.T) {
	r := Report{Results: []Result{{Mode: Engine, Contention: Spread, HoldsPerSecond: 5}}}
	r.finish()
	var got map[string]any
	out, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil || got["mode"] != Engine || got["holdsPerSecond"] != 5.0 || len(got["results"].([]any)) != 1 {
		t.Errorf("%s %v", out, err)
	}
	two := Report{Results: []Result{{Mode: Naive, Contention: Spread, HoldsPerSecond: 2}, r.Results[0]}}
	two.finish()
	if two.Ratio != 2.5 || two.Result != nil || two.HTTPNaive != 0 {
		t.Errorf("%+v", two)
	}
}

// A whole run measures the engine with all callers, at what is asked of it, and with fewer and fewer.
func TestRoundsOfAWholeRun(t *testing.T) {
	var clients []int
	asks := 0
	compared, after := rounds(Options{}.withDefaults())
	if len(compared) != 4 || len(after) != 4 {
		t.Errorf("%d rounds in turns, %d behind them", len(compared), len(after))
	}
	for _, r := range slices.Concat(compared, after) {
		if r.mode == Engine {
			clients = append(clients, r.clients)
		}
		if r.timesNaive == asked && r.mode == Engine && r.clients == 1000 {
			asks++
		}
	}
	if want := []int{1000, 1000, 400, 200, 100}; !slices.Equal(clients, want) || asks != 1 {
		t.Errorf("engine with %v callers, %d times at 8 × naive", clients, asks)
	}
	var r Report
	for _, rate := range []float64{5, 7, 6} {
		r.add(Result{Mode: Naive, Contention: Spread, HoldsPerSecond: rate})
	}
	if r.best(Naive) != 7 || r.best(Engine) != 0 {
		t.Errorf("best of each: %v, %v", r.best(Naive), r.best(Engine))
	}
}
