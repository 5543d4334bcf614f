package checkout_test

import (
	"slices"
	"sync"
	"testing"

	"plateia/core/id"
	"plateia/core/notice"
	"plateia/core/order"
)

// heard collects what checkout tells, which is what the engine does not: here the engine tells nobody.
type heard struct {
	mu  sync.Mutex
	all []notice.News
}

func (h *heard) tell(_ id.ID, news []notice.News) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, news...)
}

// of lists the statuses that an order was told with, the same in a row once.
func (h *heard) of(t *testing.T, o order.Order) (statuses []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.all {
		if n.ID == o.ID {
			if n.Account != o.Account || n.About != notice.Order {
				t.Errorf("told %+v", n)
			}
			statuses = append(statuses, n.State)
		}
	}
	return slices.Compact(statuses)
}

// A payment that can be made, a refund that is done and a payment that does not match are no business of the engine's:
// checkout tells the owner of them.
func TestOwnersAreToldOfPaymentsAndRefunds(t *testing.T) {
	h := &heard{}
	s := openShopTelling(t, h.tell)
	f := s.fan(0, 1)
	o := f.order()
	f.press(o, "nothing yet")
	eventually(t, "the open payment is told", func() bool { return slices.Contains(h.of(t, o), "PENDING_PAYMENT") })
	f.press(o, "approve")
	f.becomes(o, order.Confirmed)
	if _, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil {
		t.Fatal(err)
	}
	f.becomes(o, order.Refunded)
	eventually(t, "the refund is told", func() bool { return slices.Equal(h.of(t, o), []string{"PENDING_PAYMENT", "REFUNDED"}) })
	odd := s.mismatched(s.fan(2), "17999")
	eventually(t, "the odd payment is told", func() bool { return slices.Contains(h.of(t, odd), "REVIEW") })
}
