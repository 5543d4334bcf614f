package inventory

import (
	"hash/maphash"
	"sync"

	"plateia/core/fault"
	"plateia/core/id"
)

// guess is what an engine in a rush takes a buyer's row to be without loading it: as the door wrote it, at version 1 with the
// session of the press, or, for a press without a session, not there. Whatever is granted on a guess is guarded like any other
// row: by version and session, or by the primary key. A guess that was wrong costs its batch a second try, with everything loaded.
//
// A refusal is not guarded, so none rests on a guess, but for seats that others have: it is decided again with the row. And a
// hold of the account that turns up among what was loaded ends the guess at once (see Missing).
type guess struct {
	session id.ID // zero: no row
	key     string
}

// row is the buyer as guessed.
func (g guess) row(account id.ID) (b Buyer, fresh bool) {
	if g.session.IsZero() {
		return Buyer{Account: account}, true
	}
	return Buyer{Account: account, Session: g.session, Version: 1}, false
}

// guessed reports whether a refusal might be another one if the account's row were known.
func (s *Snapshot) guessed(account id.ID, err *fault.Error) bool {
	_, guessed := s.guesses[account]
	return guessed && err.Code != fault.SeatTaken
}

// doubt ends the guess about an account of which there is something: next asks for all of it.
func (s *Snapshot) doubt(account id.ID, next *Needs) {
	if g, guessed := s.guesses[account]; guessed {
		delete(s.guesses, account)
		next.Accounts, next.HoldKeys = append(next.Accounts, account), append(next.HoldKeys, g.key)
	}
}

// guess moves the accounts that press for the first time from those to be loaded to those guessed.
func (e *engine) guess(needs *Needs, calls []*call) {
	if needs.sure || !e.view.rushing() || !e.trust.begin() {
		return
	}
	guesses, often := make(map[id.ID]guess, len(calls)), map[id.ID]struct{}{}
	for _, c := range calls {
		place, places := c.command.(PlaceHold)
		if !places {
			continue
		}
		if _, again := guesses[place.Account]; again {
			often[place.Account] = struct{}{}
		}
		if place.Fresh && !c.sure && len(place.Areas) == 0 && place.none == nil && !e.trust.has(place.Account) {
			guesses[place.Account] = guess{session: place.Session, key: place.Key}
		} else {
			often[place.Account] = struct{}{}
		}
	}
	for account := range often {
		delete(guesses, account)
	}
	needs.guess(guesses)
}

func (n *Needs) guess(guesses map[id.ID]guess) {
	rest := n.Accounts[:0]
	for _, account := range n.Accounts {
		if _, guessed := guesses[account]; !guessed {
			rest = append(rest, account)
		}
	}
	n.Accounts, n.guesses = rest, guesses
	if len(rest) == 0 {
		n.HoldKeys = nil
	}
}

// learned draws the lesson from a batch: who has a hold now has another row than the door's.
func (e *engine) learned(b *batch, guesses int) {
	e.trust.end(guesses, b.err == nil)
	for i, c := range b.calls {
		if b.err != nil {
			c.sure = true
		} else if place, places := c.command.(PlaceHold); places && b.outcomes[i].Err == nil {
			e.trust.met(place.Account, e.chart.Seats())
		}
	}
}

// trust says whether guessing is worth it, and about whom: not about accounts that this engine has given a hold. Those
// are kept as bits (a Bloom filter of 2 bytes a seat, made in a rush): one too many is an account that is loaded.
type trust struct {
	mu      sync.Mutex
	seed    maphash.Seed
	bits    []uint64
	count   int // accounts in bits
	rest    int // batches that do not guess
	penalty int // rest after the next wrong guess
}

// mostRest is how many batches load everything after a row of wrong guesses: other processes sell to the same people.
const mostRest = 64

// begin reports whether the next batch may guess.
func (t *trust) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rest > 0 {
		t.rest--
		return false
	}
	return true
}

// end notes how a batch ended that made so many guesses.
func (t *trust) end(guesses int, right bool) {
	if guesses == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if right {
		t.penalty /= 2
		return
	}
	t.penalty = min(max(1, 2*t.penalty), mostRest)
	t.rest = t.penalty
}

// met notes that an account has a hold. seats is how many accounts are kept at most: then all are forgotten.
func (t *trust) met(account id.ID, seats int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bits == nil || t.count > seats {
		t.seed, t.bits, t.count = maphash.MakeSeed(), make([]uint64, seats/4+1), 0
	}
	t.count++
	for _, at := range t.places(account) {
		t.bits[at/64] |= 1 << (at % 64)
	}
}

func (t *trust) has(account id.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bits == nil {
		return false
	}
	for _, at := range t.places(account) {
		if t.bits[at/64]&(1<<(at%64)) == 0 {
			return false
		}
	}
	return true
}

func (t *trust) places(account id.ID) [2]uint64 {
	h, n := maphash.Comparable(t.seed, account), uint64(len(t.bits)*64)
	return [2]uint64{h >> 32 % n, h & (1<<32 - 1) % n}
}

// drop forgets whom the engine has met, when a rush is over.
func (t *trust) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bits, t.count = nil, 0
}
