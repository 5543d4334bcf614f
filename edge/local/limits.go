package local

import (
	"container/list"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// allowance is how often one account may do something: burst at once, and one more every pace after that.
type allowance struct {
	burst int
	pace  time.Duration
}

// What a person with tabs, reloads and a bad network needs, several times over. Addresses are not limited: five thousand
// fans may share one.
var (
	mintAllowance  = allowance{burst: 20, pace: 3 * time.Second}
	claimAllowance = allowance{burst: 30, pace: time.Second}
)

// accountsCounted is how many accounts each limit remembers, about 150 bytes each.
const accountsCounted = 100_000

// limits counts by account. It forgets whoever was idle for the longest when it is full, and costs nothing for those it does not know.
type limits struct {
	allowance
	most int
	now  func() time.Time

	mu     sync.Mutex
	byWho  map[id.ID]*list.Element // of *spent
	recent *list.List              // front: counted last
}

// spent is until when an account's actions are paid for; it is ahead of now by at most the burst.
type spent struct {
	who   id.ID
	until time.Time
}

func newLimits(a allowance, most int, now func() time.Time) *limits {
	return &limits{allowance: a, most: most, now: now, byWho: map[id.ID]*list.Element{}, recent: list.New()}
}

// allow counts one action of a caller whose session was verified here; of others there is nothing to count.
func (l *limits) allow(c caller) error {
	if c.session.Account.IsZero() {
		return nil
	}
	return l.take(c.session.Account)
}

// take counts one action of an account, or says when the next one is allowed.
func (l *limits) take(who id.ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, s := l.now(), l.of(who)
	if s.until.Before(now) {
		s.until = now
	}
	if wait := s.until.Add(l.pace).Sub(now.Add(time.Duration(l.burst) * l.pace)); wait > 0 {
		return fault.New(fault.RateLimited, "this account asks too often; the place is kept").After(wait).With("resetAt", now.Add(wait).UTC())
	}
	s.until = s.until.Add(l.pace)
	return nil
}

func (l *limits) of(who id.ID) *spent {
	if el, ok := l.byWho[who]; ok {
		l.recent.MoveToFront(el)
		return el.Value.(*spent)
	}
	if len(l.byWho) >= l.most {
		delete(l.byWho, l.recent.Remove(l.recent.Back()).(*spent).who)
	}
	s := &spent{who: who}
	l.byWho[who] = l.recent.PushFront(s)
	return s
}
