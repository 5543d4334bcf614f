package inventory

import (
	"slices"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// placing is a PlaceHold on its way through the checks: nothing is changed before all have passed.
type placing struct {
	PlaceHold
	buyer  *row[Buyer]
	old    *row[Hold]        // the account's live hold, to be replaced
	picks  []seatmap.Ordinal // of Seats: what the engine chose
	seats  []HeldSeat
	dead   []*row[Hold] // holds of others whose time has passed
	hard   time.Time
	short  *fault.Error // an area has too few places
	missed bool         // what the engine chose is the reason of the refusal
}

// placeHold fills in an empty outcome: it is a kilobyte, and a rush has nothing but these.
func (s *Snapshot) placeHold(hall Hall, p *placing, out *Outcome) {
	if done := s.holdByKey[keyRef{p.Account, p.Key}]; done != nil && p.Key != "" {
		if done.is.BodyHash != p.BodyHash {
			out.Err = keyReused()
			return
		}
		out.Hold, out.Replayed = done.is, true
		return
	}
	p.hard = s.Now.Add(s.Event.Rules.HoldMaxTTL())
	if err := s.check(hall, p); err != nil {
		out.Err, out.missed, out.guessed = err, p.missed, s.guessed(p.Account, err)
		if p.none != nil && p.missed {
			for _, held := range p.old.is.Seats {
				out.own = append(out.own, held.Ordinal)
			}
		}
		return
	}
	out.Hold = s.grant(p).is
}

// placeChecks are the selling rules, in the order in which a choice meets them.
var placeChecks = [...]func(*Snapshot, Hall, *placing) *fault.Error{
	(*Snapshot).checkSize, (*Snapshot).checkAreas, (*Snapshot).checkChoice, (*Snapshot).checkBuyer, (*Snapshot).checkSeats,
	(*Snapshot).checkOrphans, (*Snapshot).checkPrice, (*Snapshot).checkTime,
}

func (s *Snapshot) check(hall Hall, p *placing) *fault.Error {
	for _, check := range placeChecks {
		if err := check(s, hall, p); err != nil {
			return err
		}
	}
	return nil
}

// checkSize refuses when nothing is sold now, and wishes for nothing or for too much.
func (s *Snapshot) checkSize(_ Hall, p *placing) *fault.Error {
	if err := s.sells(); err != nil {
		return err
	}
	n := p.size()
	if n == 0 && p.none == nil {
		return fault.New(fault.Invalid, "no seats were chosen")
	}
	if n > s.Event.Rules.MaxPerAccount {
		have := 0
		if b := s.buyers[p.Account]; b != nil {
			have = b.is.Sold
		}
		return s.overLimit(have)
	}
	p.picks = p.Seats[len(p.Seats)-p.picked:]
	p.old = s.liveHold(p.Account)
	return nil
}

// size is for how many people the wish is.
func (c *PlaceHold) size() int {
	if len(c.Areas) == 0 {
		return len(c.Seats)
	}
	n := len(c.Seats) - c.picked
	for _, area := range c.Areas {
		n += area.Quantity
	}
	return n
}

func (s *Snapshot) liveHold(account id.ID) *row[Hold] {
	b := s.buyers[account]
	if b == nil {
		return nil
	}
	if h := s.holds[b.is.Hold]; h != nil && h.is.State.Live() {
		return h
	}
	return nil
}

// checkChoice refuses lists that make no sense, whoever sends them.
func (s *Snapshot) checkChoice(hall Hall, p *placing) *fault.Error {
	if !slices.IsSorted(p.Seats) {
		p.Seats = slices.Sorted(slices.Values(p.Seats))
	}
	for i, ordinal := range p.Seats {
		if i > 0 && ordinal == p.Seats[i-1] {
			return fault.New(fault.Invalid, "a seat was chosen twice").With("seats", labels(hall.Chart, p.Seats[i:i+1]))
		}
		if s.seats[ordinal] == nil {
			return fault.New(fault.NotFound, "there is no such seat").With("ordinal", int(ordinal))
		}
	}
	return nil
}

func (s *Snapshot) overLimit(have int) *fault.Error {
	return fault.New(fault.LimitExceeded, "at most %d seats per person", s.Event.Rules.MaxPerAccount).
		With("limit", s.Event.Rules.MaxPerAccount).With("have", have)
}

// checkBuyer refuses callers that a newer session has replaced, that are paying, or that have enough.
func (s *Snapshot) checkBuyer(_ Hall, p *placing) *fault.Error {
	p.buyer = s.buyer(p.Account)
	b := &p.buyer.is
	if b.Session != p.Session {
		return fault.New(fault.SessionReplaced, "you have come in again from somewhere else; go on there")
	}
	if p.old != nil && p.old.is.State == HoldPaying {
		return paymentRuns(p.old.is.ID)
	}
	if p.none != nil {
		p.missed = p.old != nil && len(p.own) == 0 // they have seats that nobody has counted
		return p.none
	}
	if err := p.short; err != nil {
		return err
	}
	if b.Sold+len(p.Seats) > s.Event.Rules.MaxPerAccount {
		return s.overLimit(b.Sold)
	}
	return nil
}

// free reports whether the seat can be had by p, and notes whose dead hold is in the way.
func (s *Snapshot) free(seat *Seat, p *placing) bool {
	if seat.Status != Held {
		return seat.Status == Available
	}
	owner := s.holds[seat.Owner]
	if owner == nil {
		return false
	}
	if owner == p.old {
		return true
	}
	if !dead(&owner.is, s.Now) {
		return false
	}
	if !slices.Contains(p.dead, owner) {
		p.dead = append(p.dead, owner)
	}
	return true
}

func (s *Snapshot) checkPrice(_ Hall, p *placing) *fault.Error {
	if p.ExpectedTotal == nil {
		return nil
	}
	total := order.Total(linesOf(&s.Event.Rules, p.seats))
	if *p.ExpectedTotal != total {
		return fault.New(fault.PriceChanged, "the price has changed").
			With("total", map[string]any{"amount": total, "currency": s.Event.Currency})
	}
	return nil
}

// checkTime finds how long the seats may be kept at most: seats that the account holds, or held
// less than InheritWindow ago, do not get a new life by being asked for again. The places of
// an area are all alike, so there any place counts as the same.
func (s *Snapshot) checkTime(hall Hall, p *placing) *fault.Error {
	for _, r := range s.holdsOf[p.Account] {
		h := &r.is
		if h.State != HoldConverted && s.Now.Sub(lastKept(h, s.Now)) < InheritWindow && alike(hall.Chart, h.Seats, p.seats) {
			p.hard = earlier(p.hard, h.HardExpiresAt)
		}
	}
	if !p.hard.After(s.Now) {
		return fault.New(fault.HoldLimit, "you have held these seats as long as is allowed").With("hardExpiresAt", p.hard.UTC())
	}
	return nil
}

// lastKept is until when a hold kept its seats, now for one that still does. Its own
// end counts, not the moment at which somebody noticed.
func lastKept(h *Hold, now time.Time) time.Time {
	switch {
	case h.State == HoldPaying, h.State == HoldActive && !dead(h, now):
		return now
	case h.State == HoldActive:
		return h.ExpiresAt
	}
	return earlier(h.EndedAt, h.ExpiresAt)
}

// alike reports whether two choices share a seat, or an area.
func alike(chart *seatmap.Chart, a, b []HeldSeat) bool {
	return slices.ContainsFunc(a, func(x HeldSeat) bool {
		return slices.ContainsFunc(b, func(y HeldSeat) bool {
			return x.Ordinal == y.Ordinal || chart != nil && chart.SameArea(x.Ordinal, y.Ordinal)
		})
	})
}

// grant changes the rows. Whole holds of others that are dead go, so does the account's old one.
func (s *Snapshot) grant(p *placing) *row[Hold] {
	for _, victim := range p.dead {
		s.endHold(victim, HoldExpired, order.Expired, "the time to pay has passed")
	}
	if p.old != nil {
		s.endHold(p.old, endedAs(p.old, s.Now), order.Cancelled, "other seats were chosen")
	}
	r := cut(&s.holdSlab, Hold{
		ID: p.Hold, Event: s.Event.ID, Account: p.Account, Seats: p.seats, State: HoldActive,
		ExpiresAt:     earlier(s.Now.Add(s.Event.Rules.HoldTTL()), p.hard),
		HardExpiresAt: p.hard, Key: keyOr(p.Key, p.Hold), BodyHash: p.BodyHash, CreatedAt: s.Now,
		Again: !p.buyer.is.First.IsZero(),
	}, true)
	h := &r.is
	s.touchHold(r)
	s.addHold(r)
	for _, held := range p.seats {
		s.giveSeat(s.seats[held.Ordinal], Held, h.ID)
	}
	buyer := s.touchBuyer(p.buyer)
	buyer.Hold, buyer.Held = h.ID, len(p.seats)
	if !h.Again {
		buyer.First = h.ID
	}
	return r
}

func endedAs(r *row[Hold], now time.Time) HoldState {
	if dead(&r.is, now) {
		return HoldExpired
	}
	return HoldReleased
}

// keyOr makes a key for requests without one, so that the unique constraint has something to hold on to.
func keyOr(key string, fallback id.ID) string {
	if key == "" {
		return fallback.String()
	}
	return key
}

func seatsTaken(chart *seatmap.Chart, taken []seatmap.Ordinal) *fault.Error {
	return fault.New(fault.SeatTaken, "somebody else was faster").With("seats", labels(chart, taken))
}

func labels(chart *seatmap.Chart, ordinals []seatmap.Ordinal) []string {
	out := make([]string, 0, len(ordinals))
	for _, ordinal := range ordinals {
		if chart != nil {
			out = append(out, chart.Label(ordinal))
		}
	}
	return out
}
