package checkout_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

// A crowd buys through a provider that loses requests, answers after the fact,
// breaks after charging and is slow, while webhooks are lost, repeated and late
// and the checkout process is replaced again and again. When the noise ends,
// one round of reconciliation must leave every order at an end, every seat sold
// at most once, and our books equal to the provider's.
func TestCrowdThroughChaos(t *testing.T) {
	const fans = 48
	s := openShopOf(t, fans)
	dice := newDice(t)
	s.fail(func(w http.ResponseWriter, r *http.Request, next http.Handler) { chaos(dice, w, r, next) })
	s.noisyHooks(dice)
	done := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() { s.replaceServices(done) })

	crowd := make([]*fan, fans)
	for i := range crowd {
		crowd[i] = s.fan(seatmap.Ordinal(i))
	}
	placed := make([]id.ID, fans)
	together(fans, func(i int) { placed[i] = crowd[i].shopAround(dice) })
	close(done)
	killer.Wait()

	s.fail(nil)
	s.ahead.Add(int64(10 * time.Minute))
	s.openService()
	eventually(t, "every order has an end", func() bool {
		return s.count(`select count(*) from orders where status in ('PENDING_PAYMENT', 'REVIEW')`) == 0 &&
			s.count(`select count(*) from attempt where status in ('CREATED', 'PENDING', 'UNKNOWN')`) == 0 &&
			s.count(`select count(*) from refund where status <> 'DONE'`) == 0
	})
	s.balanced()
	s.booksAgree()
	for _, status := range []order.Status{order.Confirmed, order.Failed, order.Cancelled, order.Expired, order.Refunded} {
		t.Logf("%s: %d", status, s.count(`select count(*) from orders where status = $1`, string(status)))
	}
	if s.count(`select count(*) from orders where status = 'CONFIRMED'`) == 0 {
		t.Error("nobody got a ticket")
	}
}

// dice are random and safe to share.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDice(t *testing.T) *dice {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return &dice{rng: rand.New(rand.NewPCG(seed, 1))}
}

func (d *dice) roll(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// chaos troubles a quarter of our requests to the provider; fans get through.
func chaos(d *dice, w http.ResponseWriter, r *http.Request, next http.Handler) {
	trouble := d.roll(16)
	if len(r.URL.Path) > 12 && r.URL.Path[:13] == "/sandbox/pay/" {
		trouble = 15
	}
	switch trouble {
	case 0: // lost on the way there
		http.Error(w, "lost", http.StatusBadGateway)
	case 1, 2: // done, and the answer is lost
		next.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "lost", http.StatusInternalServerError)
	case 3:
		time.Sleep(time.Duration(d.roll(200)) * time.Millisecond)
		next.ServeHTTP(w, r)
	default:
		next.ServeHTTP(w, r)
	}
}

// noisyHooks loses, repeats and delays webhooks.
func (s *shop) noisyHooks(d *dice) {
	inner := http.HandlerFunc(s.hook)
	s.hooks.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch d.roll(6) {
		case 0:
			w.WriteHeader(http.StatusNoContent)
			return
		case 1:
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		case 2:
			time.Sleep(time.Duration(d.roll(150)) * time.Millisecond)
		}
		inner.ServeHTTP(w, r)
	})
}

// replaceServices stops the running checkout in the middle of whatever it does, and starts another.
func (s *shop) replaceServices(done <-chan struct{}) {
	running := s.current()
	for {
		select {
		case <-done:
			_ = running.Stop(context.Background())
			return
		case <-time.After(400 * time.Millisecond):
		}
		_ = running.Stop(context.Background())
		running = s.newService()
		s.serving.Store(running)
		_ = running.Start(context.Background())
	}
}

// shopAround is one fan's evening: order, press something, perhaps try again, perhaps change their mind.
func (f *fan) shopAround(d *dice) id.ID {
	ctx := f.t.Context()
	placed, err := f.current().Place(ctx, f.id, f.hold, f.key())
	if err != nil {
		f.t.Errorf("place: %v", err)
		return id.ID{}
	}
	for range 3 {
		a, ok := f.payable(placed)
		if !ok {
			break
		}
		f.pressOn(a.ActionURL, []string{"approve", "approve", "decline", "slow"}[d.roll(4)])
		if d.roll(5) == 0 {
			if _, err := f.current().Cancel(ctx, f.id, placed.ID, nil, f.key()); err != nil && fault.CodeOf(err) != fault.OrderState {
				f.t.Errorf("cancel: %v", err)
			}
		}
		_, err := f.current().PayAgain(ctx, f.id, placed.ID, f.key())
		switch fault.CodeOf(err) {
		case "", fault.OrderState, fault.HoldGone, fault.PaymentInProgress:
		default:
			f.t.Errorf("pay again: %v", err)
		}
	}
	return placed.ID
}

// payable waits a little for a payment that can be made.
func (f *fan) payable(o order.Order) (payment.Attempt, bool) {
	for range 300 {
		d, err := f.current().Find(f.t.Context(), f.id, o.ID)
		if err != nil || !d.Order.Status.Open() {
			return payment.Attempt{}, false
		}
		if d.Attempt.Status == payment.Pending {
			return *d.Attempt, true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return payment.Attempt{}, false
}

// booksAgree compares every attempt with what the provider says of it.
func (s *shop) booksAgree() {
	s.t.Helper()
	rows, err := s.d.Pool().Query(s.t.Context(), `select reference, status, amount, refunded from attempt where reference <> ''`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var reference, status string
		var amount, refunded int64
		if err := rows.Scan(&reference, &status, &amount, &refunded); err != nil {
			s.t.Fatal(err)
		}
		theirs, err := s.provider.Fetch(s.t.Context(), reference)
		if err != nil || string(theirs.Status) != status || theirs.Amount.Minor != amount || theirs.Refunded != refunded {
			s.t.Errorf("%s: we say %s %d refunded %d, the provider %+v, %v", reference, status, amount, refunded, theirs, err)
		}
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
}
