package inventory

import (
	"slices"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// row is a stored row on the desk: what was loaded, as far as it has been changed.
// The first change raises Version by one, so the guard of the write is Version-1.
type row[T any] struct {
	is    T
	fresh bool // not in the database yet: insert it
	dirty bool
}

// AttemptRow is an attempt with the columns that only the store needs.
type AttemptRow struct {
	payment.Attempt
	Account  id.ID
	BodyHash [32]byte
}

// RequestKey is the stored answer of a repeatable request whose row does not keep it.
type RequestKey struct {
	Account  id.ID
	Route    string
	Key      string
	BodyHash [32]byte
}

// Snapshot is everything a batch relies on, read at one instant. It is also the
// working copy: Decide takes it over, and a second decision needs a new one.
type Snapshot struct {
	Now   time.Time   // the database's clock
	Event event.Event // locked for the batch; what sells: state, prices, rules, currency, chart

	seats    map[seatmap.Ordinal]*row[Seat]
	holds    map[id.ID]*row[Hold]
	buyers   map[id.ID]*row[Buyer]
	orders   map[id.ID]*row[order.Order]
	attempts map[id.ID]*row[AttemptRow]
	tickets  map[id.ID][]ticket.Ticket  // by order
	refunds  map[id.ID][]payment.Refund // by attempt
	keys     map[keyRef]RequestKey

	holdsOf    map[id.ID][]*row[Hold] // by account
	holdByKey  map[keyRef]*row[Hold]
	orderByKey map[keyRef]*row[order.Order]
	orderOf    map[id.ID]*row[order.Order] // by hold
	attemptBy  map[keyRef]*row[AttemptRow]
	attemptsOf map[id.ID][]*row[AttemptRow] // by order

	open pick.Bitmap // for the orphan rule; nil until it is asked

	guesses map[id.ID]guess // buyers that are not loaded unless something speaks against it

	wantedHolds, wantedWhole, wantedOrders map[id.ID]struct{} // what has been asked for

	touched struct { // rows changed by the decision, in the order of their first change
		seats    []*row[Seat]
		moved    []*row[Seat] // whose channel changed
		holds    []*row[Hold]
		buyers   []*row[Buyer]
		orders   []*row[order.Order]
		attempts []*row[AttemptRow]
		tickets  []ticket.Ticket
		keys     []RequestKey
		ended    []EndedHold
		audits   []Audit
		postings []ledger.Posting
		voided   []ticket.Ticket
		refunds  []payment.Refund
		retried  []payment.Refund
		resolved []OrderAudit
	}

	loaded    []*row[Seat] // all of seats, in a row
	onlyHold  []*row[Hold] // lists of one for holdsOf are cut from here
	seatSlab  []row[Seat]  // rows are cut from here: one allocation for many
	holdSlab  []row[Hold]
	buyerSlab []row[Buyer]
}

type keyRef struct {
	account id.ID
	key     string // with the route in front where one table serves several
}

// NewSnapshot returns an empty snapshot with room for the rows that needs asks for.
func NewSnapshot(needs Needs) *Snapshot {
	seats, buyers := len(needs.Seats)+len(needs.Known), len(needs.Accounts)+len(needs.guesses)
	s := needs.spare
	if s == nil {
		s = &Snapshot{
			seats:     make(map[seatmap.Ordinal]*row[Seat], seats),
			holds:     make(map[id.ID]*row[Hold], buyers),
			buyers:    make(map[id.ID]*row[Buyer], buyers),
			holdByKey: make(map[keyRef]*row[Hold], buyers),
			holdsOf:   make(map[id.ID][]*row[Hold], buyers),
		}
	}
	s.loaded = slices.Grow(s.loaded, seats)
	s.seatSlab, s.holdSlab, s.buyerSlab = slices.Grow(s.seatSlab, seats), slices.Grow(s.holdSlab, buyers), slices.Grow(s.buyerSlab, buyers)
	s.guesses = needs.guesses
	for _, seat := range needs.Known {
		s.AddSeat(seat)
	}
	for _, o := range needs.Orders {
		firstTime(&s.wantedOrders, o)
	}
	return s
}

// recycled is an empty snapshot in the memory of one that nobody looks at any more. Half of what a hold
// would allocate is here.
func (s *Snapshot) recycled() *Snapshot {
	clear(s.seats)
	clear(s.holds)
	clear(s.buyers)
	clear(s.holdByKey)
	clear(s.holdsOf)
	out := &Snapshot{
		seats: s.seats, holds: s.holds, buyers: s.buyers, holdByKey: s.holdByKey, holdsOf: s.holdsOf, loaded: s.loaded[:0], onlyHold: s.onlyHold[:0],
		seatSlab: s.seatSlab[:0], holdSlab: s.holdSlab[:0], buyerSlab: s.buyerSlab[:0],
	}
	out.touched.seats, out.touched.holds, out.touched.buyers = s.touched.seats[:0], s.touched.holds[:0], s.touched.buyers[:0]
	return out
}

// cut returns a pointer to a new element of the slab; a full slab is replaced, never moved.
func cut[T any](slab *[]row[T], is T, fresh bool) *row[T] {
	if len(*slab) == cap(*slab) {
		*slab = make([]row[T], 0, 64)
	}
	*slab = append(*slab, row[T]{is: is, fresh: fresh})
	return &(*slab)[len(*slab)-1]
}

// AddSeat puts a loaded seat row in; a row that is there already stays.
func (s *Snapshot) AddSeat(seat Seat) {
	if _, known := s.seats[seat.Ordinal]; !known {
		r := cut(&s.seatSlab, seat, false)
		s.seats[seat.Ordinal], s.loaded = r, append(s.loaded, r)
	}
}

// AddHold puts a loaded hold row in.
func (s *Snapshot) AddHold(h Hold) {
	if _, known := s.holds[h.ID]; !known {
		s.addHold(cut(&s.holdSlab, h, false))
	}
}

func (s *Snapshot) addHold(r *row[Hold]) {
	h := &r.is
	s.holds[h.ID] = r
	if others := s.holdsOf[h.Account]; others != nil {
		s.holdsOf[h.Account] = append(others, r)
	} else {
		n := len(s.onlyHold)
		s.onlyHold = append(s.onlyHold, r)
		s.holdsOf[h.Account] = s.onlyHold[n : n+1 : n+1]
	}
	s.holdByKey[keyRef{h.Account, h.Key}] = r
}

// AddBuyer puts a loaded buyer row in.
func (s *Snapshot) AddBuyer(b Buyer) {
	if _, known := s.buyers[b.Account]; !known {
		s.buyers[b.Account] = cut(&s.buyerSlab, b, false)
	}
}

// AddOrder puts a loaded order row in.
func (s *Snapshot) AddOrder(o order.Order) {
	if _, known := s.orders[o.ID]; !known {
		s.addOrder(&row[order.Order]{is: o})
	}
}

func (s *Snapshot) addOrder(r *row[order.Order]) {
	if s.orders == nil {
		s.orders = map[id.ID]*row[order.Order]{}
		s.orderByKey = map[keyRef]*row[order.Order]{}
		s.orderOf = map[id.ID]*row[order.Order]{}
	}
	s.orders[r.is.ID] = r
	s.orderByKey[keyRef{r.is.Account, r.is.Key}] = r
	s.orderOf[r.is.Hold] = r
}

// AddAttempt puts a loaded attempt row in.
func (s *Snapshot) AddAttempt(a AttemptRow) {
	if _, known := s.attempts[a.ID]; !known {
		s.addAttempt(&row[AttemptRow]{is: a})
	}
}

func (s *Snapshot) addAttempt(r *row[AttemptRow]) {
	if s.attempts == nil {
		s.attempts = map[id.ID]*row[AttemptRow]{}
		s.attemptBy = map[keyRef]*row[AttemptRow]{}
		s.attemptsOf = map[id.ID][]*row[AttemptRow]{}
	}
	s.attempts[r.is.ID] = r
	s.attemptBy[keyRef{r.is.Account, r.is.Key}] = r
	s.attemptsOf[r.is.Order] = append(s.attemptsOf[r.is.Order], r)
}

// AddTicket puts a loaded ticket row in. Each ticket must be added once.
func (s *Snapshot) AddTicket(t ticket.Ticket) {
	if s.tickets == nil {
		s.tickets = map[id.ID][]ticket.Ticket{}
	}
	s.tickets[t.Order] = append(s.tickets[t.Order], t)
}

// AddRefund puts a loaded refund row in. Each refund must be added once.
func (s *Snapshot) AddRefund(r payment.Refund) {
	if s.refunds == nil {
		s.refunds = map[id.ID][]payment.Refund{}
	}
	s.refunds[r.Attempt] = append(s.refunds[r.Attempt], r)
}

// AddKey puts a loaded request key in.
func (s *Snapshot) AddKey(k RequestKey) {
	if s.keys == nil {
		s.keys = map[keyRef]RequestKey{}
	}
	s.keys[keyRef{k.Account, k.Route + " " + k.Key}] = k
}

// dead reports whether a hold has stopped keeping its seats although nobody has said so yet.
func dead(h *Hold, now time.Time) bool {
	return h.State == HoldActive && now.After(h.ExpiresAt.Add(ExpiryGrace))
}
