package inventory

import (
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

// minPayWindow is the least time in which a person can pay.
const minPayWindow = 60 * time.Second

func (s *Snapshot) startPayment(c StartPayment) Outcome {
	if done, replayed := s.replayPayment(c); replayed {
		return done
	}
	o, err := s.payableOrder(&c)
	if err != nil {
		return refuse(err)
	}
	r, err := s.payableHold(c, o)
	if err != nil {
		return refuse(err)
	}
	deadline, err := s.payDeadline(&r.is, c.MinWindow)
	if err != nil {
		return refuse(err)
	}
	return s.pay(c, r, o, deadline)
}

// replayPayment finds the answer of an earlier request with the same key.
func (s *Snapshot) replayPayment(c StartPayment) (Outcome, bool) {
	ref := keyRef{c.Account, c.Key}
	if c.Key == "" {
		return Outcome{}, false
	}
	if c.Again {
		a := s.attemptBy[ref]
		if a == nil {
			return Outcome{}, false
		}
		o := s.orders[a.is.Order]
		if a.is.BodyHash != c.BodyHash || o == nil {
			return refuse(keyReused()), true
		}
		return s.paymentOutcome(o, a), true
	}
	o := s.orderByKey[ref]
	if o == nil {
		return Outcome{}, false
	}
	if o.is.BodyHash != c.BodyHash {
		return refuse(keyReused()), true
	}
	return s.paymentOutcome(o, s.newestAttempt(o.is.ID)), true
}

func (s *Snapshot) paymentOutcome(o *row[order.Order], a *row[AttemptRow]) Outcome {
	out := Outcome{Order: o.is, Replayed: true}
	if a != nil {
		out.Attempt = a.is.Attempt
	}
	if h := s.holds[o.is.Hold]; h != nil {
		out.Hold = h.is
	}
	return out
}

func (s *Snapshot) newestAttempt(of id.ID) *row[AttemptRow] {
	var newest *row[AttemptRow]
	for _, a := range s.attemptsOf[of] {
		if newest == nil || a.is.CreatedAt.After(newest.is.CreatedAt) {
			newest = a
		}
	}
	return newest
}

// payableOrder returns the order to pay again, nil for a new one.
func (s *Snapshot) payableOrder(c *StartPayment) (*row[order.Order], *fault.Error) {
	if !c.Again {
		if o := s.orderOf[c.Hold]; o != nil && o.is.Account == c.Account {
			return nil, fault.New(fault.OrderState, "these seats have an order already").
				With("orderId", o.is.ID.String()).With("status", string(o.is.Status))
		}
		return nil, nil
	}
	o := s.orders[c.Order]
	if o == nil || o.is.Account != c.Account || o.is.Event != s.Event.ID {
		return nil, fault.New(fault.NotFound, "there is no such order")
	}
	if c.Hold.IsZero() {
		c.Hold = o.is.Hold
	}
	if o.is.Hold != c.Hold || !o.is.Status.Open() {
		return nil, fault.New(fault.OrderState, "the order cannot be paid now").With("status", string(o.is.Status))
	}
	for _, a := range s.attemptsOf[o.is.ID] {
		if a.is.Status.Open() {
			return nil, paymentRuns(o.is.Hold)
		}
	}
	return o, nil
}

// payableHold returns the hold if it still keeps its seats. A hold that is PAYING may be
// paid again only when its order says so: the attempt before is unknown, not open.
func (s *Snapshot) payableHold(c StartPayment, o *row[order.Order]) (*row[Hold], *fault.Error) {
	r, err := s.ownHold(c.Hold, c.Account)
	if err != nil {
		return nil, err
	}
	if r.is.State == HoldPaying && o == nil {
		return nil, paymentRuns(r.is.ID)
	}
	if !r.is.State.Live() || dead(&r.is, s.Now) {
		return nil, holdGone(&r.is)
	}
	return r, s.settles()
}

// payDeadline is what the provider is asked for: the pay window, inside the hold's absolute life.
func (s *Snapshot) payDeadline(h *Hold, providerMin time.Duration) (time.Time, *fault.Error) {
	rules := s.Event.Rules
	deadline := earlier(s.Now.Add(rules.PayWindow()), h.HardExpiresAt.Add(-rules.PayMargin()))
	window := deadline.Sub(s.Now)
	if window < minPayWindow || window < providerMin {
		return deadline, fault.New(fault.PaymentWindow, "too little time is left to pay for these seats").
			With("secondsLeft", max(0, int(window/time.Second))).With("hardExpiresAt", h.HardExpiresAt.UTC())
	}
	return deadline, nil
}

func (s *Snapshot) pay(c StartPayment, r *row[Hold], o *row[order.Order], deadline time.Time) Outcome {
	h := s.touchHold(r)
	h.State, h.ExpiresAt = HoldPaying, later(h.ExpiresAt, deadline.Add(s.Event.Rules.PayMargin()))
	if o == nil {
		o = &row[order.Order]{is: s.newOrder(c, h), fresh: true}
		s.addOrder(o)
	}
	so := s.touchOrder(o)
	so.Status, so.Reason = order.PendingPayment, ""
	a := &row[AttemptRow]{fresh: true, is: AttemptRow{
		Attempt: payment.Attempt{
			ID: c.Attempt, Order: so.ID, Provider: c.Provider, Status: payment.Created,
			Amount: money.Amount{Minor: so.Total, Currency: so.Currency}, ExpiresAt: deadline,
			Key: keyOr(attemptKey(c), c.Attempt), CreatedAt: s.Now,
		},
		Account: c.Account, BodyHash: c.BodyHash,
	}}
	s.touchAttempt(a)
	s.addAttempt(a)
	return Outcome{Hold: *h, Order: *so, Attempt: a.is.Attempt}
}

// attemptKey is empty for the first attempt: that request's key is the order's.
func attemptKey(c StartPayment) string {
	if c.Again {
		return c.Key
	}
	return ""
}

func (s *Snapshot) newOrder(c StartPayment, h *Hold) order.Order {
	lines := h.Lines(&s.Event.Rules)
	return order.Order{
		ID: c.Order, Event: s.Event.ID, Account: c.Account, Hold: h.ID, Status: order.PendingPayment,
		Currency: s.Event.Currency, Total: order.Total(lines), Lines: lines,
		Key: keyOr(c.Key, c.Order), BodyHash: c.BodyHash, CreatedAt: s.Now,
	}
}
