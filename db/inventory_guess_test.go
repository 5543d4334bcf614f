package db_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
)

// press is a first press, or says that it is one.
func press(account, session id.ID, seats ...seatmap.Ordinal) inventory.PlaceHold {
	p := place(account, seats...)
	p.Session, p.Key, p.Fresh = session, p.Hold.String(), true
	return p
}

// rushing is an event whose free seats are remembered, at so many booths, so that they guess.
func rushing(t *testing.T, rows, seats int) [2]*booth {
	t.Helper()
	booths := twoBooths(t, rows, seats, func(o *inventory.Options) { o.RushCommands = 1 })
	for _, b := range booths {
		if err := b.Prepare(t.Context(), b.event.ID); err != nil {
			t.Fatal(err)
		}
	}
	return booths
}

// letIn writes the row that the door writes.
func (b *booth) letIn(account, session id.ID) {
	b.exec(`insert into buyer (account_id, event_id, session_id) values ($1, $2, $3)
		on conflict (account_id, event_id) do update set session_id = excluded.session_id, version = buyer.version + 1`,
		[16]byte(account), [16]byte(b.event.ID), [16]byte(session))
}

// A row that was guessed is written only if it is what the door wrote, whatever it is instead.
func TestGuessedBuyersAreGuarded(t *testing.T) {
	booths := rushing(t, 2, 20)
	b := booths[0]
	session, other := id.New(), id.New()
	fan, again, visitor, outsider, sold := id.New(), id.New(), id.New(), id.New(), id.New()
	b.letIn(fan, session)
	b.letIn(again, other)
	b.letIn(again, session)
	booths[1].must(place(visitor, 30))
	b.letIn(visitor, session)
	booths[1].must(place(outsider, 31)) // its row is at version 1, but not by the door
	b.letIn(sold, session)
	b.exec("update buyer set sold = 6, version = 2 where account_id = $1", [16]byte(sold))
	b.must(press(fan, session, 1, 2))
	b.must(press(again, session, 3, 4))
	b.must(press(visitor, session, 5, 6)) // replaces
	b.must(press(id.New(), id.ID{}, 7, 8))
	b.refused(fault.LimitExceeded, press(sold, session, 9))
	b.refused(fault.SessionReplaced, press(again, other, 9))
	b.refused(fault.SessionReplaced, press(id.New(), session, 9)) // nobody let them in
	b.refused(fault.SessionReplaced, press(fan, id.ID{}, 9))
	b.refused(fault.SessionReplaced, press(outsider, session, 9))
	if n := b.count("select count(*) from seat where status = 1"); n != 9 {
		t.Errorf("%d seats are held", n)
	}
	if n := b.count("select count(*) from buyer where hold_id is not null and held = 2"); n != 4 {
		t.Errorf("%d buyers hold two seats", n)
	}
}

// Two processes guess about the same people, who press again and again at both of them, come in again meanwhile and
// sometimes say that an old key is new.
func TestTwoProcessesGuess(t *testing.T) {
	const fans, presses, rows, seats = 24, 12, 10, 30
	booths := rushing(t, rows, seats)
	var all sync.WaitGroup
	for i := range fans {
		all.Go(func() {
			account, session := id.New(), id.ID{}
			if i%2 == 0 {
				session = id.New()
				booths[0].letIn(account, session)
			}
			var last inventory.PlaceHold
			for n := range presses {
				if i%4 == 0 && n%5 == 4 {
					session = id.New()
					booths[0].letIn(account, session)
				}
				first := seatmap.Ordinal(rand.IntN(rows*seats/2) * 2)
				p := press(account, session, first, first+1)
				if n%4 == 3 {
					p, p.Hold = last, id.New()
					p.Session = session
				}
				last = p
				out, err := booths[(i+n)%2].do(p)
				if code := fault.CodeOf(err); err != nil && code != fault.SeatTaken {
					t.Errorf("fan %d: %v", i, err)
				}
				if err == nil && out.Hold.Account != account {
					t.Errorf("fan %d has somebody else's hold", i)
				}
			}
		})
	}
	all.Wait()
	b := booths[0]
	if twice := b.count("select count(*) from (select account_id from hold where state = 1 group by account_id having count(*) > 1) t"); twice > 0 {
		t.Errorf("%d accounts have two live holds", twice)
	}
	if keys := b.count("select count(*) from (select account_id from hold group by account_id, idem_key having count(*) > 1) t"); keys > 0 {
		t.Errorf("%d keys were answered twice", keys)
	}
	if report, err := b.d.Verify(t.Context(), b.event.ID, db.VerifyOptions{Publish: time.Hour}); err != nil || len(report.Violations) > 0 {
		t.Errorf("verify: %v, %v", report.Violations, err)
	}
}
