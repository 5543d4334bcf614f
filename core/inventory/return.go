package inventory

import (
	"slices"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// ReturnRoute is what a Return's key is unique under; an unpaid order's cancellation shares it.
const ReturnRoute = "POST /v1/orders/cancel"

func (s *Snapshot) takeBack(c Return) Outcome {
	o := s.orders[c.Order]
	if o == nil || o.is.Account != c.Account || o.is.Event != s.Event.ID {
		return refuse(fault.New(fault.NotFound, "there is no such order"))
	}
	if done, again := s.keys[keyRef{c.Account, ReturnRoute + " " + c.Key}]; again && c.Key != "" {
		if done.BodyHash != c.BodyHash {
			return refuse(keyReused())
		}
		return Outcome{Order: o.is, Tickets: s.tickets[o.is.ID], Replayed: true}
	}
	back, err := s.returned(c, o)
	if err != nil {
		return refuse(err)
	}
	refund, parts, err := s.worth(c, o, back)
	if err != nil {
		return refuse(err)
	}
	s.rememberReturn(c)
	s.undo(o, back, refund, parts)
	out := Outcome{Order: o.is, Tickets: s.tickets[o.is.ID]}
	if parts.Total() > 0 {
		out.Refunds = []payment.Refund{refund}
	}
	return out
}

// returned finds the tickets that come back, and says why they may not.
func (s *Snapshot) returned(c Return, o *row[order.Order]) ([]ticket.Ticket, *fault.Error) {
	all := s.tickets[o.is.ID]
	if o.is.Status == order.Review || len(all) == 0 {
		return nil, orderState(o)
	}
	var back []ticket.Ticket
	for _, t := range all {
		if t.State == ticket.Valid && (len(c.Tickets) == 0 || slices.Contains(c.Tickets, t.ID)) {
			back = append(back, t)
		}
	}
	for _, wanted := range c.Tickets {
		if !slices.ContainsFunc(all, func(t ticket.Ticket) bool { return t.ID == wanted }) {
			return nil, fault.New(fault.NotFound, "there is no such ticket")
		}
		if !slices.ContainsFunc(back, func(t ticket.Ticket) bool { return t.ID == wanted }) {
			return nil, s.tooMuch(o, "the ticket has been given back already")
		}
	}
	if len(back) == 0 {
		return nil, s.tooMuch(o, "all tickets have been given back already")
	}
	return back, s.takesBack()
}

// takesBack says why tickets are not taken back now; nil when they are. When the event is off, they always are.
func (s *Snapshot) takesBack() *fault.Error {
	until := s.Event.RefundUntil()
	if s.Event.State == event.Cancelled || s.Now.Before(until) {
		return nil
	}
	return fault.New(fault.RefundClosed, "tickets are taken back until %s only", until.UTC().Format(time.RFC3339)).With("until", until.UTC())
}

func (s *Snapshot) tooMuch(o *row[order.Order], text string) *fault.Error {
	left := s.lastCapture(o).left
	if len(s.validOf(o)) == 0 {
		left = 0 // what stays are fees
	}
	return fault.New(fault.RefundTooMuch, "%s", text).With("left", money.Amount{Minor: left, Currency: o.is.Currency})
}

func (s *Snapshot) validOf(o *row[order.Order]) (valid []ticket.Ticket) {
	for _, t := range s.tickets[o.is.ID] {
		if t.State == ticket.Valid {
			valid = append(valid, t)
		}
	}
	return valid
}

// worth is the refund for the tickets, and what it consists of: nothing when nothing comes back for them.
func (s *Snapshot) worth(c Return, o *row[order.Order], back []ticket.Ticket) (payment.Refund, order.Parts, *fault.Error) {
	keeps := s.Event.Rules.RefundPolicy().KeepsFees && s.Event.State != event.Cancelled
	parts, ok := order.PartsOf(o.is.Lines, ticketSeats(back), keeps)
	if !ok {
		return payment.Refund{}, parts, fault.New(fault.Internal, "order %s has tickets for seats that it does not list", o.is.ID)
	}
	from := s.lastCapture(o)
	switch {
	case parts.Total() <= 0:
		return payment.Refund{}, order.Parts{}, nil
	case from.row == nil || from.left < parts.Total():
		return payment.Refund{}, parts, s.tooMuch(o, "less than that is left of the payment")
	}
	return payment.Refund{
		ID: c.Refund, Order: o.is.ID, Attempt: from.row.is.ID, Kind: payment.RefundReturn, Status: payment.RefundRequested,
		Amount: money.Amount{Minor: parts.Total(), Currency: o.is.Currency}, Reason: "you gave tickets back", Tickets: idsOf(back), CreatedAt: s.Now,
	}, parts, nil
}

func ticketSeats(tickets []ticket.Ticket) []seatmap.Ordinal {
	out := make([]seatmap.Ordinal, len(tickets))
	for i, t := range tickets {
		out[i] = t.Ordinal
	}
	return out
}

func idsOf(tickets []ticket.Ticket) []id.ID {
	out := make([]id.ID, len(tickets))
	for i, t := range tickets {
		out[i] = t.ID
	}
	return out
}

// capture is a payment that came in, and what of it is not on its way back.
type capture struct {
	row  *row[AttemptRow]
	left int64
}

// captures lists the order's payments in its currency that came in.
func (s *Snapshot) captures(o *row[order.Order]) (all []capture) {
	for _, a := range s.attemptsOf[o.is.ID] {
		if a.is.Status != payment.Captured {
			continue
		}
		left := a.is.Captured.Minor
		for _, r := range s.refunds[a.is.ID] {
			left -= r.Amount.Minor // also one that failed: it is owed
		}
		all = append(all, capture{a, left})
	}
	slices.SortFunc(all, func(a, b capture) int { return a.row.is.CreatedAt.Compare(b.row.is.CreatedAt) })
	return all
}

// lastCapture is the payment that bought the tickets: the one of which most is left, because every other is
// sent back as a whole.
func (s *Snapshot) lastCapture(o *row[order.Order]) (most capture) {
	for _, c := range s.captures(o) {
		if c.row.is.Captured.Currency == o.is.Currency && (most.row == nil || c.left > most.left) {
			most = c
		}
	}
	return most
}

func (s *Snapshot) rememberReturn(c Return) {
	if c.Key == "" {
		return
	}
	key := RequestKey{Account: c.Account, Route: ReturnRoute, Key: c.Key, BodyHash: c.BodyHash}
	s.AddKey(key)
	s.touched.keys = append(s.touched.keys, key)
}

// undo gives the seats of the tickets back and asks for the refund of their parts, if they come to anything.
func (s *Snapshot) undo(o *row[order.Order], back []ticket.Ticket, refund payment.Refund, parts order.Parts) {
	s.voidTickets(o, back)
	so := s.touchOrder(o)
	so.Returned += parts.Total()
	so.Reason = "you gave tickets back"
	if parts.Total() > 0 {
		s.addRefund(refund)
		s.post(ledger.Return(refund, parts))
	}
	so.Status = so.AfterReturn(order.Money{Valid: len(s.validOf(o)), Underway: s.waits(o)})
}

// waits reports whether a refund of the order is on its way.
func (s *Snapshot) waits(o *row[order.Order]) bool {
	for _, c := range s.captures(o) {
		for _, r := range s.refunds[c.row.is.ID] {
			if r.Underway() {
				return true
			}
		}
	}
	return false
}

// voidTickets ends tickets, and with them whose their seats are. The seat rows are guarded like any
// other: one that somebody else has by now makes the whole change start over.
func (s *Snapshot) voidTickets(o *row[order.Order], back []ticket.Ticket) {
	all := s.tickets[o.is.ID]
	for i := range all {
		if !slices.ContainsFunc(back, func(t ticket.Ticket) bool { return t.ID == all[i].ID }) {
			continue
		}
		all[i].State = ticket.Void
		s.touched.voided = append(s.touched.voided, all[i])
		if seat := s.seats[all[i].Ordinal]; seat != nil {
			s.giveSeat(seat, Available, id.ID{})
		}
	}
	buyer := s.touchBuyer(s.buyer(o.is.Account))
	buyer.Sold = max(0, buyer.Sold-len(back))
}

func (s *Snapshot) addRefund(r payment.Refund) {
	s.AddRefund(r)
	s.touched.refunds = append(s.touched.refunds, r)
}
