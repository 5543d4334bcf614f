package db_test

import (
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// Histories are what callers saw: what was asked, between when and when, and what was answered. They are
// split into one history per seat and one per account, and porcupine looks for an order of the
// steps, within those instants, that a single honest clerk could have produced.

// act is one command and what became of it, as its caller saw it.
type act struct {
	client           int
	called, answered time.Time
	command          inventory.Command
	out              inventory.Outcome
	err              error
}

// perform runs a command and writes down what was seen. Nothing but known refusals may come back.
func (b *booth) perform(client int, command inventory.Command) act {
	a := act{client: client, command: command, called: time.Now()}
	a.out, a.err = b.do(command)
	a.answered = time.Now()
	switch a.code() {
	case fault.Internal, fault.OutcomeUnknown, fault.Busy, fault.Invalid:
		b.t.Errorf("%T: %v", command, a.err)
	}
	return a
}

func (a *act) code() fault.Code { return fault.CodeOf(a.err) }

// changed reports whether the act did something: a repeated answer did not, nor asking for the end of a hold that lives.
func (a *act) changed() bool {
	_, expires := a.command.(inventory.Expire)
	return a.err == nil && !a.out.Replayed && (!expires || !a.out.Hold.State.Live())
}

func (a *act) operation(begun time.Time, input any) porcupine.Operation {
	return porcupine.Operation{
		ClientId: a.client, Input: input, Call: a.called.Sub(begun).Nanoseconds(), Return: a.answered.Sub(begun).Nanoseconds(),
	}
}

// seatStep is what one act did to one seat, or says about it.
type seatStep struct {
	seat    seatmap.Ordinal
	kind    stepKind
	hold    id.ID
	account id.ID
	at      time.Time // the database's clock when it was decided, where the answer tells
	expires time.Time // until when the hold keeps the seat from now on
}

type stepKind string

const (
	stepTake  stepKind = "take"   // into a new hold
	stepLeave stepKind = "leave"  // the account's new hold is of other seats: its old one is gone
	stepFree  stepKind = "free"   // the hold is over, whoever has its seats now
	stepDie   stepKind = "die"    // the hold was ended because its time had passed
	stepKeep  stepKind = "keep"   // the hold is active, until expires
	stepPay   stepKind = "pay"    // the hold is being paid for
	stepSell  stepKind = "sell"   // out of a live hold
	stepLate  stepKind = "late"   // money for a hold that was over: the seat was free
	stepTaken stepKind = "taken"  // refused: somebody else has it
	stepGone  stepKind = "gone"   // refused: the hold keeps nothing any more
	stepLimit stepKind = "limit"  // refused: too many
	stepBusy  stepKind = "paying" // refused: the account's hold is being paid for
)

// seatState is whose a seat is.
type seatState struct {
	hold, account id.ID
	expires       time.Time
	paying, sold  bool
}

func (s seatState) dead(at time.Time) bool {
	return !s.paying && at.After(s.expires.Add(inventory.ExpiryGrace))
}

// seatModel says which histories of one seat can be: at every instant at most one hold has it, and a
// hold that lives is never robbed.
var seatModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		return partition(history, func(op porcupine.Operation) seatmap.Ordinal { return op.Input.(seatStep).seat })
	},
	Init:  func() any { return seatState{} },
	Step:  func(state, input, _ any) (bool, any) { return state.(seatState).step(input.(seatStep)) },
	Equal: func(a, b any) bool { return a == b },
}

func (s seatState) step(in seatStep) (legal bool, next any) {
	free := s.hold.IsZero()
	mine := s.hold == in.hold && !s.sold
	owned := seatState{hold: in.hold, account: in.account, expires: in.expires}
	switch in.kind {
	case stepTake:
		return !s.sold && (free || s.dead(in.at) || s.account == in.account && !s.paying), owned
	case stepLeave:
		if s.account != in.account || s.hold == in.hold || s.sold {
			return true, s
		}
		return !s.paying, seatState{}
	case stepFree:
		if !mine {
			return true, s
		}
		return true, seatState{}
	case stepDie:
		if !mine {
			return true, s
		}
		return s.dead(in.at), seatState{}
	case stepKeep:
		return mine, owned
	case stepPay:
		owned.paying = true
		return mine && !s.dead(in.at), owned
	case stepSell:
		owned.sold = true
		return mine, owned
	case stepLate:
		owned.sold = true
		return !s.sold && (free || s.dead(in.at)), owned
	case stepTaken:
		return s.sold || !free && s.account != in.account, s
	}
	panic("unknown step " + in.kind)
}

func partition[K comparable](history []porcupine.Operation, by func(porcupine.Operation) K) [][]porcupine.Operation {
	parts := map[K][]porcupine.Operation{}
	for _, op := range history {
		parts[by(op)] = append(parts[by(op)], op)
	}
	out := make([][]porcupine.Operation, 0, len(parts))
	for _, part := range parts {
		out = append(out, part)
	}
	return out
}

// seatHistory is what the acts did to seats. Steps that say a seat was taken are apart when they may come
// from memory: their call is moved back by slack.
func seatHistory(chart *seatmap.Chart, acts []act, begun time.Time, slack time.Duration) (history, refusals []porcupine.Operation) {
	touched := touchedSeats(acts)
	for _, a := range acts {
		refusals = append(refusals, a.refusedSeats(chart, begun, slack)...)
		if !a.changed() {
			continue
		}
		h := a.out.Hold
		for _, s := range h.Seats {
			history = append(history, a.operation(begun, a.seatStep(s.Ordinal)))
		}
		if _, places := a.command.(inventory.PlaceHold); !places {
			continue
		}
		for seat := range touched[h.Account] {
			if !slices.ContainsFunc(h.Seats, func(s inventory.HeldSeat) bool { return s.Ordinal == seat }) {
				history = append(history, a.operation(begun, seatStep{seat: seat, kind: stepLeave, hold: h.ID, account: h.Account}))
			}
		}
	}
	return history, refusals
}

// touchedSeats is, by account, the seats that it ever had.
func touchedSeats(acts []act) map[id.ID]map[seatmap.Ordinal]bool {
	touched := map[id.ID]map[seatmap.Ordinal]bool{}
	for _, a := range acts {
		for _, s := range a.out.Hold.Seats {
			if touched[a.out.Hold.Account] == nil {
				touched[a.out.Hold.Account] = map[seatmap.Ordinal]bool{}
			}
			touched[a.out.Hold.Account][s.Ordinal] = true
		}
	}
	return touched
}

func (a *act) refusedSeats(chart *seatmap.Chart, begun time.Time, slack time.Duration) (steps []porcupine.Operation) {
	c, places := a.command.(inventory.PlaceHold)
	if !places || a.code() != fault.SeatTaken {
		return nil
	}
	for _, label := range fault.From(a.err).Details["seats"].([]string) {
		seat, _ := chart.Find(label)
		op := a.operation(begun, seatStep{seat: seat, kind: stepTaken, account: c.Account})
		op.Call -= slack.Nanoseconds()
		steps = append(steps, op)
	}
	return steps
}

// seatStep is what an answered command did to a seat of its hold.
func (a *act) seatStep(seat seatmap.Ordinal) seatStep {
	h := a.out.Hold
	step := seatStep{seat: seat, hold: h.ID, account: h.Account, expires: h.ExpiresAt, at: h.EndedAt}
	switch a.command.(type) {
	case inventory.PlaceHold:
		step.kind, step.at = stepTake, h.CreatedAt
	case inventory.Release:
		step.kind = stepFree
	case inventory.Extend:
		step.kind = stepKeep
	case inventory.StartPayment:
		step.kind, step.at = stepPay, a.out.Attempt.CreatedAt
	case inventory.EndAttempt:
		step.kind = stepFree
		if h.State == inventory.HoldActive {
			step.kind = stepKeep
		}
	case inventory.Expire:
		step.kind = stepDie
	case inventory.Sell:
		step.kind, step.at = stepSell, a.out.Attempt.UpdatedAt
		if h.State != inventory.HoldConverted {
			step.kind = stepLate
		}
	}
	return step
}

// linearizable fails the test when the acts cannot have happened one after the other.
func linearizable(t *testing.T, model porcupine.Model, what string, history []porcupine.Operation) {
	t.Helper()
	result := porcupine.CheckOperationsTimeout(model, history, time.Minute)
	t.Logf("%d steps %s: %v", len(history), what, result)
	if result != porcupine.Ok {
		t.Fatalf("%d steps %s: %v", len(history), what, result)
	}
}
