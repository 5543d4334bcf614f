package checkout_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/payment"
)

// keeper is a shop whose holds all end soon, and whose provider is away when a switch says so.
type keeper struct {
	*shop
	away atomic.Bool
}

func openKeeper(t *testing.T, holdMax int) *keeper {
	t.Helper()
	t.Parallel()
	rules := event.DefaultRules()
	rules.HoldSeconds, rules.HoldMaxSeconds, rules.PaySeconds, rules.PayMarginSeconds = 120, holdMax, 60, 5
	k := &keeper{shop: openShopWith(t, 4, rules)}
	k.openBank()
	var err error
	k.Service, err = checkout.New(k.orders, k.inv, checkout.Options{ // not started: payments stay as they are
		Providers: []payment.Provider{k.provider}, Down: func(string) bool { return k.away.Load() }, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *keeper) keeps(want int) {
	k.t.Helper()
	if n, err := k.Keep(k.t.Context()); err != nil || n != want {
		k.t.Errorf("kept %d holds, %v, want %d", n, err, want)
	}
}

func (k *keeper) state(hold id.ID) inventory.Hold {
	k.t.Helper()
	h, err := k.inv.Hold(k.t.Context(), hold)
	if err != nil {
		k.t.Fatal(err)
	}
	return h
}

// While nobody can pay, holds that would end are moved: those that are being chosen and those that are being paid.
// A hold that was given back stays so, and with a provider there nothing is moved.
func TestHoldsAreKeptWhileNobodyCanPay(t *testing.T) {
	k := openKeeper(t, 240)
	choosing, paying, gone := k.fan(0), k.fan(1), k.fan(2)
	paying.order()
	if _, err := k.inv.Do(t.Context(), k.event.ID, inventory.Release{Account: gone.id, Hold: gone.hold}); err != nil {
		t.Fatal(err)
	}
	before := []inventory.Hold{k.state(choosing.hold), k.state(paying.hold), k.state(gone.hold)}

	k.keeps(0)
	for _, b := range before {
		if h := k.state(b.ID); !h.ExpiresAt.Equal(b.ExpiresAt) {
			t.Errorf("with a provider there, a hold that is %v moved from %v to %v", h.State, b.ExpiresAt, h.ExpiresAt)
		}
	}

	k.away.Store(true)
	k.keeps(2)
	for _, b := range before[:2] {
		if h := k.state(b.ID); h.State != b.State || !h.ExpiresAt.After(b.ExpiresAt) || h.ExpiresAt.After(h.HardExpiresAt) || !h.HardExpiresAt.Equal(b.HardExpiresAt) {
			t.Errorf("in the outage a hold that was %v until %v is %v until %v, absolutely %v", b.State, b.ExpiresAt, h.State, h.ExpiresAt, h.HardExpiresAt)
		}
	}
	if h := k.state(gone.hold); h.State != inventory.HoldReleased || !h.ExpiresAt.Equal(before[2].ExpiresAt) {
		t.Errorf("a hold that was given back is %v until %v", h.State, h.ExpiresAt)
	}

	k.away.Store(false)
	at := k.state(choosing.hold).ExpiresAt
	k.keeps(0)
	if h := k.state(choosing.hold); !h.ExpiresAt.Equal(at) {
		t.Errorf("with the provider back, a hold moved from %v to %v", at, h.ExpiresAt)
	}
}

// However long the outage, a hold's absolute end stands.
func TestHoldsAreNotKeptBeyondTheirAbsoluteEnd(t *testing.T) {
	k := openKeeper(t, 121)
	f := k.fan(0)
	hard := k.state(f.hold).HardExpiresAt
	k.away.Store(true)
	eventually(t, "the hold is kept until its absolute end", func() bool {
		if _, err := k.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		h := k.state(f.hold)
		if h.ExpiresAt.After(hard) || !h.HardExpiresAt.Equal(hard) {
			t.Fatalf("kept until %v, absolutely %v; it was %v", h.ExpiresAt, h.HardExpiresAt, hard)
		}
		return h.ExpiresAt.Equal(hard)
	})
	k.keeps(0)
	if left := time.Until(k.state(f.hold).ExpiresAt); left > 121*time.Second {
		t.Errorf("a hold of 121 s at most has %v left", left)
	}
}
