package inventory

import (
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/payment"
)

// asked is a request under a key, as the key knows it.
type asked struct {
	account id.ID
	route   string
	key     string
}

type firstAnswer struct {
	body [32]byte
	id   id.ID
}

// FuzzIdempotency sends requests under few keys with few bodies, again and again: once a request has been
// answered, the same body gets that answer and no other, and another body is told KEY_REUSED.
func FuzzIdempotency(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0})
	addNoise(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newClerk(t, data[:min(len(data), 1000)])
		known := map[asked]firstAnswer{}
		for len(c.tape.rest) > 0 && c.serial < 250 {
			c.now = c.now.Add(pickOf(c.tape, 0, 0, time.Second, time.Minute, 10*time.Minute))
			if c.tape.pick(3) == 2 {
				c.decline()
			}
			command, ref, body := c.repeatable()
			out := c.batch([]Command{command})[0]
			code := fault.CodeOf(out.Err)
			first, answered := known[ref]
			switch {
			case answered && first.body != body:
				if code != fault.KeyReused {
					t.Fatalf("%T %v with another body: %v", command, ref, out.Err)
				}
			case answered:
				if code != "" || !out.Replayed || answerOf(command, out) != first.id {
					t.Fatalf("%T %v again: %+v", command, ref, out)
				}
			case code == fault.KeyReused || out.Replayed:
				t.Fatalf("%T %v was never answered: %+v", command, ref, out)
			case code == "":
				known[ref] = firstAnswer{body, answerOf(command, out)}
			}
		}
	})
}

// repeatable is a request with a key that may have been used.
func (c *clerk) repeatable() (Command, asked, [32]byte) {
	body := [32]byte{byte(c.tape.pick(2))}
	idem := Idempotency{Key: pickOf(c.tape, "a", "b", "c"), BodyHash: body}
	hold, account := c.hold()
	switch c.tape.pick(5) {
	case 0, 1:
		place := PlaceHold{Hold: c.fresh(), Account: account, Seats: c.seats(), Idempotency: idem}
		return place, asked{account, "holds", idem.Key}, body
	case 2:
		return Extend{Account: account, Hold: hold, Idempotency: idem}, asked{account, "extend " + hold.String(), idem.Key}, body
	case 3:
		pay := StartPayment{Account: account, Hold: hold, Order: c.fresh(), Attempt: c.fresh(), Idempotency: idem}
		return pay, asked{account, "orders", idem.Key}, body
	}
	a := c.payment()
	copy(idem.BodyHash[1:], a.Order[:]) // the path names the order
	pay := StartPayment{Account: a.Account, Order: a.Order, Attempt: c.fresh(), Again: true, Idempotency: idem}
	return pay, asked{pay.Account, "pay", idem.Key}, idem.BodyHash
}

// decline ends some attempt, so that its order can be paid again.
func (c *clerk) decline() {
	a := c.payment()
	c.batch([]Command{EndAttempt{Order: a.Order, Attempt: a.ID, Status: payment.Declined}})
}

// answerOf is what the request made.
func answerOf(command Command, out Outcome) id.ID {
	if c, pays := command.(StartPayment); pays {
		if c.Again {
			return out.Attempt.ID
		}
		return out.Order.ID
	}
	return out.Hold.ID
}
