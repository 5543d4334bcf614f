package router

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"plateia/core/fault"
	"plateia/core/money"
	"plateia/core/payment"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bank is a provider whose behaviour is a switch: what the guard sees of a real one.
type bank struct {
	name  string
	takes atomic.Int64 // of each answer
	mood  atomic.Pointer[func(ctx context.Context) error]
	asked atomic.Int64
}

func (b *bank) behave(mood func(ctx context.Context) error) { b.mood.Store(&mood) }

func (b *bank) do(ctx context.Context) error {
	b.asked.Add(1)
	timer := time.NewTimer(time.Duration(b.takes.Load()))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.ProviderDown, "no answer")
	}
	if mood := b.mood.Load(); mood != nil {
		return (*mood)(ctx)
	}
	return nil
}

func dead(context.Context) error    { return fault.New(fault.ProviderDown, "connection refused") }
func alive(context.Context) error   { return nil }
func refuses(context.Context) error { return fault.New(fault.NotFound, "no such payment") }

func (b *bank) Name() string             { return b.name }
func (b *bank) MinWindow() time.Duration { return time.Second }
func (b *bank) CreateIntent(ctx context.Context, _ payment.IntentRequest) (payment.Intent, error) {
	return payment.Intent{Reference: "r"}, b.do(ctx)
}
func (b *bank) Fetch(ctx context.Context, _ string) (payment.Intent, error) {
	return payment.Intent{}, b.do(ctx)
}
func (b *bank) Cancel(ctx context.Context, _ string) (payment.Intent, error) {
	return payment.Intent{}, b.do(ctx)
}
func (b *bank) Refund(ctx context.Context, _ string, _ money.Amount, _ string) (payment.RefundStatus, error) {
	return payment.RefundDone, b.do(ctx)
}
func (b *bank) VerifyWebhook(http.Header, []byte) ([]payment.Event, error) { return nil, nil }

// during runs a test in fake time with a started router over two banks.
func during(t *testing.T, opts Options, test func(t *testing.T, r *Router, first, second *bank)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		first, second := &bank{name: "first"}, &bank{name: "second"}
		r, err := New([]payment.Provider{first, second}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, r, first, second)
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func create(g *Guard) error {
	_, err := g.CreateIntent(context.Background(), payment.IntentRequest{})
	return err
}

// One failed call is enough to find out that a provider is dead, and its return is
// found without a fan's payment.
func TestADeadProviderIsFoundAndFoundAgain(t *testing.T) {
	during(t, Options{}, func(t *testing.T, r *Router, first, second *bank) {
		var moves []bool
		r.OnChange(func(provider string, healthy bool) {
			if provider == "first" {
				moves = append(moves, healthy)
			}
		})
		g := r.Guards()[0]
		first.behave(dead)
		if code := fault.CodeOf(create(g)); code != fault.ProviderDown {
			t.Fatalf("the dead provider's call ends with %q", code)
		}
		time.Sleep(1500 * time.Millisecond)
		if g.Healthy() || g.State() != Open {
			t.Fatalf("after 1.5 s the breaker is %v", g.State())
		}
		if !r.Guards()[1].Healthy() || second.asked.Load() == 0 {
			t.Error("the second provider was not asked for a sign of life while the first is in trouble")
		}
		before := first.asked.Load()
		if code := fault.CodeOf(create(g)); code != fault.ProviderDown || first.asked.Load() != before {
			t.Errorf("an open breaker lets calls through (%q)", code)
		}
		time.Sleep(2 * time.Minute)
		if calls := first.asked.Load() - before; g.Healthy() || calls > 2*60 {
			t.Errorf("%d calls in two dead minutes, healthy %v", calls, g.Healthy())
		}
		first.behave(refuses) // the answer of whoever is alive to an unknown reference
		time.Sleep(3500 * time.Millisecond)
		if !g.Healthy() {
			t.Errorf("3.5 s after its return the provider counts as %v", g.State())
		}
		if len(moves) != 2 || moves[0] || !moves[1] {
			t.Errorf("told of %v, want one fall and one return", moves)
		}
	})
}

// Refusals are answers: declined cards and unknown references never open a breaker.
func TestRefusalsAreHealth(t *testing.T) {
	during(t, Options{}, func(t *testing.T, r *Router, first, _ *bank) {
		first.behave(refuses)
		for range 100 {
			if code := fault.CodeOf(create(r.Guards()[0])); code != fault.NotFound {
				t.Fatalf("a refusal arrives as %q", code)
			}
		}
		if !r.Guards()[0].Healthy() {
			t.Error("refusals opened the breaker")
		}
		if s := r.Guards()[0].Stats(); s.Calls[opCreate].Refused != 100 || s.Calls[opCreate].Unknown != 0 {
			t.Errorf("counted %+v", s.Calls[opCreate])
		}
	})
}

// A tenth of faults is noise; a provider of 2 s is slow, not dead.
func TestNoiseAndSlownessDoNotOpen(t *testing.T) {
	during(t, Options{}, func(t *testing.T, r *Router, first, _ *bank) {
		first.takes.Store(int64(2 * time.Second))
		var n atomic.Int64
		first.behave(func(ctx context.Context) error {
			if n.Add(1)%10 == 0 {
				return dead(ctx)
			}
			return nil
		})
		for range 200 {
			_ = create(r.Guards()[0])
			if !r.Guards()[0].Healthy() {
				t.Fatal("noise opened the breaker")
			}
		}
	})
}

// A provider that takes calls and never answers: both it and the one that is silent beside it are found little more
// than one time-out after the first call, which is the only one that a fan waits for.
func TestSilenceIsFoundAfterOneTimeout(t *testing.T) {
	during(t, Options{}, func(t *testing.T, r *Router, first, second *bank) {
		first.takes.Store(int64(time.Hour))
		second.takes.Store(int64(time.Hour))
		began := time.Now()
		go func() { _ = create(r.Guards()[0]) }()
		for r.Guards()[0].Healthy() || r.Guards()[1].Healthy() {
			if time.Since(began) > time.Minute {
				t.Fatal("two silent providers count as healthy for a minute")
			}
			time.Sleep(50 * time.Millisecond)
		}
		if took := time.Since(began); took > 7500*time.Millisecond {
			t.Errorf("silence was found after %v, want little more than the time-out of 5 s", took)
		}
		if n := first.asked.Load() + second.asked.Load(); n > 40 {
			t.Errorf("%d questions", n)
		}
	})
}

// Slow is not silent: one call at a time, each answered after four seconds, opens nothing.
func TestSlowIsNotSilent(t *testing.T) {
	during(t, Options{}, func(t *testing.T, r *Router, first, _ *bank) {
		first.takes.Store(int64(4 * time.Second))
		for range 20 {
			if err := create(r.Guards()[0]); err != nil || !r.Guards()[0].Healthy() {
				t.Fatalf("a slow provider counts as %v: %v", r.Guards()[0].State(), err)
			}
		}
	})
}

func TestACallEndsAtItsTimeout(t *testing.T) {
	during(t, Options{Timeout: 3 * time.Second}, func(t *testing.T, r *Router, first, _ *bank) {
		first.takes.Store(int64(time.Hour))
		began := time.Now()
		err := create(r.Guards()[0])
		if took := time.Since(began); fault.CodeOf(err) != fault.ProviderDown || took != 3*time.Second {
			t.Errorf("ended after %v with %v", took, err)
		}
		if s := r.Guards()[0].Stats().Calls[opCreate]; s.Unknown != 1 || s.Buckets[3] != 1 || s.Buckets[2] != 0 {
			t.Errorf("counted %+v", s)
		}
	})
}

// The bulkhead has rate × latency places; the next call waits a moment and is told, and that is no failure.
func TestTheBulkheadIsSizedByLittlesLaw(t *testing.T) {
	opts := Options{Rate: 5, Latency: 2 * time.Second, Timeout: time.Minute}
	during(t, opts, func(t *testing.T, r *Router, first, second *bank) {
		g := r.Guards()[0]
		if g.places != 10 {
			t.Fatalf("5 calls/s of 2 s have %d places, want 10", g.places)
		}
		first.takes.Store(int64(20 * time.Second))
		answers := make(chan error, 40)
		for range 40 {
			go func() { answers <- create(g) }()
		}
		synctest.Wait()
		if n := first.asked.Load(); n != 10 || g.Stats().InUse != 10 {
			t.Errorf("%d calls at once, %d in use", n, g.Stats().InUse)
		}
		if err := create(r.Guards()[1]); err != nil || second.asked.Load() == 0 {
			t.Errorf("the second provider waits for the first: %v", err)
		}
		down := 0
		for range 40 {
			if err := <-answers; err != nil {
				down++
			}
		}
		if s := g.Stats(); down != 30 || s.Calls[opCreate].Shed != 30 || s.Calls[opCreate].Unknown != 0 || !g.Healthy() {
			t.Errorf("%d told to come back; %+v", down, s)
		}
	})
}

// What another process has seen makes this one ask for itself.
func TestNewsFromElsewhereIsChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &bank{name: "first"}
		first.behave(dead)
		r, err := New([]payment.Provider{first}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var news atomic.Bool
		r.Elsewhere(func(string) bool { return news.Load() })
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if first.asked.Load() != 0 {
			t.Error("an idle router calls a provider")
		}
		news.Store(true)
		time.Sleep(3 * time.Second)
		if r.Guards()[0].Healthy() {
			t.Error("the router did not look for itself")
		}
		news.Store(false)
		first.behave(alive)
		time.Sleep(4 * time.Second)
		if !r.Guards()[0].Healthy() {
			t.Error("the provider's return was not noticed")
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
