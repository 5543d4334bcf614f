package holdbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// Several engines are several processes, as they would be: this program run again,
// each with its share of the callers, all on the same events.

// task is what a worker process is told on its standard input. It answers
// "ready" when its engine runs, waits for one more line and answers with its account.
type task struct {
	URL      string            `json:"url"`
	Events   []id.ID           `json:"events"`
	Pairs    int               `json:"pairs"` // of each event
	Share    int               `json:"share"` // of Of
	Of       int               `json:"of"`
	Clients  int               `json:"clients"`
	Duration time.Duration     `json:"duration"`
	Wanted   []seatmap.Ordinal `json:"wanted,omitempty"` // a race: what each buyer in turn wants
}

// workerAccount is what a worker has got.
type workerAccount struct {
	Latency *hdrhistogram.Snapshot `json:"latency"`
	Losers  *hdrhistogram.Snapshot `json:"losers"`
	Errors  int64                  `json:"errors"`
	Fault   string                 `json:"fault,omitempty"`
	Elapsed time.Duration          `json:"elapsed"`
	CPU     time.Duration          `json:"cpu"`
	Retries int64                  `json:"retries"`
}

// Work is a worker process: its task comes from in, its account goes to out.
func Work(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var t task
	if err := orders.Decode(&t); err != nil {
		return fmt.Errorf("holdbench: the task: %w", err)
	}
	d, err := db.Open(ctx, t.URL, db.Options{MaxConns: 8, Application: "plateia-bench", Logger: log})
	if err != nil {
		return err
	}
	defer d.Close()
	s := &supply{catalog: db.NewCatalog(d), events: t.Events, pairs: shuffledPairs(t.Pairs, t.Share, t.Of)}
	e, err := newEngine(ctx, d, s, Options{Logger: log})
	if err != nil {
		return err
	}
	defer func() { _ = e.close(context.WithoutCancel(ctx)) }()
	if t.Wanted == nil {
		err = warm(ctx, e, s)
	} else if err = e.hold(ctx, t.Events[0], coldSeats); fault.CodeOf(err) == fault.SeatTaken {
		err = nil // another worker has them
	}
	if err != nil {
		return err
	}
	var start string
	if err := errors.Join(answers.Encode("ready"), orders.Decode(&start)); err != nil {
		return fmt.Errorf("holdbench: waiting for the start: %w", err)
	}
	var got tally
	if t.Wanted != nil {
		got = runRace(ctx, e, t.Events[0], t.Clients, t.Wanted)
	} else {
		got = drive(ctx, e, s, round{mode: Engine, clients: t.Clients}, t.Duration, 0)
	}
	return answers.Encode(workerAccount{
		Latency: got.latency.Export(), Losers: got.losers.Export(), Errors: got.errors, Fault: got.fault,
		Elapsed: got.elapsed, CPU: got.cpu, Retries: e.retries(),
	})
}

func spreadOverProcesses(ctx context.Context, d *db.DB, s *supply, r round, opts Options) (Result, error) {
	result, err := overProcesses(ctx, opts, r, func(int) task {
		return task{URL: d.URL(), Events: s.events, Pairs: len(s.pairs), Duration: opts.Duration}
	})
	if err != nil {
		return Result{}, err
	}
	result.DoubleSold, err = over(ctx, d, s.events)
	return result, err
}

// raceOverProcesses lets each process bring its share of the buyers to the same seats at the same time.
func raceOverProcesses(ctx context.Context, d *db.DB, s *supply, r round, opts Options, seats []seatmap.Ordinal) (Result, error) {
	each := opts.HotBuyers / r.engines
	return overProcesses(ctx, opts, r, func(share int) task {
		buyers := each
		if share == 0 {
			buyers += opts.HotBuyers % r.engines
		}
		return task{URL: d.URL(), Events: s.events[:1], Wanted: contestants(seats, buyers, r.clients/r.engines)}
	})
}

// overProcesses hires a worker for each engine, starts them together and adds up their accounts.
func overProcesses(ctx context.Context, opts Options, r round, describe func(share int) task) (Result, error) {
	if opts.Worker == nil {
		return Result{}, errors.New("holdbench: no way to start another process was given")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the processes that still run
	var workers []*worker
	for share := range r.engines {
		t := describe(share)
		t.Share, t.Of, t.Clients = share, r.engines, max(1, r.clients/r.engines)
		w, err := hire(ctx, opts, t)
		if err != nil {
			return Result{}, err
		}
		defer w.dismiss(cancel)
		workers = append(workers, w)
	}
	var retries int64
	var err error
	result := opts.watch(r, func() (sum tally) {
		sum, retries, err = work(workers)
		return sum
	})
	result.Retries = retries
	return result, err
}

func work(workers []*worker) (sum tally, retries int64, err error) {
	sum = newTally()
	for _, w := range workers {
		if err := w.orders.Encode("start"); err != nil {
			return sum, 0, fmt.Errorf("holdbench: start a worker: %w", err)
		}
	}
	accounts, faults := make([]workerAccount, len(workers)), make([]error, len(workers))
	var all sync.WaitGroup
	for i, w := range workers {
		all.Go(func() { faults[i] = w.answers.Decode(&accounts[i]) })
	}
	all.Wait()
	if err := errors.Join(faults...); err != nil {
		return sum, 0, fmt.Errorf("holdbench: a worker's account: %w", err)
	}
	for _, a := range accounts {
		sum.merge(tally{
			latency: hdrhistogram.Import(a.Latency), losers: hdrhistogram.Import(a.Losers),
			errors: a.Errors, fault: a.Fault, elapsed: a.Elapsed, cpu: a.CPU,
		})
		retries += a.Retries
	}
	return sum, retries, nil
}

// worker is a process that has said that it is ready.
type worker struct {
	orders  *json.Encoder
	answers *json.Decoder
	wait    func() error
}

func hire(ctx context.Context, opts Options, t task) (*worker, error) {
	cmd := opts.Worker(ctx)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("holdbench: start a worker: %w", err)
	}
	w := &worker{orders: json.NewEncoder(in), answers: json.NewDecoder(out), wait: cmd.Wait}
	var ready string
	if err := errors.Join(w.orders.Encode(t), w.answers.Decode(&ready)); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("holdbench: a worker did not get ready: %w", err)
	}
	return w, nil
}

// dismiss waits for a worker to end by itself, for a while.
func (w *worker) dismiss(kill func()) {
	timer := time.AfterFunc(15*time.Second, kill)
	defer timer.Stop()
	_ = w.wait()
}
