package db_test

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/db"
)

// Case 2: there is no way to a seat's status or owner past the guard of its version, and no statement but these writes them.
func TestEverySeatWriteIsGuarded(t *testing.T) {
	writes := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path, "holdbench/") {
			return err
		}
		for constant, sql := range sqlOf(t, path) {
			if !strings.Contains(strings.ToLower(sql), "update seat set") {
				continue
			}
			writes++
			guarded := strings.Contains(sql, seatGuard)
			switch constant {
			case "sqlUpdateSeatsPostgres": // what it looks up stands between the pieces
				guarded = strings.Contains(sql, "and version = ($5::int8[])[\n] - 1) is true")
			case "sqlMoveSeatsPostgres", "sqlMoveSeatsCockroach": // what the batch has just written, under the guard
				guarded = strings.Contains(sql, ".version = u.version")
			}
			if !guarded {
				t.Errorf("%s: %s writes seats without looking at their version", path, constant)
			}
		}
		return nil
	})
	if err != nil || writes < 2 {
		t.Errorf("found %d statements that write seats: %v", writes, err)
	}
}

// Case 5: somebody's lock is never given back. Whoever wants the seat is told within three seconds, nothing is left
// behind, and the same key gets its one answer when the lock is gone.
func TestALeakedLockKeepsNobodyWaiting(t *testing.T) {
	b := openBooth(t, 1, 4)
	leaked, err := b.d.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leaked.Exec(t.Context(), "update seat set version = version where ordinal = 1"); err != nil {
		t.Fatal(err)
	}
	command := place(id.New(), 0, 1)
	command.Idempotency = key("k", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err = b.Do(ctx, b.event.ID, command)
	if code := fault.CodeOf(err); code != fault.Busy && code != fault.OutcomeUnknown || fault.From(err).RetryAfter == 0 {
		t.Errorf("told %v", err)
	}
	b.must(place(id.New(), 3))                                      // nobody else waits
	if _, err := leaked.Exec(t.Context(), "select 1"); err != nil { // the lock was there all the time
		t.Errorf("the lock was given back meanwhile: %v", err)
	}
	if err := leaked.Rollback(context.Background()); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := b.do(command); err == nil {
			break
		} else if code := fault.CodeOf(err); code != fault.Busy && code != fault.OutcomeUnknown || time.Now().After(deadline) {
			t.Fatalf("after the lock was gone: %v", err)
		}
	}
	if n := b.count("select count(*) from seat where status = 1"); n != 3 {
		t.Errorf("%d seats are held", n)
	}
}

// Cases 10, 12 and 13: a seat has one row and one state; what expired or was cancelled is not sold, gives its places back
// once however often it is ended, and is not counted as sold anywhere.
func TestWhatEndedIsNotSold(t *testing.T) {
	b := openBooth(t, 1, 6, func(o *inventory.Options) { o.NoFastRefusal = true })
	for name, end := range map[string]inventory.EndAttempt{
		"expired":   {Status: "CANCELLED", FreeSeats: true},
		"cancelled": {Status: "CANCELLED", FreeSeats: true, CancelOrder: true},
	} {
		fan := id.New()
		h := b.must(place(fan, 0, 1)).Hold
		pay := inventory.StartPayment{Account: fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
		b.must(pay)
		end.Order, end.Attempt = pay.Order, pay.Attempt
		for range 2 {
			out := b.must(end)
			if want := map[string]order.Status{"expired": order.Expired, "cancelled": order.Cancelled}[name]; out.Order.Status != want {
				t.Errorf("%s: %s", name, out.Order.Status)
			}
			b.must(inventory.Release{Account: fan, Hold: h.ID})
		}
		report, err := b.d.Verify(t.Context(), b.event.ID, db.VerifyOptions{Publish: time.Hour})
		if err != nil || len(report.Violations) > 0 {
			t.Errorf("%s: %v, %v", name, report.Violations, err)
		}
		c := report.Counts
		if c["available"] != 6 || c["held"]+c["sold"]+c["validTickets"]+c["confirmedOrders"]+c["liveHolds"] != 0 {
			t.Errorf("%s: %v", name, c)
		}
		if n := b.count("select sold + held from buyer where account_id = $1", [16]byte(fan)); n != 0 {
			t.Errorf("%s: the buyer has %d", name, n)
		}
	}
}
