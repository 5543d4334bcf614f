package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/money"
	"plateia/core/payment"
)

// bank is the provider's own truth: intents, and the events still to be told.
// Every change is in the ledger before it is seen.
type bank struct {
	now       func() time.Time
	slowFor   time.Duration
	minWindow time.Duration
	chaos     *chaos
	wake      func() // something is to be told

	mu      sync.Mutex
	ledger  *ledger
	intents map[string]*intent // by reference
	keys    map[string]string  // idempotency key to reference
	open    map[string]*intent // what the clock can move
	untold  map[string]*event
	entries []Entry // the money that moved, in its order
}

func newBank() *bank {
	return &bank{intents: map[string]*intent{}, keys: map[string]string{}, open: map[string]*intent{}, untold: map[string]*event{}}
}

func openBank(opts Options, c *chaos, wake func()) (*bank, error) {
	b := newBank()
	b.now, b.slowFor, b.minWindow, b.chaos, b.wake = opts.Clock, opts.SlowFor, opts.MinWindow, c, wake
	var err error
	b.ledger, err = openLedger(opts.LedgerPath, b.apply)
	return b, err
}

// apply folds one record into memory.
func (b *bank) apply(r record) {
	if i := r.Intent; i != nil {
		for n := range i.Refunds { // ledgers of older versions knew only one end
			i.Refunds[n].Status = cmp.Or(i.Refunds[n].Status, payment.RefundDone)
		}
		for _, e := range entriesOf(b.intents[i.Reference], *i, r.At) {
			e.ID = fmt.Sprintf("le_%d", len(b.entries)+1)
			b.entries = append(b.entries, e)
		}
		b.intents[i.Reference], b.keys[i.Key] = i, i.Reference
		if i.restless() {
			b.open[i.Reference] = i
		} else {
			delete(b.open, i.Reference)
		}
	}
	if r.Event != nil {
		b.untold[r.Event.ID] = r.Event
	}
	delete(b.untold, r.Told)
}

// commit writes a changed copy of an intent, with the events that tell it.
func (b *bank) commit(next intent) error {
	now := b.now()
	records := []record{{At: now, Intent: &next}}
	for _, e := range b.chaos.disturb(next, eventsOf(b.intents[next.Reference], next, now)) {
		records = append(records, record{At: now, Event: &e})
	}
	if err := b.ledger.append(records...); err != nil {
		return err
	}
	for _, r := range records {
		b.apply(r)
	}
	if len(records) > 1 {
		b.wake()
	}
	return nil
}

// create makes an intent, or returns the one made under the same key.
func (b *bank) create(want intent) (intent, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ref, ok := b.keys[want.Key]; ok {
		known := b.intents[ref]
		if known.BodyHash != want.BodyHash {
			return intent{}, false, fault.New(fault.KeyReused, "this key was used for another intent")
		}
		return *known, false, nil
	}
	now := b.now()
	if want.ExpiresAt.Sub(now) < b.minWindow {
		return intent{}, false, fault.New(fault.PaymentWindow, "an intent must live at least %s", b.minWindow)
	}
	want.Reference, want.State, want.CreatedAt = randomName("pi_"), pending, now
	want.Faults = b.chaos.choose(len(b.intents)+1, want.Order, want.Description)
	return want, true, b.commit(want)
}

// fetch returns an intent as it is now.
func (b *bank) fetch(reference string) (intent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current(reference)
}

// current applies what the clock has done to an intent before anyone looks at it.
func (b *bank) current(reference string) (intent, error) {
	known, ok := b.intents[reference]
	if !ok {
		return intent{}, fault.New(fault.NotFound, "no such payment")
	}
	next := *known
	if !next.pass(b.now()) {
		return next, nil
	}
	return next, b.commit(next)
}

// pass lets time go by and reports whether that changed anything.
func (i *intent) pass(now time.Time) (changed bool) {
	due := func(at time.Time) bool { return !at.IsZero() && !now.Before(at) }
	switch {
	case i.State != captured && due(i.CaptureAt):
		i.State, i.Reason, changed = captured, "", true
	case i.State.waits() && due(i.ExpiresAt):
		i.State, i.Reason, changed = cancelled, "expired", true
	case i.State == processing && i.CaptureAt.IsZero() && due(i.ExpiresAt):
		i.State, i.Reason, changed = cancelled, "the bank did not answer", true
	}
	for n, r := range i.Refunds {
		if due(r.FailsAt) {
			i.Refunds = slices.Clone(i.Refunds) // other copies share it
			i.Refunds[n].Status, i.Refunds[n].FailsAt, changed = payment.RefundFailed, time.Time{}, true
		}
	}
	return changed
}

// change moves an intent that waits for the fan; one that is past that is returned as it is.
func (b *bank) change(reference string, move func(*intent)) (intent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, err := b.current(reference)
	if err != nil || !next.State.waits() {
		return next, err
	}
	move(&next)
	return next, b.commit(next)
}

func (b *bank) cancel(reference string) (intent, error) {
	return b.change(reference, func(i *intent) { i.State, i.Reason = cancelled, "cancelled by the merchant" })
}

// choose is what the fan pressed on the pay page: a test card, the bank's second page, or the way out.
func (b *bank) choose(reference, decision string) (intent, error) {
	var move func(*intent)
	switch decision {
	case "approve", "confirm":
		move = b.take
	case "slow":
		move = func(i *intent) { i.State, i.CaptureAt = processing, b.now().Add(b.slowFor) }
	case "step":
		move = func(i *intent) { i.State = confirming }
	case "timeout":
		move = func(i *intent) { i.State = processing } // until its time is over
	case "decline":
		move = func(i *intent) { i.State, i.Reason = declined, "the card was declined" }
	case "leave":
		move = func(i *intent) { i.State, i.Reason = cancelled, "cancelled by the fan" }
	default:
		return intent{}, fault.New(fault.Invalid, "decision must be approve, slow, step, confirm, timeout, decline or leave")
	}
	return b.change(reference, move)
}

// take captures the money, or does it wrongly.
func (b *bank) take(i *intent) {
	if i.has(WrongAmount) {
		b.chaos.did(WrongAmount)
		i.Taken = i.Amount + 100
	}
	if i.has(Late) {
		b.chaos.did(Late)
		i.CaptureAt = i.ExpiresAt.Add(20 * b.chaos.current().pause())
		return // it waits, and runs out
	}
	i.State = captured
}

// giveBack refunds part or all of a captured intent, once per key.
func (b *bank) giveBack(reference, key string, amount money.Amount) (intent, refund, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, err := b.current(reference)
	if err != nil {
		return next, refund{}, err
	}
	for _, r := range next.Refunds {
		if r.Key == key {
			if r.Amount != amount.Minor {
				return next, refund{}, fault.New(fault.KeyReused, "this key was used for another refund")
			}
			return next, r, nil
		}
	}
	if next.State != captured || amount.Currency != next.Currency || amount.Minor <= 0 || amount.Minor > next.left() {
		return next, refund{}, fault.New(fault.Invalid, "%s cannot be refunded: the payment is %s with %s left",
			amount, next.State, money.Amount{Minor: next.left(), Currency: next.Currency})
	}
	made := refund{Key: key, Amount: amount.Minor, At: b.now(), Status: payment.RefundDone}
	if b.chaos.strikes(next, RefundFails, "refund") {
		made.Status, made.FailsAt = payment.RefundPending, made.At.Add(b.chaos.current().pause())
	} else if b.chaos.strikes(next, RefundReturns, "refund") {
		made.FailsAt = made.At.Add(b.chaos.current().pause())
	}
	next.Refunds = append(slices.Clone(next.Refunds), made)
	return next, made, b.commit(next)
}

// tick lets the clock work on every open intent.
func (b *bank) tick() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, reference := range slices.Collect(maps.Keys(b.open)) {
		if _, err := b.current(reference); err != nil {
			return err
		}
	}
	return nil
}

// pendingEvents lists what is still to be told, oldest first.
func (b *bank) pendingEvents() []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]event, 0, len(b.untold))
	for _, e := range b.untold {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(x, y event) int {
		return cmp.Or(x.CreatedAt.Compare(y.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return out
}

// told ends the telling of an event.
func (b *bank) told(eventID string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := record{At: b.now(), Told: eventID}
	if err := b.ledger.append(r); err != nil {
		return err
	}
	b.apply(r)
	return nil
}

func (b *bank) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ledger.close()
}
