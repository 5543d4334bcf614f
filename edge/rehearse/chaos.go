package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"plateia/core/money"
	"plateia/edge/payments/sandbox"
)

// Bank is a payment provider whose faults can be switched on, and whose ledger can be read.
type Bank interface {
	Name() string
	Disturb(ctx context.Context, s sandbox.Script) error
	Disturbed(ctx context.Context) (sandbox.Script, map[sandbox.Fault]int, error)
	WholeLedger(ctx context.Context) ([]sandbox.Entry, error)
}

// Money is what the fans' orders have moved at the banks, in minor units. It is asked for when nobody pays any more,
// but what is late (money after a payment's end, refunds that come back) may still change it.
type Money struct {
	Currency string                `json:"currency"`
	Total    StateMoney            `json:"total"`
	ByState  map[string]StateMoney `json:"byState"` // of the orders, as they ended
	Faults   map[string]int        `json:"faults"`  // that the banks committed
}

// StateMoney is the orders in one state, and their money.
type StateMoney struct {
	Orders   int   `json:"orders"`
	Charged  int64 `json:"charged"`
	Refunded int64 `json:"refunded"` // less what came back
	Kept     int64 `json:"kept"`
}

// placed is a fan's order, as last seen.
type placed struct {
	order, session, status string
}

// upset switches the banks' faults on; the scripts they had are restored by the function it returns.
func (c *crowd) upset(ctx context.Context) (restore func(context.Context) error, err error) {
	before := map[Bank]sandbox.Script{}
	restore = func(ctx context.Context) error {
		for b, script := range before {
			if err := b.Disturb(ctx, script); err != nil {
				return fmt.Errorf("calming %s: %w", b.Name(), err)
			}
		}
		return nil
	}
	for _, b := range c.opts.Banks {
		script, _, err := b.Disturbed(ctx)
		if err == nil {
			before[b] = script
			err = b.Disturb(ctx, sandbox.Script{Seed: rand.Uint64(), Rate: c.opts.Chaos}) //nolint:gosec // faults are no secret
		}
		if err != nil {
			return restore, fmt.Errorf("switching the faults of %s on: %w", b.Name(), err)
		}
	}
	return restore, nil
}

// undecidedFor is how long orders that nobody has decided are waited for at the end.
const undecidedFor = 20 * time.Second

// settle looks again at the orders that their fans have left undecided.
func (c *crowd) settle(ctx context.Context) []placed {
	all := c.tally.orders()
	ctx, cancel := context.WithTimeout(ctx, undecidedFor)
	defer cancel()
	var looking sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range all {
		p := &all[i]
		looking.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for first := true; first || p.status == "PENDING_PAYMENT"; first = false {
				var o orderAnswer
				if err := c.api.once(ctx, call{method: http.MethodGet, path: "/v1/orders/" + p.order, bearer: p.session}, &o); err == nil {
					p.status = o.Status
				}
				if p.status != "PENDING_PAYMENT" || !sleep(ctx, time.Second) {
					return
				}
			}
		})
	}
	looking.Wait()
	return all
}

// money adds up what the banks' ledgers say of the fans' orders.
func (c *crowd) money(ctx context.Context, orders []placed) (*Money, error) {
	m := &Money{ByState: map[string]StateMoney{}, Faults: map[string]int{}}
	states := map[string]string{}
	for _, p := range orders {
		states[p.order] = p.status
		s := m.ByState[p.status]
		s.Orders++
		m.ByState[p.status] = s
		m.Total.Orders++
	}
	for _, b := range c.opts.Banks {
		_, faults, err := b.Disturbed(ctx)
		if err != nil {
			return nil, fmt.Errorf("asking %s what went wrong: %w", b.Name(), err)
		}
		for f, n := range faults {
			m.Faults[string(f)] += n
		}
		entries, err := b.WholeLedger(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the ledger of %s: %w", b.Name(), err)
		}
		for _, e := range entries {
			if state, ours := states[e.Order.String()]; ours {
				m.Currency = cmp.Or(m.Currency, e.Currency)
				m.ByState[state] = m.ByState[state].with(e)
				m.Total = m.Total.with(e)
			}
		}
	}
	return m, nil
}

func (s StateMoney) with(e sandbox.Entry) StateMoney {
	if e.Kind == sandbox.EntryCapture {
		s.Charged += e.Amount
	} else {
		s.Refunded -= e.Signed()
	}
	s.Kept = s.Charged - s.Refunded
	return s
}

// print writes the money for people.
func (m *Money) print(w io.Writer) {
	of := func(minor int64) string { return money.Amount{Minor: minor, Currency: m.Currency}.String() }
	line := func(name string, s StateMoney) {
		fmt.Fprintf(w, "  %-16s %5d orders  charged %s  refunded %s  kept %s\n", name, s.Orders, of(s.Charged), of(s.Refunded), of(s.Kept))
	}
	fmt.Fprintln(w, "money, by the state of the order")
	for _, state := range slices.Sorted(maps.Keys(m.ByState)) {
		line(state, m.ByState[state])
	}
	line("all", m.Total)
	fmt.Fprintln(w, "faults of the banks")
	for _, f := range slices.Sorted(maps.Keys(m.Faults)) {
		fmt.Fprintf(w, "  %-16s %d\n", f, m.Faults[f])
	}
}
