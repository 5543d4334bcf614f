package db_test

import (
	"time"

	"github.com/anishathalye/porcupine"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

// accountStep is what one act did to an account, or says about it.
type accountStep struct {
	account id.ID
	kind    stepKind
	hold    id.ID
	seats   int
	have    int       // stepLimit: how many were bought, as the refusal says
	at      time.Time // the database's clock when it was decided; where the answer does not tell, a moment no earlier
	expires time.Time
}

// accountState is what an account has of an event.
type accountState struct {
	hold    id.ID // the live one
	held    int
	expires time.Time
	paying  bool
	sold    int
}

func (s accountState) dead(at time.Time) bool {
	return !s.paying && at.After(s.expires.Add(inventory.ExpiryGrace))
}

// accountModel says which histories of one account can be: one live hold, and never more than most seats, held and bought.
func accountModel(most int) porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			return partition(history, func(op porcupine.Operation) id.ID { return op.Input.(accountStep).account })
		},
		Init: func() any { return accountState{} },
		Step: func(state, input, _ any) (bool, any) {
			s := state.(accountState)
			legal, next := s.step(input.(accountStep), most)
			return legal && next.held+next.sold <= most, next
		},
		Equal: func(a, b any) bool { return a == b },
	}
}

func (s accountState) step(in accountStep, most int) (legal bool, next accountState) {
	live := s.hold == in.hold && !s.hold.IsZero()
	none := accountState{sold: s.sold}
	switch in.kind {
	case stepTake:
		return !s.paying, accountState{hold: in.hold, held: in.seats, expires: in.expires, sold: s.sold}
	case stepFree, stepDie:
		if !live {
			return true, s
		}
		return in.kind == stepFree || s.dead(in.at), none
	case stepKeep, stepPay:
		next = s
		next.expires, next.paying = in.expires, in.kind == stepPay
		return live, next
	case stepSell:
		return live, accountState{sold: s.sold + in.seats}
	case stepLate:
		next = s
		if next.sold += in.seats; s.dead(in.at) { // whoever wanted the seats may have ended the hold before
			next.hold, next.held = id.ID{}, 0
		}
		return !live, next
	case stepGone:
		return !live || s.dead(in.at), s
	case stepLimit:
		return s.sold == in.have && s.sold+in.seats > most, s
	case stepBusy:
		return s.paying, s
	}
	panic("unknown step " + in.kind)
}

// accountHistory is what the acts did to accounts. clock turns our time into the database's, or into a little later.
func accountHistory(acts []act, begun time.Time, clock func(time.Time) time.Time) (history []porcupine.Operation) {
	for _, a := range acts {
		step, says := a.refusedAccount(clock(a.answered))
		if a.changed() {
			h, did := a.out.Hold, a.seatStep(0)
			step = accountStep{account: h.Account, kind: did.kind, hold: h.ID, seats: len(h.Seats), at: did.at, expires: h.ExpiresAt}
		}
		if says || a.changed() {
			history = append(history, a.operation(begun, step))
		}
	}
	return history
}

// refusedAccount is what a refusal says about the account that was refused.
func (a *act) refusedAccount(at time.Time) (step accountStep, says bool) {
	code := a.code()
	step.at = at
	switch c := a.command.(type) {
	case inventory.PlaceHold:
		step.account, step.hold, step.seats = c.Account, c.Hold, len(c.Seats)
	case inventory.Release:
		step.account, step.hold = c.Account, c.Hold
	case inventory.Extend:
		step.account, step.hold = c.Account, c.Hold
	case inventory.StartPayment:
		step.account, step.hold = c.Account, c.Hold
	default:
		return step, false
	}
	switch code {
	case fault.LimitExceeded:
		step.kind, step.have = stepLimit, fault.From(a.err).Details["have"].(int)
	case fault.PaymentInProgress:
		step.kind = stepBusy
	case fault.HoldGone:
		step.kind = stepGone
	default:
		return step, false
	}
	return step, true
}
