package api

import (
	"container/list"
	"sync"
	"time"

	"plateia/core/id"
)

// replays is how often one press may be repeated under its key without counting again.
const replays = 10

// presses limits hold presses: at most n in any minute for one account and
// event, exactly, by remembering each press. Repeating a press under the same
// Idempotency-Key is a retry and free, within reason. It is this process's own
// count; it forgets the longest idle account when it is full.
type presses struct {
	mu     sync.Mutex
	most   int
	byWho  map[presser]*list.Element
	recent *list.List // of *pressLog, most recent first
}

type presser struct{ event, account id.ID }

type pressLog struct {
	who   presser
	marks []press // oldest first
}

type press struct {
	at    time.Time
	key   string
	tries int
}

const pressWindow = time.Minute

func newPresses(most int) *presses {
	return &presses{most: most, byWho: make(map[presser]*list.Element), recent: list.New()}
}

// allow counts a press, or says when the next one is allowed; again: it repeats one that was counted. perMinute 0 is no limit.
func (p *presses) allow(who presser, key string, perMinute int, now time.Time) (resetAt time.Time, again, ok bool) {
	if perMinute <= 0 {
		return time.Time{}, false, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log(who)
	log.forget(now.Add(-pressWindow))
	if log.repeats(key) {
		return time.Time{}, true, true
	}
	if len(log.marks) >= perMinute {
		return log.marks[len(log.marks)-perMinute].at.Add(pressWindow), false, false
	}
	log.marks = append(log.marks, press{at: now, key: key})
	return time.Time{}, false, true
}

func (p *presses) log(who presser) *pressLog {
	if e, ok := p.byWho[who]; ok {
		p.recent.MoveToFront(e)
		return e.Value.(*pressLog)
	}
	if len(p.byWho) >= p.most {
		oldest := p.recent.Back()
		delete(p.byWho, p.recent.Remove(oldest).(*pressLog).who)
	}
	log := &pressLog{who: who}
	p.byWho[who] = p.recent.PushFront(log)
	return log
}

func (l *pressLog) forget(before time.Time) {
	n := 0
	for n < len(l.marks) && !l.marks[n].at.After(before) {
		n++
	}
	l.marks = append(l.marks[:0], l.marks[n:]...)
}

func (l *pressLog) repeats(key string) bool {
	for i := range l.marks {
		if l.marks[i].key == key && l.marks[i].tries < replays {
			l.marks[i].tries++
			return true
		}
	}
	return false
}
