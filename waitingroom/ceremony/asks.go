package ceremony

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plateia/waitingroom/beacon"
)

const (
	askFor    = 15 * time.Second // one question to all servers of the beacon
	askPause  = time.Second      // between two questions for one round
	waitFor   = time.Second      // that get waits for an answer
	maxRounds = 64               // that are remembered
)

// asks fetches rounds of the beacon aside, so that a server that answers slowly holds nobody up.
type asks struct {
	rounds Rounds
	log    *slog.Logger
	cancel context.CancelFunc
	ctx    context.Context // ends with stop

	mu      sync.Mutex
	got     map[uint64]beacon.Round
	asking  map[uint64]chan struct{} // closed when the question has ended
	missed  uint64                   // the round whose absence was told last: once is enough, it is asked for every second
	running sync.WaitGroup
}

func newAsks(rounds Rounds, log *slog.Logger) *asks {
	a := &asks{rounds: rounds, log: log, got: map[uint64]beacon.Round{}, asking: map[uint64]chan struct{}{}}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// get is a round, if it is there within a second; asking goes on.
func (a *asks) get(ctx context.Context, number uint64) *beacon.Round {
	ended := a.ask(number) //nolint:contextcheck // a question outlives whoever asked first
	if ended != nil {
		wait := time.NewTimer(waitFor)
		defer wait.Stop()
		select {
		case <-ended:
		case <-wait.C:
		case <-ctx.Done():
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok := a.got[number]; ok {
		return &r
	}
	return nil
}

// ask begins a question for a round, unless one is on its way or answered (nil).
func (a *asks) ask(number uint64) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.got[number]; ok || a.ctx.Err() != nil {
		return nil
	}
	if ended, asked := a.asking[number]; asked {
		return ended
	}
	ended := make(chan struct{})
	a.asking[number] = ended
	a.running.Go(func() { a.fetch(number, ended) })
	return ended
}

func (a *asks) fetch(number uint64, ended chan struct{}) {
	ctx, cancel := context.WithTimeout(a.ctx, askFor)
	defer cancel()
	r, err := a.rounds.Get(ctx, number)
	a.mu.Lock()
	if err == nil {
		if len(a.got) >= maxRounds {
			clear(a.got)
		}
		a.got[number] = r
	}
	level := slog.LevelDebug
	if err != nil && a.missed != number {
		level, a.missed = slog.LevelWarn, number
	}
	close(ended)
	a.mu.Unlock()
	if err != nil {
		a.log.Log(a.ctx, level, "draw: the beacon's round is not there yet, asking on", "round", number, "error", err)
		select { // the next question waits
		case <-time.After(askPause):
		case <-a.ctx.Done():
		}
	}
	a.mu.Lock()
	delete(a.asking, number)
	a.mu.Unlock()
}

func (a *asks) stop(ctx context.Context) error {
	a.mu.Lock()
	a.cancel()
	a.mu.Unlock()
	done := make(chan struct{})
	go func() { a.running.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
