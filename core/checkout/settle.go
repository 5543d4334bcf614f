package checkout

import (
	"context"
	"fmt"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
)

// quickTries is how often a provider is asked at once before an attempt is
// UNKNOWN and left to reconciliation; the pauses double from quickPause.
const (
	quickTries = 3
	quickPause = 250 * time.Millisecond
)

// settle finds out what became of an attempt and acts on it. It is the one path
// for new orders, webhooks, reconciliation and cancellation, and may be repeated
// at any time. An error means that nothing is known yet; the attempt stays due.
func (s *Service) settle(ctx context.Context, attempt id.ID) error {
	release, err := s.locks.lock(ctx, attempt)
	if err != nil {
		return err
	}
	defer release()
	a, err := s.store.Attempt(ctx, attempt)
	if err != nil || a.Status == payment.Captured {
		return err
	}
	o, err := s.store.Order(ctx, a.Order)
	if err != nil {
		return err
	}
	p, err := s.provider(a.Provider)
	if err != nil {
		return err
	}
	intent, err := s.askPatiently(ctx, p, o, a)
	if err != nil {
		return s.unsettled(ctx, o, a, err)
	}
	return s.act(ctx, o, a, intent)
}

// askPatiently repeats ask over short outages. Repeating is safe: the key is the attempt's.
func (s *Service) askPatiently(ctx context.Context, p payment.Provider, o order.Order, a payment.Attempt) (payment.Intent, error) {
	for try := 1; ; try++ {
		intent, err := s.ask(ctx, p, o, a)
		if err == nil || fault.CodeOf(err) != fault.ProviderDown || try == quickTries || !payment.Healthy(p) {
			return intent, err
		}
		if err := pause(ctx, quickPause<<(try-1)); err != nil {
			return intent, err
		}
	}
}

// ask returns the intent as the provider sees it, after stopping it if nobody
// wants it any more. Creating with the attempt's key is also the question what
// became of an earlier create whose answer was lost.
func (s *Service) ask(ctx context.Context, p payment.Provider, o order.Order, a payment.Attempt) (payment.Intent, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.CallTimeout)
	defer cancel()
	var intent payment.Intent
	var err error
	if a.Reference == "" {
		intent, err = p.CreateIntent(ctx, s.intentRequest(o, a))
	} else {
		intent, err = p.Fetch(ctx, a.Reference)
	}
	if err == nil && intent.Status == payment.Pending && unwanted(o, a, s.now()) {
		intent, err = p.Cancel(ctx, intent.Reference)
	}
	return intent, err
}

// intentRequest is a function of stored rows alone, so that a repeated call is equal to the first.
func (s *Service) intentRequest(o order.Order, a payment.Attempt) payment.IntentRequest {
	return payment.IntentRequest{
		Order: o.ID, Amount: a.Amount, Description: "Plateia " + o.ID.String()[:8],
		ReturnURL: s.opts.ReturnURL(o.ID), ExpiresAt: a.ExpiresAt, IdempotencyKey: a.ID.String(),
	}
}

// unsettled handles what is no intent: a refusal, which is an end, or no answer.
func (s *Service) unsettled(ctx context.Context, o order.Order, a payment.Attempt, err error) error {
	switch fault.CodeOf(err) {
	case fault.PaymentWindow, fault.Invalid:
		if a.Reference == "" { // never made, never will be: its deadline is part of the request
			return s.endRefused(ctx, o, a, err)
		}
	case fault.NotFound:
		if !s.now().Before(a.ExpiresAt) {
			s.log.Error("the provider does not know a payment of ours", "alarm", true, "attempt", a.ID, "provider", a.Provider, "reference", a.Reference)
			return s.end(ctx, o, a, verdict{status: payment.Cancelled, reason: "the payment provider does not know this payment", freeSeats: true})
		}
	case fault.ProviderDown:
	default:
		s.log.Error("unexpected answer of a provider", "alarm", true, "attempt", a.ID, "provider", a.Provider, "error", err)
	}
	lost, e := s.store.Unanswered(ctx, a.ID, "the payment provider does not answer")
	if e != nil {
		return e
	}
	if lost {
		s.tell(o)
	}
	if e := s.giveUp(ctx, o); e != nil {
		s.log.Warn("hold of an unanswered payment not ended", "order", o.ID, "error", e)
	}
	s.elsewhere(ctx, o, a)
	return err
}

func (s *Service) endRefused(ctx context.Context, o order.Order, a payment.Attempt, err error) error {
	late := !s.now().Before(a.ExpiresAt)
	if late { // the provider was away all its time
		if again, e := s.anew(ctx, o, a); again || e != nil {
			return e
		}
	}
	v := verdict{status: payment.Declined, reason: "the payment provider refused: " + fault.From(err).Text, freeSeats: late || !o.CancelAskedAt.IsZero()}
	if late {
		v.status, v.reason = payment.Cancelled, "the time to pay has passed"
	}
	return s.end(ctx, o, a, v)
}

// giveUp ends the hold of a payment that nobody answers about, long after its
// time; the engine decides by the database's clock whether that is now. Money
// that comes later is late money.
func (s *Service) giveUp(ctx context.Context, o order.Order) error {
	if !o.Status.Open() {
		return nil
	}
	hold, err := s.inventory.Hold(ctx, o.Hold)
	if err != nil || !hold.State.Live() || s.now().Before(hold.HardExpiresAt.Add(inventory.PayingGrace)) {
		return err
	}
	_, err = s.inventory.Do(ctx, o.Event, inventory.Expire{Hold: o.Hold})
	return err
}

// act does what the verdict says.
func (s *Service) act(ctx context.Context, o order.Order, a payment.Attempt, in payment.Intent) error {
	v := judge(o, a, in, s.now())
	if a.Reference == "" && (v.step == sell || v.step == end) { // over before we knew its name: a refund and the webhook will need it
		if _, err := s.store.Opened(ctx, a.ID, in); err != nil {
			return err
		}
	}
	if in.Status == payment.Captured && o.Status == order.Review && o.GoesBack {
		return s.sendBack(ctx, a, in.Amount, "the order is being refunded; this payment goes back too")
	}
	switch v.step {
	case opened:
		return s.opened(ctx, o, a, in)
	case sell:
		return s.sell(ctx, o, a, in)
	case end:
		return s.end(ctx, o, a, v)
	case review:
		changed, err := s.store.Review(ctx, o.ID, a.ID, v.captured, v.reason)
		if changed {
			s.log.Error("a payment does not match its order", "alarm", true, "order", o.ID, "attempt", a.ID, "reason", v.reason)
		}
		return err
	}
	return nil
}

// opened records the intent. When the fan has started another payment meanwhile,
// because this one was UNKNOWN, this one is stopped.
func (s *Service) opened(ctx context.Context, o order.Order, a payment.Attempt, in payment.Intent) error {
	changed, err := s.store.Opened(ctx, a.ID, in)
	if changed || err != nil {
		if changed {
			s.tell(o)
		}
		return err
	}
	p, err := s.provider(a.Provider)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.CallTimeout)
	defer cancel()
	after, err := p.Cancel(ctx, in.Reference)
	if err != nil || after.Status == payment.Pending { // being captured: the next check sees it
		return err
	}
	a.Reference = in.Reference
	return s.act(ctx, o, a, after)
}

func (s *Service) end(ctx context.Context, o order.Order, a payment.Attempt, v verdict) error {
	_, err := s.inventory.Do(ctx, o.Event, inventory.EndAttempt{
		Order: o.ID, Attempt: a.ID, Status: v.status, Reason: v.reason,
		FreeSeats: v.freeSeats, CancelOrder: v.freeSeats && !o.CancelAskedAt.IsZero(),
	})
	if err != nil {
		return fmt.Errorf("end attempt %s: %w", a.ID, err)
	}
	return nil
}

// sell turns captured money into tickets or, when there is nothing to sell, sends it back.
func (s *Service) sell(ctx context.Context, o order.Order, a payment.Attempt, in payment.Intent) error {
	if o.Status == order.Review { // a person is on it
		_, err := s.store.Review(ctx, o.ID, a.ID, in.Amount, o.Reason)
		return err
	}
	out, err := s.inventory.Do(ctx, o.Event, inventory.Sell{Order: o.ID, Attempt: a.ID, Captured: in.Amount})
	switch fault.CodeOf(err) {
	case "":
		if !out.Replayed {
			s.log.Info("order confirmed", "order", o.ID, "tickets", len(out.Tickets))
		}
		return nil
	case fault.HoldGone:
		return s.sendBack(ctx, a, in.Amount, "the payment arrived after the seats had been released; it is refunded in full")
	case fault.EventState:
		return s.sendBack(ctx, a, in.Amount, "the event is cancelled; the payment is refunded in full")
	case fault.OrderState:
		return s.sendBackExtra(ctx, o.ID, a, in)
	}
	return fmt.Errorf("sell attempt %s: %w", a.ID, err)
}
