package db_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"plateia/core/checkout"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/db"
	"plateia/db/dbtest"
)

// desk is checkout's store with rows put in by hand.
type desk struct {
	*db.Orders
	t *testing.T
	d *db.DB
}

func openDesk(t *testing.T) *desk {
	d := dbtest.New(t)
	return &desk{db.NewOrders(d), t, d}
}

func (k *desk) sql(statement string, args ...any) {
	k.t.Helper()
	if _, err := k.d.Pool().Exec(k.t.Context(), statement, args...); err != nil {
		k.t.Fatal(err)
	}
}

// order puts an order in a state, with a hold in state 2 (paying).
func (k *desk) order(account id.ID, status order.Status, at time.Time) order.Order {
	k.t.Helper()
	o := order.Order{ID: id.New(), Event: id.New(), Account: account, Hold: id.New(), Status: status, Key: id.New().String()}
	k.sql(`insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
		values ($1, $2, $3, '{1}', '{18000}', 2, now(), now(), $4, '', now())`, [16]byte(o.Hold), [16]byte(o.Event), [16]byte(account), o.Key)
	k.sql(`insert into orders (order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key, body_hash, created_at, updated_at)
		values ($1, $2, $3, $4, $5, 'BRL', 18000, '[{"kind":"seat","ordinal":1,"amount":18000}]', $6, '', $7, $7)`,
		[16]byte(o.ID), [16]byte(o.Event), [16]byte(account), [16]byte(o.Hold), string(status), o.Key, at)
	return o
}

// attempt puts an attempt of an order in a state.
func (k *desk) attempt(o order.Order, status payment.Status, reference string) id.ID {
	k.t.Helper()
	a := id.New()
	k.sql(`insert into attempt (attempt_id, order_id, account_id, provider, reference, status, amount, currency, expires_at, idem_key, body_hash, created_at, updated_at)
		values ($1, $2, $3, 'sandbox', $4, $5, 18000, 'BRL', now() + interval '5 minutes', $6, '', now(), now())`,
		[16]byte(a), [16]byte(o.ID), [16]byte(o.Account), reference, string(status), a.String())
	return a
}

func (k *desk) is(o order.Order, want order.Status) order.Order {
	k.t.Helper()
	got, err := k.Order(k.t.Context(), o.ID)
	if err != nil || got.Status != want {
		k.t.Fatalf("order is %s, %v; want %s", got.Status, err, want)
	}
	return got
}

func (k *desk) attemptIs(a id.ID, want payment.Status) payment.Attempt {
	k.t.Helper()
	got, err := k.Attempt(k.t.Context(), a)
	if err != nil || got.Status != want {
		k.t.Fatalf("attempt is %s, %v; want %s", got.Status, err, want)
	}
	return got
}

// changed checks a conditional write's answer.
func (k *desk) changed(want bool) func(bool, error) {
	k.t.Helper()
	return func(got bool, err error) {
		k.t.Helper()
		if err != nil || got != want {
			k.t.Fatalf("changed %v, %v; want %v", got, err, want)
		}
	}
}

func TestOrdersAreReadAndPaged(t *testing.T) {
	k := openDesk(t)
	me, at := id.New(), time.Now().UTC().Truncate(time.Microsecond)
	var mine []id.ID
	for i := range 5 {
		mine = append(mine, k.order(me, order.Confirmed, at.Add(time.Duration(i/2)*time.Second)).ID) // some share an instant
	}
	k.order(id.New(), order.Confirmed, at)
	var got []id.ID
	var after checkout.Position
	for {
		page, err := k.OrdersOf(t.Context(), me, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, o := range page {
			if len(o.Lines) != 1 || o.Lines[0].Amount != 18000 || o.Total != 18000 {
				t.Fatalf("read %+v", o)
			}
			got = append(got, o.ID)
		}
		last := page[len(page)-1]
		after = checkout.Position{At: last.CreatedAt, Order: last.ID}
	}
	if len(got) != 5 || got[4] != mine[0] && got[4] != mine[1] {
		t.Errorf("pages gave %v of %v", got, mine)
	}
	slices.SortFunc(got, func(a, b id.ID) int { return slices.Compare(a[:], b[:]) })
	if len(slices.Compact(got)) != 5 {
		t.Error("a page repeated an order")
	}
	if _, err := k.Order(t.Context(), id.New()); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("unknown order: %v", err)
	}
}

func TestAttemptsMoveOnlyForward(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.PendingPayment, time.Now())
	a := k.attempt(o, payment.Created, "")
	intent := payment.Intent{Reference: "pi_1", ActionURL: "/sandbox/pay/pi_1"}
	k.changed(true)(k.Opened(t.Context(), a, intent))
	k.changed(false)(k.Opened(t.Context(), a, intent))
	got := k.attemptIs(a, payment.Pending)
	if got.Reference != "pi_1" || got.ActionURL != intent.ActionURL || got.Amount != (money.Amount{Minor: 18000, Currency: "BRL"}) {
		t.Errorf("opened as %+v", got)
	}
	if same, err := k.AttemptByReference(t.Context(), "sandbox", "pi_1"); err != nil || same.ID != a {
		t.Errorf("by reference: %v, %v", same.ID, err)
	}
	if _, err := k.AttemptByReference(t.Context(), "sandbox", ""); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an empty reference found something: %v", err)
	}
	k.changed(true)(k.Unanswered(t.Context(), a, "silence"))
	k.changed(false)(k.Unanswered(t.Context(), a, "silence"))
	k.changed(false)(k.Opened(t.Context(), a, payment.Intent{Reference: "pi_other"}))
	k.changed(true)(k.Opened(t.Context(), a, intent))
}

// An UNKNOWN attempt that turns out to be open while another one is, keeps its reference and stays UNKNOWN.
func TestOnlyOneAttemptIsOpen(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.PendingPayment, time.Now())
	old := k.attempt(o, payment.Unknown, "")
	k.attempt(o, payment.Pending, "pi_2")
	k.changed(false)(k.Opened(t.Context(), old, payment.Intent{Reference: "pi_1"}))
	if got := k.attemptIs(old, payment.Unknown); got.Reference != "pi_1" {
		t.Errorf("the reference was lost: %+v", got)
	}
}

func TestClaimsAreExclusive(t *testing.T) {
	k := openDesk(t)
	const total = 40
	for range total {
		k.attempt(k.order(id.New(), order.PendingPayment, time.Now()), payment.Pending, id.New().String())
	}
	k.attempt(k.order(id.New(), order.Confirmed, time.Now()), payment.Captured, "pi_done")
	now := time.Now().Add(time.Minute)
	if early, err := k.ClaimAttempts(t.Context(), now.Add(-2*time.Minute), now, 10); err != nil || len(early) != 0 {
		t.Fatalf("claimed %d before they were due, %v", len(early), err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[id.ID]int{}
	for range 8 {
		wg.Go(func() {
			for range 10 {
				got, err := k.ClaimAttempts(t.Context(), now, now.Add(time.Minute), 3)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, d := range got {
					seen[d.Attempt]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != total {
		t.Errorf("%d of %d claimed", len(seen), total)
	}
	for a, times := range seen {
		if times != 1 {
			t.Errorf("%s was claimed %d times", a, times)
		}
	}
	again, err := k.ClaimAttempts(t.Context(), now.Add(2*time.Minute), now.Add(3*time.Minute), 100)
	if err != nil || len(again) != total || again[0].Checks != 2 {
		t.Errorf("after the lease %d, %v", len(again), err)
	}
}

func TestAskCancel(t *testing.T) {
	k := openDesk(t)
	me := id.New()
	key := inventory.Idempotency{Key: "k1", BodyHash: [32]byte{1}}
	o := k.order(me, order.PendingPayment, time.Now())
	for range 2 {
		got, err := k.AskCancel(t.Context(), me, o.ID, key)
		if err != nil || got.CancelAskedAt.IsZero() || got.Status != order.PendingPayment {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if _, err := k.AskCancel(t.Context(), me, o.ID, inventory.Idempotency{Key: "k1", BodyHash: [32]byte{2}}); fault.CodeOf(err) != fault.KeyReused {
		t.Errorf("another request under the key: %v", err)
	}
	if _, err := k.AskCancel(t.Context(), id.New(), o.ID, key); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a stranger: %v", err)
	}
	paid := k.order(me, order.Confirmed, time.Now())
	if got, err := k.AskCancel(t.Context(), me, paid.ID, inventory.Idempotency{Key: "k2"}); err != nil || !got.CancelAskedAt.IsZero() {
		t.Errorf("a paid order was marked: %+v, %v", got, err)
	}
}

func TestFailedOrdersEndWithTheirHold(t *testing.T) {
	k := openDesk(t)
	me := id.New()
	waiting, gone, unwanted := k.order(me, order.Failed, time.Now()), k.order(me, order.Failed, time.Now()), k.order(me, order.Failed, time.Now())
	if _, err := k.AskCancel(t.Context(), me, unwanted.ID, inventory.Idempotency{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	k.sql(`update hold set state = 5 where hold_id = any($1)`, [][16]byte{gone.Hold, unwanted.Hold})
	if n, err := k.EndFailed(t.Context()); err != nil || n != 2 {
		t.Fatalf("ended %d, %v", n, err)
	}
	k.is(waiting, order.Failed)
	k.is(gone, order.Expired)
	k.is(unwanted, order.Cancelled)
}

func (k *desk) refundOf(o order.Order, a id.ID) payment.Refund {
	return payment.Refund{ID: id.New(), Order: o.ID, Attempt: a, Kind: payment.RefundUnsold, Status: payment.RefundRequested, Amount: money.Amount{Minor: 18000, Currency: "BRL"}, Reason: "late", CreatedAt: time.Now()}
}

func TestRefundLife(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.Expired, time.Now())
	a := k.attempt(o, payment.Cancelled, "pi_1")
	r := k.refundOf(o, a)
	k.changed(true)(k.RequestRefund(t.Context(), r))
	k.changed(false)(k.RequestRefund(t.Context(), k.refundOf(o, a)))
	k.attemptIs(a, payment.Captured)
	if got := k.is(o, order.Expired); got.Reason != "late" {
		t.Errorf("reason %q", got.Reason)
	}
	due, err := k.ClaimRefunds(t.Context(), time.Now().Add(time.Second), time.Now().Add(time.Minute), 10)
	if err != nil || len(due) != 1 || due[0].ID != r.ID || due[0].Tries != 1 {
		t.Fatalf("due %+v, %v", due, err)
	}
	for _, status := range []payment.RefundStatus{payment.RefundPending, payment.RefundDone, payment.RefundDone, payment.RefundPending} {
		k.settle(r, 0, status)
	}
	k.is(o, order.Refunded)
	if got := k.attemptIs(a, payment.Captured); got.Refunded != 18000 {
		t.Errorf("refunded %d", got.Refunded)
	}
	if again := k.settle(r, 0, payment.RefundFailed); again.Status != payment.RefundRequested || again.Round != 1 { // it came back
		t.Errorf("came back as %+v", again)
	}
	k.is(o, order.Refunded)
	if got := k.attemptIs(a, payment.Captured); got.Refunded != 0 {
		t.Errorf("refunded %d after it came back", got.Refunded)
	}
	if late := k.settle(r, 0, payment.RefundDone); late.Status != payment.RefundRequested {
		t.Errorf("a late answer to the first round made it %s", late.Status)
	}
	for round := 1; round < payment.MaxRounds; round++ {
		k.settle(r, round, payment.RefundFailed)
	}
	k.is(o, order.Review)
	if due, err := k.ClaimRefunds(t.Context(), time.Now().Add(1000*time.Hour), time.Now(), 10); err != nil || len(due) != 0 {
		t.Errorf("a refund that failed for good is due: %+v, %v", due, err)
	}
}

func (k *desk) settle(r payment.Refund, round int, status payment.RefundStatus) payment.Refund {
	k.t.Helper()
	now, _, err := k.SettleRefund(k.t.Context(), r.ID, round, status, time.Now())
	if err != nil {
		k.t.Fatal(err)
	}
	return now
}

// The refund of a second payment leaves an order that stands alone.
func TestExtraRefundLeavesTheOrder(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.Confirmed, time.Now())
	k.attempt(o, payment.Captured, "pi_1")
	extra := k.attempt(o, payment.Unknown, "pi_2")
	r := k.refundOf(o, extra)
	k.changed(true)(k.RequestRefund(t.Context(), r))
	k.settle(r, 0, payment.RefundDone)
	if got := k.is(o, order.Confirmed); got.Reason != "" {
		t.Errorf("reason %q", got.Reason)
	}
}

// One claim of the money wins, however many processes try at once.
func TestMoneyIsClaimedOnce(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.Expired, time.Now())
	a := k.attempt(o, payment.Unknown, "pi_1")
	var wg sync.WaitGroup
	wins := make(chan bool, 16)
	for range cap(wins) {
		wg.Go(func() {
			won, err := k.RequestRefund(t.Context(), k.refundOf(o, a))
			if err != nil {
				t.Error(err)
			}
			wins <- won
		})
	}
	wg.Wait()
	close(wins)
	won := 0
	for w := range wins {
		if w {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d claims won", won)
	}
}

func TestReview(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.PendingPayment, time.Now())
	a := k.attempt(o, payment.Pending, "pi_1")
	k.changed(true)(k.Review(t.Context(), o.ID, a, money.Amount{}, "differs"))
	k.attemptIs(a, payment.Pending)
	k.changed(false)(k.Review(t.Context(), o.ID, a, money.Amount{Minor: 1, Currency: "BRL"}, "differs"))
	k.attemptIs(a, payment.Captured)
	if got := k.is(o, order.Review); got.Reason != "differs" {
		t.Errorf("reason %q", got.Reason)
	}
}

func TestDeliveriesAreKeptUntilProcessed(t *testing.T) {
	k := openDesk(t)
	now := time.Now().UTC().Truncate(time.Microsecond)
	make := func(event string) checkout.Delivery {
		return checkout.Delivery{ID: id.New(), Provider: "sandbox", Event: payment.Event{ID: event, Reference: "pi_1"}, Body: []byte(`{"a":1}`), ReceivedAt: now}
	}
	first := make("evt_1")
	k.changed(true)(k.SaveDelivery(t.Context(), first))
	k.changed(false)(k.SaveDelivery(t.Context(), make("evt_1")))
	k.changed(true)(k.SaveDelivery(t.Context(), make("evt_2")))
	claimed, err := k.ClaimDeliveries(t.Context(), now, now.Add(time.Minute), 10)
	if err != nil || len(claimed) != 2 {
		t.Fatalf("%d claimed, %v", len(claimed), err)
	}
	first.Tries = 1
	if i := slices.IndexFunc(claimed, func(d checkout.Delivery) bool { return d.ID == first.ID }); i < 0 || fmt.Sprint(claimed[i]) != fmt.Sprint(first) {
		t.Errorf("claimed %+v", claimed)
	}
	if err := k.FinishDelivery(t.Context(), first.ID, checkout.DeliveryProcessed, ""); err != nil {
		t.Fatal(err)
	}
	k.changed(false)(k.SaveDelivery(t.Context(), make("evt_1"))) // told again after it was done
	later, err := k.ClaimDeliveries(t.Context(), now.Add(2*time.Minute), now.Add(3*time.Minute), 10)
	if err != nil || len(later) != 1 || later[0].Tries != 2 {
		t.Errorf("after the lease %+v, %v", later, err)
	}
}
