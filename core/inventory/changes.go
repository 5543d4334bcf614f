package inventory

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// Changes is what a decision wants stored, all or nothing. Rows of the Updated
// lists must still be at Version-1, rows of the New lists must not exist. Lists
// are in the order of their keys, the same in every process, so that two writers
// wait for each other and never in a circle.
type Changes struct {
	Delta   Delta  // ID is the outbox row's
	Payload []byte // of the outbox row

	Seats           []Seat
	Moved           []Seat // those of Seats whose channel changed
	NewBuyers       []Buyer
	UpdatedBuyers   []Buyer
	NewHolds        []Hold
	UpdatedHolds    []Hold
	NewOrders       []order.Order
	UpdatedOrders   []order.Order
	NewAttempts     []AttemptRow
	UpdatedAttempts []AttemptRow
	Tickets         []ticket.Ticket
	Keys            []RequestKey
	Ended           []EndedHold
	Audits          []Audit
	Postings        []ledger.Posting // once each: one that is there already stays as it is
	Voided          []ticket.Ticket  // that were valid
	NewRefunds      []payment.Refund
	RetriedRefunds  []payment.Refund // that had failed, in their next round
	OrderAudits     []OrderAudit
}

// OrderAudit is a row of the audit of orders: what a person decided.
type OrderAudit struct {
	ID            id.ID
	Order         id.ID
	Action        string // confirm, refund
	Before, After order.Status
	By
}

// Audit is a row of the audit: what somebody changed about what is for sale.
type Audit struct {
	ID      id.ID
	Action  string // block, unblock, allocate
	Channel int    // allocate: to which
	Seats   []seatmap.Ordinal
	By
}

// EndedHold names a hold that ended unsold. An order that still hoped for its
// seats (PENDING_PAYMENT or FAILED) goes to Status with it.
type EndedHold struct {
	Hold   id.ID
	Status order.Status
	Reason string
}

func touch[T any](r *row[T], list *[]*row[T], version *int64) {
	if r.dirty {
		return
	}
	r.dirty = true
	*version++
	*list = append(*list, r)
}

func (s *Snapshot) touchSeat(r *row[Seat]) *Seat {
	touch(r, &s.touched.seats, &r.is.Version)
	return &r.is
}

// giveSeat changes whose a seat is. One whose channel has been released joins the public seats.
func (s *Snapshot) giveSeat(r *row[Seat], status Status, owner id.ID) {
	seat := s.touchSeat(r)
	seat.Status, seat.Owner = status, owner
	if seat.Channel != 0 && s.released(seat.Channel) {
		s.moveSeat(r, 0)
	}
	s.keepOpen(seat.Ordinal)
}

// moveSeat puts a seat into a channel.
func (s *Snapshot) moveSeat(r *row[Seat], channel int) {
	seat := s.touchSeat(r)
	seat.Channel = channel
	s.touched.moved = append(s.touched.moved, r)
	s.keepOpen(seat.Ordinal)
}

func (s *Snapshot) touchHold(r *row[Hold]) *Hold {
	touch(r, &s.touched.holds, &r.is.Version)
	return &r.is
}

func (s *Snapshot) touchBuyer(r *row[Buyer]) *Buyer {
	touch(r, &s.touched.buyers, &r.is.Version)
	return &r.is
}

func (s *Snapshot) touchOrder(r *row[order.Order]) *order.Order {
	touch(r, &s.touched.orders, &r.is.Version)
	r.is.UpdatedAt = s.Now
	return &r.is
}

func (s *Snapshot) touchAttempt(r *row[AttemptRow]) *AttemptRow {
	touch(r, &s.touched.attempts, &r.is.Version)
	r.is.UpdatedAt = s.Now
	return &r.is
}

// post books what happened to money, in the transaction in which it did.
func (s *Snapshot) post(p ledger.Posting) { s.touched.postings = append(s.touched.postings, p) }

// changes gathers what was touched. Nil when nothing was.
func (s *Snapshot) changes() *Changes {
	t := &s.touched
	if len(t.seats)+len(t.holds)+len(t.buyers)+len(t.orders)+len(t.attempts) == 0 {
		return nil
	}
	c := &Changes{
		Delta:   Delta{ID: id.New(), Event: s.Event.ID, At: s.Now},
		Tickets: t.tickets, Keys: t.keys, Ended: t.ended, Audits: t.audits, Postings: t.postings,
		Voided: t.voided, NewRefunds: t.refunds, RetriedRefunds: t.retried, OrderAudits: t.resolved,
	}
	slices.SortFunc(t.seats, func(a, b *row[Seat]) int { return cmp.Compare(a.is.Ordinal, b.is.Ordinal) })
	c.Seats, c.Delta.Changes = make([]Seat, len(t.seats)), make([]Change, len(t.seats))
	for i, r := range t.seats {
		c.Seats[i] = r.is
		c.Delta.Changes[i] = Change{Ordinal: r.is.Ordinal, Status: r.is.Shown(), Version: r.is.Version}
	}
	c.Moved = moved(t.moved)
	c.NewBuyers, c.UpdatedBuyers = split(t.buyers, func(b *Buyer) *id.ID { return &b.Account })
	c.NewHolds, c.UpdatedHolds = split(t.holds, func(h *Hold) *id.ID { return &h.ID })
	c.NewOrders, c.UpdatedOrders = split(t.orders, func(o *order.Order) *id.ID { return &o.ID })
	c.NewAttempts, c.UpdatedAttempts = split(t.attempts, func(a *AttemptRow) *id.ID { return &a.ID })
	slices.SortFunc(c.Ended, func(a, b EndedHold) int { return bytes.Compare(a.Hold[:], b.Hold[:]) })
	return c
}

// moved is by ordinal, each seat once however often it was moved.
func moved(rows []*row[Seat]) (seats []Seat) {
	slices.SortFunc(rows, func(a, b *row[Seat]) int { return cmp.Compare(a.is.Ordinal, b.is.Ordinal) })
	for _, r := range slices.Compact(rows) {
		seats = append(seats, r.is)
	}
	return seats
}

// split separates rows to insert from rows to update, each by key.
func split[T any](rows []*row[T], key func(*T) *id.ID) (fresh, updated []T) {
	slices.SortFunc(rows, func(a, b *row[T]) int {
		return bytes.Compare(key(&a.is)[:], key(&b.is)[:])
	})
	news := 0
	for _, r := range rows {
		if r.fresh {
			news++
		}
	}
	fresh, updated = slices.Grow(fresh, news), slices.Grow(updated, len(rows)-news)
	for _, r := range rows {
		if r.fresh {
			fresh = append(fresh, r.is)
		} else {
			updated = append(updated, r.is)
		}
	}
	return fresh, updated
}

// endHold frees whatever seats the hold still has and gives its buyer room. A live hold owns its seats: a row that says
// otherwise was remembered and is old, so it is put among those to be guarded, and the guard will say so.
func (s *Snapshot) endHold(r *row[Hold], state HoldState, outcome order.Status, reason string) {
	h := s.touchHold(r)
	for _, seat := range h.Seats {
		switch sr := s.seats[seat.Ordinal]; {
		case sr == nil:
		case sr.is.Status == Held && sr.is.Owner == h.ID:
			s.giveSeat(sr, Available, id.ID{})
		case !sr.dirty && h.State.Live():
			s.touchSeat(sr)
		}
	}
	s.closeHold(r, state)
	if !r.fresh {
		s.touched.ended = append(s.touched.ended, EndedHold{Hold: h.ID, Status: outcome, Reason: reason})
	}
	if o := s.orderOf[h.ID]; o != nil && o.is.Status.Open() {
		ended := s.touchOrder(o)
		ended.Status, ended.Reason = outcome, reason
	}
}

// closeHold ends the hold itself: its seats are somebody else's business.
func (s *Snapshot) closeHold(r *row[Hold], state HoldState) {
	h := s.touchHold(r)
	h.State, h.EndedAt = state, s.Now
	if b := s.buyers[h.Account]; b != nil && b.is.Hold == h.ID {
		buyer := s.touchBuyer(b)
		buyer.Hold, buyer.Held = id.ID{}, 0
	}
}

// buyer returns the account's row, as guessed when it was not loaded, a fresh one when it has none.
func (s *Snapshot) buyer(account id.ID) *row[Buyer] {
	if r := s.buyers[account]; r != nil {
		return r
	}
	is, fresh := s.guesses[account].row(account)
	r := cut(&s.buyerSlab, is, fresh)
	s.buyers[account] = r
	return r
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
