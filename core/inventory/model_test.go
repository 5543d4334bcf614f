package inventory

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

// model is the inventory as one would explain it on a napkin: no versions, no
// batches, no rows; one list of holds and whose each seat is.
type model struct {
	now    time.Time
	limit  int
	seat   map[seatmap.Ordinal]*modelHold // nil: free
	holds  []*modelHold
	bought map[id.ID]int
}

type modelHold struct {
	id, account id.ID
	seats       []seatmap.Ordinal
	state       HoldState
	ends, hard  time.Time
	ended       time.Time
	order       *modelOrder
}

type modelOrder struct {
	id, attempt id.ID
	status      order.Status
	attempts    map[id.ID]payment.Status
}

func (m *model) dead(h *modelHold) bool {
	return h.state == HoldActive && m.now.After(h.ends.Add(time.Second))
}

func (m *model) live(account id.ID) *modelHold {
	for _, h := range m.holds {
		if h.account == account && h.state.Live() {
			return h
		}
	}
	return nil
}

func (m *model) end(h *modelHold, state HoldState, status order.Status) {
	for _, o := range h.seats {
		if m.seat[o] == h {
			m.seat[o] = nil
		}
	}
	h.state, h.ended = state, m.now
	if h.order != nil && h.order.status.Open() {
		h.order.status = status
	}
}

// available lists the dead holds in the way; false when somebody alive is.
func (m *model) available(seats []seatmap.Ordinal, own *modelHold) ([]*modelHold, bool) {
	var inTheWay []*modelHold
	for _, o := range seats {
		h := m.seat[o]
		if h == nil || h == own {
			continue
		}
		if !m.dead(h) {
			return nil, false
		}
		inTheWay = append(inTheWay, h)
	}
	return inTheWay, true
}

func (m *model) place(c PlaceHold) fault.Code {
	own := m.live(c.Account)
	switch {
	case len(c.Seats) == 0:
		return fault.Invalid
	case len(c.Seats) > m.limit:
		return fault.LimitExceeded
	case own != nil && own.state == HoldPaying:
		return fault.PaymentInProgress
	case m.bought[c.Account]+len(c.Seats) > m.limit:
		return fault.LimitExceeded
	}
	dead, free := m.available(c.Seats, own)
	if !free {
		return fault.SeatTaken
	}
	hard := m.now.Add(30 * time.Minute)
	for _, h := range m.holds {
		kept := m.now // until when the hold kept its seats, whenever somebody noticed
		if m.dead(h) {
			kept = h.ends
		} else if !h.state.Live() {
			kept = earlier(h.ended, h.ends)
		}
		recent := h.state != HoldConverted && m.now.Sub(kept) < 10*time.Minute
		if h.account == c.Account && recent && slices.ContainsFunc(h.seats, func(o seatmap.Ordinal) bool { return slices.Contains(c.Seats, o) }) {
			hard = earlier(hard, h.hard)
		}
	}
	if !hard.After(m.now) {
		return fault.HoldLimit
	}
	for _, h := range dead {
		m.end(h, HoldExpired, order.Expired)
	}
	if own != nil {
		state := HoldReleased
		if m.dead(own) {
			state = HoldExpired
		}
		m.end(own, state, order.Cancelled)
	}
	h := &modelHold{id: c.Hold, account: c.Account, seats: c.Seats, state: HoldActive, ends: earlier(m.now.Add(7*time.Minute), hard), hard: hard}
	m.holds = append(m.holds, h)
	for _, o := range c.Seats {
		m.seat[o] = h
	}
	return ""
}

func (m *model) find(hold id.ID) *modelHold {
	i := slices.IndexFunc(m.holds, func(h *modelHold) bool { return h.id == hold })
	return m.holds[i]
}

func (m *model) apply(command Command) fault.Code {
	switch c := command.(type) {
	case PlaceHold:
		return m.place(c)
	case Release:
		h := m.find(c.Hold)
		if h.state == HoldPaying {
			return fault.PaymentInProgress
		}
		if h.state == HoldActive {
			m.end(h, HoldReleased, order.Cancelled)
		}
		return ""
	case Extend:
		h := m.find(c.Hold)
		switch {
		case h.state == HoldPaying:
			return fault.PaymentInProgress
		case h.state != HoldActive || m.dead(h):
			return fault.HoldGone
		case !h.ends.Before(h.hard):
			return fault.HoldLimit
		}
		h.ends = later(h.ends, earlier(m.now.Add(7*time.Minute), h.hard))
		return ""
	case StartPayment:
		return m.pay(m.find(c.Hold), c)
	case EndAttempt:
		return m.endAttempt(c)
	case Sell:
		return m.sell(c)
	case Expire:
		h := m.find(c.Hold)
		if m.dead(h) || h.state == HoldPaying && m.now.After(h.hard.Add(10*time.Minute)) {
			m.end(h, HoldExpired, order.Expired)
		}
		return ""
	}
	panic("unknown")
}

func (m *model) pay(h *modelHold, c StartPayment) fault.Code {
	switch {
	case !c.Again && h.order != nil:
		return fault.OrderState
	case c.Again && !h.order.status.Open():
		return fault.OrderState
	case c.Again && slices.ContainsFunc(slices.Collect(maps.Values(h.order.attempts)), payment.Status.Open):
		return fault.PaymentInProgress
	case !h.state.Live() || m.dead(h):
		return fault.HoldGone
	}
	deadline := earlier(m.now.Add(5*time.Minute), h.hard.Add(-30*time.Second))
	if deadline.Sub(m.now) < time.Minute {
		return fault.PaymentWindow
	}
	if h.order == nil {
		h.order = &modelOrder{id: c.Order, attempts: map[id.ID]payment.Status{}}
	}
	h.order.status, h.order.attempt = order.PendingPayment, c.Attempt
	h.order.attempts[c.Attempt] = payment.Created
	h.state, h.ends = HoldPaying, later(h.ends, deadline.Add(30*time.Second))
	return ""
}

func (m *model) orderOf(of id.ID) *modelHold {
	i := slices.IndexFunc(m.holds, func(h *modelHold) bool { return h.order != nil && h.order.id == of })
	return m.holds[i]
}

func (m *model) endAttempt(c EndAttempt) fault.Code {
	h := m.orderOf(c.Order)
	o := h.order
	if !o.attempts[c.Attempt].Final() {
		o.attempts[c.Attempt] = c.Status
	}
	for _, status := range o.attempts {
		if !status.Final() {
			return ""
		}
	}
	if !o.status.Open() {
		return ""
	}
	back := h.state == HoldActive && !m.dead(h) || h.state == HoldPaying && m.now.Before(h.hard)
	if c.FreeSeats || !back {
		if h.state.Live() {
			m.end(h, HoldExpired, order.Expired)
		}
		o.status = order.Expired
		return ""
	}
	if h.state == HoldPaying {
		h.state, h.ends = HoldActive, later(h.ends, earlier(m.now.Add(7*time.Minute), h.hard))
	}
	o.status = order.Failed
	return ""
}

func (m *model) sell(c Sell) fault.Code {
	h := m.orderOf(c.Order)
	o := h.order
	if o.attempts[c.Attempt] == payment.Captured {
		return ""
	}
	if o.status != order.PendingPayment && o.status != order.Failed && o.status != order.Expired {
		return fault.OrderState
	}
	if !h.state.Live() {
		dead, free := m.available(h.seats, nil)
		have := m.bought[h.account]
		if live := m.live(h.account); live != nil {
			have += len(live.seats)
		}
		if !free || have+len(h.seats) > m.limit {
			return fault.HoldGone
		}
		for _, victim := range dead {
			m.end(victim, HoldExpired, order.Expired)
		}
	} else {
		h.state = HoldConverted
	}
	sold := &modelHold{state: HoldConverted}
	for _, seat := range h.seats {
		m.seat[seat] = sold
	}
	m.bought[h.account] += len(h.seats)
	o.status, o.attempts[c.Attempt] = order.Confirmed, payment.Captured
	return ""
}

// TestDecideAgainstTheModel sends random batches to Decide and the same commands, one by one, to the model.
func TestDecideAgainstTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const seats = 6
		m := newMemStore(seats)
		m.event.Rules.MaxPerAccount = 3
		naive := &model{now: m.now, limit: 3, seat: map[seatmap.Ordinal]*modelHold{}, bought: map[id.ID]int{}}
		accounts := []id.ID{{1}, {2}, {3}}
		for range rapid.IntRange(1, 25).Draw(t, "batches") {
			m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 30, 200, 500, 2000}).Draw(t, "seconds")) * time.Second)
			naive.now = m.now
			var commands []Command
			for range rapid.IntRange(1, 4).Draw(t, "commands") {
				commands = append(commands, randomCommand(t, naive, accounts, seats))
			}
			var outcomes []Outcome
			if err := m.Commit(context.Background(), m.event.ID, NeedsOf(commands), func(s *Snapshot) (changes *Changes) {
				outcomes, changes = Decide(Hall{}, s, commands)
				return changes
			}); err != nil {
				t.Fatal(err)
			}
			for i, command := range commands {
				if want, got := naive.apply(command), fault.CodeOf(outcomes[i].Err); got != want {
					t.Fatalf("%T %+v: %v, the model says %q", command, command, outcomes[i].Err, want)
				}
			}
			m.check(t)
			compare(t, m, naive)
		}
	})
}

func randomCommand(t *rapid.T, m *model, accounts []id.ID, seats int) Command {
	account := rapid.SampledFrom(accounts).Draw(t, "account")
	if len(m.holds) == 0 || rapid.IntRange(0, 2).Draw(t, "place") == 0 {
		chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, seats-1), 0, 4, rapid.ID[int]).Draw(t, "seats")
		c := PlaceHold{Hold: id.New(), Account: account}
		for _, o := range chosen {
			c.Seats = append(c.Seats, seatmap.Ordinal(o))
		}
		return c
	}
	h := rapid.SampledFrom(m.holds).Draw(t, "hold")
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if kind > 2 && h.order == nil {
		return StartPayment{Account: h.account, Hold: h.id, Order: id.New(), Attempt: id.New()}
	}
	switch kind {
	case 0:
		return Release{Account: h.account, Hold: h.id}
	case 1:
		return Extend{Account: h.account, Hold: h.id}
	case 2:
		return Expire{Hold: h.id}
	case 3:
		return StartPayment{Account: h.account, Hold: h.id, Order: h.order.id, Attempt: id.New(), Again: true}
	}
	attempts := slices.SortedFunc(maps.Keys(h.order.attempts), func(a, b id.ID) int { return slices.Compare(a[:], b[:]) })
	attempt := rapid.SampledFrom(attempts).Draw(t, "attempt")
	if kind == 4 {
		return EndAttempt{Order: h.order.id, Attempt: attempt, Status: payment.Declined, FreeSeats: rapid.Bool().Draw(t, "free")}
	}
	total := int64(0)
	for _, o := range h.seats {
		total += []int64{1000, 500}[o%2]
	}
	return Sell{Order: h.order.id, Attempt: attempt, Captured: money.Amount{Minor: total, Currency: "BRL"}}
}

func compare(t *rapid.T, m *memStore, naive *model) {
	for o, seat := range m.seats {
		want := Available
		switch h := naive.seat[o]; {
		case h != nil && h.state == HoldConverted:
			want = Sold
		case h != nil:
			want = Held
		}
		if seat.Status != want {
			t.Fatalf("seat %d is %d, the model says %d", o, seat.Status, want)
		}
	}
	for _, h := range naive.holds {
		got := m.holds[h.id]
		if got.State != h.state || !got.ExpiresAt.Equal(h.ends) || !got.HardExpiresAt.Equal(h.hard) {
			t.Fatalf("hold %+v, the model says %+v", got, h)
		}
		if h.order != nil && m.orders[h.order.id].Status != h.order.status {
			t.Fatalf("order %+v, the model says %+v", m.orders[h.order.id], h.order)
		}
	}
}
