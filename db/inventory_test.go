package db_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

// booth is a real engine on a real database, with one event on sale.
type booth struct {
	*inventory.Inventory
	t     testing.TB
	d     *db.DB
	store *db.InventoryStore
	cat   *db.Catalog
	event event.Event
}

func openBooth(t testing.TB, rows, seats int, change ...func(*inventory.Options)) *booth {
	t.Helper()
	d := dbtest.New(t)
	cat := db.NewCatalog(d)
	return anotherBooth(t, d, cat, onSale(t, cat, rows, seats), change...)
}

// anotherBooth is one more process selling the same event.
func anotherBooth(t testing.TB, d *db.DB, cat *db.Catalog, e event.Event, change ...func(*inventory.Options)) *booth {
	t.Helper()
	store, err := db.OpenInventory(t.Context(), d, 0)
	if err != nil {
		t.Fatal(err)
	}
	if dialect := os.Getenv(speakVariable); dialect != "" {
		store.SpeakAs(db.Dialect(dialect))
	}
	opts := inventory.Options{Patience: time.Minute} // on a busy machine, too
	if testing.Verbose() {
		opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	for _, f := range change {
		f(&opts)
	}
	inv := inventory.New(store, cat, nil, opts)
	if err := inv.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := inv.Stop(ctx); err != nil {
			t.Error(err)
		}
		store.Close()
	})
	return &booth{Inventory: inv, t: t, d: d, store: store, cat: cat, event: e}
}

func (b *booth) do(command inventory.Command) (inventory.Outcome, error) {
	return b.Do(b.t.Context(), b.event.ID, command)
}

func (b *booth) must(command inventory.Command) inventory.Outcome {
	b.t.Helper()
	out, err := b.do(command)
	if err != nil {
		b.t.Fatalf("%T: %v", command, err)
	}
	return out
}

func (b *booth) refused(code fault.Code, command inventory.Command) *fault.Error {
	b.t.Helper()
	_, err := b.do(command)
	if fault.CodeOf(err) != code {
		b.t.Fatalf("%T: %v, want %s", command, err, code)
	}
	return fault.From(err)
}

func (b *booth) exec(sql string, args ...any) {
	b.t.Helper()
	if _, err := b.d.Pool().Exec(b.t.Context(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *booth) count(sql string, args ...any) (n int) {
	b.t.Helper()
	if err := b.d.Pool().QueryRow(b.t.Context(), sql, args...).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

func place(account id.ID, seats ...seatmap.Ordinal) inventory.PlaceHold {
	return inventory.PlaceHold{Hold: id.New(), Account: account, Seats: seats}
}

func key(k string, body byte) inventory.Idempotency {
	return inventory.Idempotency{Key: k, BodyHash: [32]byte{body}}
}

func TestHoldSellAndWhatTheRowsSay(t *testing.T) {
	b := openBooth(t, 4, 10)
	fan := id.New()
	held := b.must(place(fan, 3, 2)).Hold
	if order.Total(held.Lines(&event.Rules{})) != 36000 || held.State != inventory.HoldActive || len(held.Seats) != 2 || held.Seats[0].Ordinal != 2 {
		t.Fatalf("held %+v", held)
	}
	if got, err := b.Hold(t.Context(), held.ID); err != nil || order.Total(got.Lines(&event.Rules{})) != 36000 || !got.ExpiresAt.Equal(held.ExpiresAt) {
		t.Fatalf("Hold() = %+v, %v", got, err)
	}
	if got, err := b.LiveHold(t.Context(), b.event.ID, fan); err != nil || got.ID != held.ID {
		t.Fatalf("LiveHold() = %+v, %v", got, err)
	}
	err := b.refused(fault.SeatTaken, place(id.New(), 1, 2))
	if seats := err.Details["seats"].([]string); len(seats) != 1 || seats[0] != "A-1-3" {
		t.Fatalf("taken: %v", seats)
	}
	pay := inventory.StartPayment{Account: fan, Hold: held.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox", Idempotency: key("k", 1)}
	started := b.must(pay)
	if started.Hold.State != inventory.HoldPaying || started.Order.Total != 36000 || started.Attempt.Amount.Minor != 36000 {
		t.Fatalf("started %+v", started)
	}
	sell := inventory.Sell{Order: pay.Order, Attempt: pay.Attempt, Captured: money.Amount{Minor: 36000, Currency: "BRL"}}
	sold := b.must(sell)
	if sold.Order.Status != order.Confirmed || len(sold.Tickets) != 2 || sold.Hold.State != inventory.HoldConverted {
		t.Fatalf("sold %+v", sold)
	}
	again := b.must(sell)
	if !again.Replayed || len(again.Tickets) != 2 || again.Tickets[0].ID != sold.Tickets[0].ID {
		t.Fatalf("again %+v", again)
	}
	if n := b.count("select count(*) from seat where status = 2 and owner = $1", [16]byte(pay.Order)); n != 2 {
		t.Fatalf("%d sold rows", n)
	}
	if n := b.count("select sold from buyer where account_id = $1", [16]byte(fan)); n != 2 {
		t.Fatalf("buyer has %d", n)
	}
	a, errA := b.Availability(t.Context(), b.event.ID)
	if errA != nil || a.Free[0] != 38 || a.Statuses[0] != 2<<4|2<<6 {
		t.Fatalf("availability %+v %v", a, errA)
	}
}

func TestReplacementReleaseAndRepetition(t *testing.T) {
	b := openBooth(t, 4, 10)
	fan := id.New()
	first := place(fan, 0, 1)
	first.Idempotency = key("a", 1)
	one := b.must(first).Hold
	repeat := first
	repeat.Hold = id.New()
	if again := b.must(repeat); !again.Replayed || again.Hold.ID != one.ID {
		t.Fatalf("repeated: %+v", again)
	}
	repeat.BodyHash = [32]byte{9}
	b.refused(fault.KeyReused, repeat)
	two := b.must(place(fan, 1, 2)).Hold
	if !two.HardExpiresAt.Equal(one.HardExpiresAt) {
		t.Fatalf("the seat held again got a new life: %v, %v", one.HardExpiresAt, two.HardExpiresAt)
	}
	if old, _ := b.Hold(t.Context(), one.ID); old.State != inventory.HoldReleased {
		t.Fatalf("the old hold is %v", old.State)
	}
	other := b.must(place(id.New(), 0)).Hold
	b.refused(fault.SeatTaken, place(fan, 0, 5))
	if still, _ := b.LiveHold(t.Context(), b.event.ID, fan); still.ID != two.ID {
		t.Fatal("a refused replacement ended the old hold")
	}
	b.refused(fault.NotFound, inventory.Release{Account: fan, Hold: other.ID})
	b.must(inventory.Release{Account: fan, Hold: two.ID})
	b.must(inventory.Release{Account: fan, Hold: two.ID})
	if n := b.count("select count(*) from seat where status = 1"); n != 1 {
		t.Fatalf("%d seats held", n)
	}
	ext := inventory.Extend{Account: other.Account, Hold: other.ID, Idempotency: key("x", 3)}
	b.must(ext)
	if again := b.must(ext); !again.Replayed {
		t.Fatal("extend was not repeated")
	}
	ext.BodyHash = [32]byte{4}
	b.refused(fault.KeyReused, ext)
}

func TestDeadHoldsAreTakenWhole(t *testing.T) {
	b := openBooth(t, 4, 10, func(o *inventory.Options) { o.NoFastRefusal = true })
	victim := b.must(place(id.New(), 0, 1, 2)).Hold
	b.exec("update hold set expires_at = now() - interval '3 seconds' where hold_id = $1", [16]byte(victim.ID))
	b.must(place(id.New(), 2, 3))
	if n := b.count("select count(*) from seat where status = 1"); n != 2 {
		t.Fatalf("%d seats held, want the taker's two", n)
	}
	if old, _ := b.Hold(t.Context(), victim.ID); old.State != inventory.HoldExpired {
		t.Fatalf("the victim's hold is %v", old.State)
	}
	if n := b.count("select held from buyer where account_id = $1", [16]byte(victim.Account)); n != 0 {
		t.Fatalf("the victim still counts %d", n)
	}
	b.refused(fault.HoldGone, inventory.Extend{Account: victim.Account, Hold: victim.ID})
}

func TestSweeperFreesSeats(t *testing.T) {
	b := openBooth(t, 4, 10)
	victim := b.must(place(id.New(), 0, 1, 2)).Hold
	if err := b.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.count("select count(*) from seat where status = 1"); n != 3 {
		t.Fatal("a live hold was swept")
	}
	b.exec("update hold set expires_at = now() - interval '3 seconds' where hold_id = $1", [16]byte(victim.ID))
	b.exec("update hold_due set due_at = now() - interval '3 seconds'")
	if err := b.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.count("select count(*) from seat where status = 1"); n != 0 {
		t.Fatalf("%d seats still held", n)
	}
}

func TestDeclineLateMoneyAndReview(t *testing.T) {
	b := openBooth(t, 4, 10, func(o *inventory.Options) { o.NoFastRefusal = true })
	fan := id.New()
	start := func(seats ...seatmap.Ordinal) (inventory.StartPayment, inventory.Outcome) {
		h := b.must(place(fan, seats...)).Hold
		pay := inventory.StartPayment{Account: fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
		return pay, b.must(pay)
	}
	pay, out := start(0, 1)
	b.refused(fault.PaymentInProgress, place(fan, 5))
	b.refused(fault.PaymentInProgress, inventory.Release{Account: fan, Hold: pay.Hold})
	ended := b.must(inventory.EndAttempt{Order: pay.Order, Attempt: pay.Attempt, Status: payment.Declined, Reason: "no money"})
	if ended.Order.Status != order.Failed || ended.Hold.State != inventory.HoldActive {
		t.Fatalf("declined: %+v", ended)
	}
	pay.Again, pay.Attempt = true, id.New()
	again := b.must(pay)
	if again.Order.Status != order.PendingPayment || again.Hold.State != inventory.HoldPaying {
		t.Fatalf("again: %+v", again)
	}
	ended = b.must(inventory.EndAttempt{Order: pay.Order, Attempt: pay.Attempt, Status: payment.Cancelled, Reason: "too late", FreeSeats: true})
	if ended.Order.Status != order.Expired || ended.Hold.State != inventory.HoldExpired {
		t.Fatalf("freed: %+v", ended)
	}
	if n := b.count("select count(*) from seat where status = 1"); n != 0 {
		t.Fatalf("%d seats still held", n)
	}
	amount := out.Attempt.Amount
	taker := b.must(place(id.New(), 1)).Hold
	b.refused(fault.HoldGone, inventory.Sell{Order: pay.Order, Attempt: pay.Attempt, Captured: amount})
	b.must(inventory.Release{Account: taker.Account, Hold: taker.ID})
	late := b.must(inventory.Sell{Order: pay.Order, Attempt: pay.Attempt, Captured: amount})
	if late.Order.Status != order.Confirmed || len(late.Tickets) != 2 {
		t.Fatalf("late money: %+v", late)
	}
	b.refused(fault.OrderState, inventory.Sell{Order: pay.Order, Attempt: out.Attempt.ID, Captured: amount})
	pay, _ = start(7)
	review, err := b.do(inventory.Sell{Order: pay.Order, Attempt: pay.Attempt, Captured: money.Amount{Minor: 1, Currency: "BRL"}})
	if fault.CodeOf(err) != fault.OrderState || review.Order.Status != order.Review {
		t.Fatalf("review: %+v, %v", review, err)
	}
}

func TestReleasedHoldTakesItsFailedOrderAlong(t *testing.T) {
	b := openBooth(t, 4, 10)
	fan := id.New()
	h := b.must(place(fan, 0)).Hold
	pay := inventory.StartPayment{Account: fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
	b.must(pay)
	b.must(inventory.EndAttempt{Order: pay.Order, Attempt: pay.Attempt, Status: payment.Declined})
	b.must(inventory.Release{Account: fan, Hold: h.ID})
	if n := b.count("select count(*) from orders where status = 'CANCELLED'"); n != 1 {
		t.Fatal("the order still hopes for seats that are gone")
	}
}

func TestBestAvailable(t *testing.T) {
	b := openBooth(t, 4, 10)
	if _, found := pick.Best(hall(t, id.New(), 1, 1, 4), pick.FullBitmap(4), []int64{1, 1}, pick.Query{Quantity: 2}); !found {
		t.Skip("core/pick does not choose yet")
	}
	for i := range 20 {
		out := b.must(inventory.PlaceHold{Hold: id.New(), Account: id.New(), Best: &pick.Query{Quantity: 2}})
		if len(out.Hold.Seats) != 2 {
			t.Fatalf("pick %d: %+v", i, out)
		}
	}
	b.refused(fault.NoSeats, inventory.PlaceHold{Hold: id.New(), Account: id.New(), Best: &pick.Query{Quantity: 1}})
}

func TestRefusalsChangeNothing(t *testing.T) {
	b := openBooth(t, 4, 10)
	fan := id.New()
	total := int64(1)
	for name, c := range map[string]struct {
		code    fault.Code
		command inventory.Command
	}{
		"no seats":      {fault.Invalid, place(fan)},
		"twice":         {fault.Invalid, place(fan, 1, 1)},
		"unknown seat":  {fault.NotFound, place(fan, 40)},
		"negative seat": {fault.NotFound, place(fan, -1)},
		"too many":      {fault.LimitExceeded, place(fan, 0, 1, 2, 3, 4, 5, 6)},
		"session":       {fault.SessionReplaced, inventory.PlaceHold{Hold: id.New(), Account: fan, Seats: []seatmap.Ordinal{1}, Session: id.New()}},
		"price":         {fault.PriceChanged, inventory.PlaceHold{Hold: id.New(), Account: fan, Seats: []seatmap.Ordinal{1}, ExpectedTotal: &total}},
		"party of 11":   {fault.Invalid, inventory.PlaceHold{Hold: id.New(), Account: fan, Best: &pick.Query{Quantity: 11}}},
		"no such hold":  {fault.NotFound, inventory.Release{Account: fan, Hold: id.New()}},
		"no such order": {fault.NotFound, inventory.Sell{Order: id.New(), Attempt: id.New()}},
	} {
		if _, err := b.do(c.command); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if _, err := b.Do(t.Context(), id.New(), place(fan, 1)); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("unknown event: %v", err)
	}
	if n := b.count("select (select count(*) from outbox) + (select count(*) from hold) + (select count(*) from buyer)"); n != 0 {
		t.Errorf("refusals wrote %d rows", n)
	}
	b.exec("update event set state = 'paused'")
	b.refused(fault.EventState, place(fan, 1))
}

func TestSettleTellsTheTruth(t *testing.T) {
	b := openBooth(t, 4, 10)
	never := id.New()
	for range 2 {
		if committed, err := b.store.Settle(t.Context(), b.event.ID, never); err != nil || committed {
			t.Fatalf("a batch that never was: %v, %v", committed, err)
		}
	}
	b.must(place(id.New(), 1))
	var there [16]byte
	if err := b.d.Pool().QueryRow(t.Context(), "select outbox_id from outbox where kind = 1").Scan(&there); err != nil {
		t.Fatal(err)
	}
	if committed, err := b.store.Settle(t.Context(), b.event.ID, there); err != nil || !committed {
		t.Fatalf("a batch that was committed: %v, %v", committed, err)
	}
	err := b.store.Commit(t.Context(), b.event.ID, inventory.NeedsOf([]inventory.Command{place(id.New(), 2)}), func(s *inventory.Snapshot) *inventory.Changes {
		_, changes := inventory.Decide(inventory.Hall{}, s, []inventory.Command{place(id.New(), 2)})
		changes.Delta.ID, changes.Payload = never, []byte{}
		return changes
	})
	if !errors.Is(err, inventory.ErrConflict) {
		t.Fatalf("a batch with a tombstone was committed: %v", err)
	}
}
