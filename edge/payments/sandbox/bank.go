package sandbox

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/money"
)

// bank is the provider's own truth: intents, and the events still to be told.
// Every change is in the ledger before it is seen.
type bank struct {
	now     func() time.Time
	slowFor time.Duration
	wake    func() // something is to be told

	mu      sync.Mutex
	ledger  *ledger
	intents map[string]*intent // by reference
	keys    map[string]string  // idempotency key to reference
	open    map[string]*intent // not final: what the clock can move
	untold  map[string]*event
}

func openBank(path string, now func() time.Time, slowFor time.Duration, wake func()) (*bank, error) {
	b := &bank{
		now: now, slowFor: slowFor, wake: wake,
		intents: map[string]*intent{}, keys: map[string]string{}, open: map[string]*intent{}, untold: map[string]*event{},
	}
	var err error
	b.ledger, err = openLedger(path, b.apply)
	return b, err
}

// apply folds one record into memory.
func (b *bank) apply(r record) {
	if i := r.Intent; i != nil {
		b.intents[i.Reference], b.keys[i.Key] = i, i.Reference
		if i.State.final() {
			delete(b.open, i.Reference)
		} else {
			b.open[i.Reference] = i
		}
	}
	if r.Event != nil {
		b.untold[r.Event.ID] = r.Event
	}
	delete(b.untold, r.Told)
}

// commit writes a changed copy of an intent, with the event that tells its new state if it is final.
func (b *bank) commit(next intent) error {
	records := []record{{At: b.now(), Intent: &next}}
	before, existed := b.intents[next.Reference]
	if existed && before.State != next.State && next.State.final() {
		records = append(records, record{At: b.now(), Event: &event{
			ID: randomName("evt_"), Type: "intent." + string(next.State), CreatedAt: b.now(),
			Reference: next.Reference, Order: next.Order, Status: next.State.status(),
		}})
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
	if want.ExpiresAt.Sub(now) < minWindow {
		return intent{}, false, fault.New(fault.PaymentWindow, "an intent must live at least %s", minWindow)
	}
	want.Reference, want.State, want.CreatedAt = randomName("pi_"), pending, now
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
	now := b.now()
	switch {
	case next.State == processing && !now.Before(next.CaptureAt):
		next.State = captured
	case next.State == pending && !now.Before(next.ExpiresAt):
		next.State, next.Reason = cancelled, "expired"
	default:
		return next, nil
	}
	return next, b.commit(next)
}

// change moves a pending intent on; one that is past that is returned as it is.
func (b *bank) change(reference string, move func(*intent)) (intent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, err := b.current(reference)
	if err != nil || next.State != pending {
		return next, err
	}
	move(&next)
	return next, b.commit(next)
}

func (b *bank) cancel(reference string) (intent, error) {
	return b.change(reference, func(i *intent) { i.State, i.Reason = cancelled, "cancelled by the merchant" })
}

// choose is what the fan pressed on the pay page.
func (b *bank) choose(reference, decision string) (intent, error) {
	var move func(*intent)
	switch decision {
	case "approve":
		move = func(i *intent) { i.State = captured }
	case "slow":
		move = func(i *intent) { i.State, i.CaptureAt = processing, b.now().Add(b.slowFor) }
	case "decline":
		move = func(i *intent) { i.State, i.Reason = declined, "the card was declined" }
	default:
		return intent{}, fault.New(fault.Invalid, "decision must be approve, decline or slow")
	}
	return b.change(reference, move)
}

// giveBack refunds part or all of a captured intent, once per key.
func (b *bank) giveBack(reference, key string, amount money.Amount) (refund, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, err := b.current(reference)
	if err != nil {
		return refund{}, err
	}
	for _, r := range next.Refunds {
		if r.Key == key {
			if r.Amount != amount.Minor {
				return refund{}, fault.New(fault.KeyReused, "this key was used for another refund")
			}
			return r, nil
		}
	}
	left := next.Amount - next.refunded()
	if next.State != captured || amount.Currency != next.Currency || amount.Minor <= 0 || amount.Minor > left {
		return refund{}, fault.New(fault.Invalid, "%s cannot be refunded: the payment is %s with %s left",
			amount, next.State, money.Amount{Minor: left, Currency: next.Currency})
	}
	made := refund{Key: key, Amount: amount.Minor, At: b.now()}
	next.Refunds = append(slices.Clone(next.Refunds), made)
	return made, b.commit(next)
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
