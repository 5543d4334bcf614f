package inventory

import (
	"slices"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// Needs says which rows a batch must have before it can be decided.
type Needs struct {
	Seats       []seatmap.Ordinal
	Known       []Seat   // rows that need not be loaded: their guards will tell whether they have changed
	Accounts    []id.ID  // their buyer rows, live holds, holds ended within InheritWindow, and holds with one of HoldKeys
	Buyers      []id.ID  // their buyer rows only
	HoldKeys    []string // idempotency keys of Accounts
	Holds       []id.ID
	Orders      []id.ID // with their attempts and tickets
	OrdersOf    []id.ID // the same, by hold
	Refunds     []id.ID // refunds of these orders
	PayAccounts []id.ID // orders and attempts of these accounts with one of PayKeys
	PayKeys     []string
	KeyAccounts []id.ID // request keys of these accounts with one of RequestKeys
	RequestKeys []string

	spare   *Snapshot          // of a batch that is over: its memory is used again
	guesses map[id.ID]guess    // accounts that are not loaded
	sure    bool               // a seat that is free and public may be refused: load them all
	whole   map[id.ID]struct{} // holds whose seats and buyer must be there: a command may end them
	placing map[id.ID]struct{} // accounts whose live hold may be replaced
}

// Empty reports whether there is nothing (more) to load.
func (n *Needs) Empty() bool {
	return len(n.Seats)+len(n.Accounts)+len(n.Buyers)+len(n.Holds)+len(n.Orders)+len(n.OrdersOf)+len(n.Refunds)+
		len(n.PayAccounts)+len(n.KeyAccounts) == 0
}

// NeedsOf collects what a batch of commands needs at first.
func NeedsOf(commands []Command) Needs {
	n := Needs{
		Seats: make([]seatmap.Ordinal, 0, 2*len(commands)), Accounts: make([]id.ID, 0, len(commands)),
		whole: map[id.ID]struct{}{}, placing: make(map[id.ID]struct{}, len(commands)),
	}
	for _, command := range commands {
		n.add(command)
	}
	slices.Sort(n.Seats) // neighbours share pages
	n.Seats = slices.Compact(n.Seats)
	return n
}

func (n *Needs) add(command Command) {
	switch c := command.(type) {
	case PlaceHold:
		n.Seats = append(n.Seats, c.Seats...)
		n.sure = n.sure || c.Channel != 0
		if _, again := n.placing[c.Account]; !again {
			n.placing[c.Account] = struct{}{}
			n.Accounts = append(n.Accounts, c.Account)
		}
		if c.Key != "" {
			n.HoldKeys = append(n.HoldKeys, c.Key)
		}
	case Release:
		n.hold(c.Hold)
	case Extend:
		n.Holds = append(n.Holds, c.Hold)
		if c.Key != "" {
			n.KeyAccounts, n.RequestKeys = append(n.KeyAccounts, c.Account), append(n.RequestKeys, c.Key)
		}
	case StartPayment:
		n.startPayment(c)
	case EndAttempt:
		n.Orders = append(n.Orders, c.Order)
	case Sell:
		n.Orders = append(n.Orders, c.Order)
	case Return:
		n.Orders, n.Refunds = append(n.Orders, c.Order), append(n.Refunds, c.Order)
		if c.Key != "" {
			n.KeyAccounts, n.RequestKeys = append(n.KeyAccounts, c.Account), append(n.RequestKeys, c.Key)
		}
	case Resolve:
		n.Orders, n.Refunds = append(n.Orders, c.Order), append(n.Refunds, c.Order)
	case Expire:
		n.hold(c.Hold)
	case Block:
		n.Seats, n.sure = append(n.Seats, c.Seats...), true
	case Unblock:
		n.Seats, n.sure = append(n.Seats, c.Seats...), true
	case Allocate:
		n.Seats, n.sure = append(n.Seats, c.Seats...), true
	}
}

func (n *Needs) hold(hold id.ID) {
	n.Holds, n.whole[hold] = append(n.Holds, hold), struct{}{}
}

func (n *Needs) startPayment(c StartPayment) {
	if !c.Hold.IsZero() {
		n.Holds, n.OrdersOf = append(n.Holds, c.Hold), append(n.OrdersOf, c.Hold)
	}
	if c.Again {
		n.Orders = append(n.Orders, c.Order)
	}
	if c.Key != "" {
		n.PayAccounts, n.PayKeys = append(n.PayAccounts, c.Account), append(n.PayKeys, c.Key)
	}
}

// Missing says what else must be loaded, in the same snapshot, given what asked and
// has been loaded: the holds behind held seats, the holds of orders, and for every
// hold that a command may end, its seats and its buyer. Call it after each round
// until it is empty; it asks for nothing twice, so that the search ends.
func (s *Snapshot) Missing(asked *Needs) Needs {
	next := Needs{whole: asked.whole, placing: asked.placing}
	for _, ordinal := range asked.Seats {
		if r := s.seats[ordinal]; r != nil && r.is.Status == Held {
			s.wantHold(&next, r.is.Owner)
		}
	}
	for _, o := range s.orders {
		next.whole[o.is.Hold] = struct{}{}
		s.wantHold(&next, o.is.Hold)
		if firstTime(&s.wantedOrders, o.is.ID) { // found by its key or its hold: the attempts are still missing
			next.Orders = append(next.Orders, o.is.ID)
		}
	}
	for _, h := range s.holds {
		s.doubt(h.is.Account, &next)
		if s.mayEnd(&h.is, &next) {
			s.wantWhole(&next, &h.is)
		}
	}
	return next
}

// mayEnd reports whether a command of the batch may end this hold, or sell its
// seats although it has ended (late money).
func (s *Snapshot) mayEnd(h *Hold, next *Needs) bool {
	if _, named := next.whole[h.ID]; named {
		return true
	}
	_, placing := next.placing[h.Account]
	return h.State.Live() && (placing || dead(h, s.Now))
}

func (s *Snapshot) wantHold(next *Needs, hold id.ID) {
	if _, known := s.holds[hold]; !known && firstTime(&s.wantedHolds, hold) {
		next.Holds = append(next.Holds, hold)
	}
}

func (s *Snapshot) wantWhole(next *Needs, h *Hold) {
	if !firstTime(&s.wantedWhole, h.ID) {
		return
	}
	for _, seat := range h.Seats {
		if _, known := s.seats[seat.Ordinal]; !known {
			next.Seats = append(next.Seats, seat.Ordinal)
		}
	}
	if _, known := s.buyers[h.Account]; !known {
		next.Buyers = append(next.Buyers, h.Account)
	}
}

func firstTime(set *map[id.ID]struct{}, v id.ID) bool {
	if *set == nil {
		*set = map[id.ID]struct{}{}
	}
	_, again := (*set)[v]
	(*set)[v] = struct{}{}
	return !again
}
