package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"plateia/core/queue"
	"plateia/waitingroom/draw"
)

// Tally is what the log of one line says, as it grows: counts, and the trees that its root follows from.
// Safe for concurrent use; only Cut waits for anything.
type Tally struct {
	e      *Entries
	key    queue.Key
	cancel context.CancelFunc
	ended  chan struct{}

	mu      sync.Mutex
	log     draw.Log
	tiers   []int64 // entries of the lottery
	seconds []int64 // in which somebody entered late, in order
	counts  []int64 // late entries up to and in each of seconds
	last    uint64  // sequence of the newest message that was read
	caught  bool
	news    chan struct{} // closed and replaced when something was read
}

// Follow begins to read a line's log from its beginning. Close the tally when it is not needed any more.
func (e *Entries) Follow(ctx context.Context, key queue.Key) (*Tally, error) {
	if _, err := e.open(ctx); err != nil {
		return nil, busy(err)
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &Tally{e: e, key: key, cancel: cancel, ended: make(chan struct{}), news: make(chan struct{})}
	go func() {
		defer close(t.ended)
		e.follow(background, []string{e.names.line(entryKind, key) + ".>", e.names.line(markKind, key)}, t)
	}()
	return t, nil
}

// Close ends the reading and waits for it.
func (t *Tally) Close() {
	t.cancel()
	<-t.ended
}

// Tiers are the entries of the lottery by tier, up to the last that somebody is in.
func (t *Tally) Tiers() []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.tiers)
}

// Lottery is how many entries the lottery has.
func (t *Tally) Lottery() (n int64) {
	for _, tier := range t.Tiers() {
		n += tier
	}
	return n
}

// Late is how many entries came late.
func (t *Tally) Late() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lateUpTo(len(t.counts))
}

// LateBefore is how many entries came late and before a Unix second.
func (t *Tally) LateBefore(second int64) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, _ := slices.BinarySearch(t.seconds, second)
	return t.lateUpTo(at)
}

func (t *Tally) lateUpTo(at int) int64 {
	if at == 0 {
		return 0
	}
	return t.counts[at-1]
}

// Caught is true when everything that was in the log a moment ago has been read.
func (t *Tally) Caught() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.caught
}

// Roots are the log's parts as far as they have been read.
func (t *Tally) Roots() []draw.ShardRoot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.Roots()
}

// Cut marks the log and returns its parts when everything before the mark has been read. From CutAfter the on-sale
// instant on, nothing of the lottery comes behind it.
func (t *Tally) Cut(ctx context.Context) ([]draw.ShardRoot, error) {
	msg := nats.NewMsg(t.e.names.line(markKind, t.key))
	msg.Data = []byte(time.Now().UTC().Format(time.RFC3339Nano))
	ack, err := t.e.js.PublishMsg(ctx, msg)
	if err != nil {
		return nil, fmt.Errorf("store: marking the log: %w", err)
	}
	for {
		roots, news := t.rootsBehind(ack.Sequence)
		if roots != nil {
			return roots, nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil, fmt.Errorf("store: the log is read up to %d of %d: %w", t.next()-1, ack.Sequence, ctx.Err())
		}
	}
}

// rootsBehind are the parts once a message has been read; nil before: ask again at the news.
func (t *Tally) rootsBehind(sequence uint64) ([]draw.ShardRoot, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last < sequence {
		return nil, t.news
	}
	return t.log.Roots(), nil
}

// next is the sequence to go on from.
func (t *Tally) next() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last + 1
}

// reach says whether there is more in the log than was read.
func (t *Tally) reach(caught bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.caught = caught
}

// forget begins again: the log is not the one that was read.
func (t *Tally) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log, t.tiers, t.seconds, t.counts, t.last, t.caught = draw.Log{}, nil, nil, nil, 0, false
}

func (t *Tally) fold(m message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isEntry(m.subject) {
		if entry, ok := t.e.entry(m); ok {
			t.count(entry)
		}
	}
	t.last, t.caught = m.sequence, m.pending == 0
	close(t.news)
	t.news = make(chan struct{})
}

func (t *Tally) count(entry draw.Entry) {
	t.log.Add(entry)
	if entry.Class == draw.Lottery {
		t.tiers = append(t.tiers, make([]int64, max(0, entry.Tier+1-len(t.tiers)))...)
		t.tiers[entry.Tier]++
		return
	}
	second := entry.EnteredAt / 1000
	at, there := slices.BinarySearch(t.seconds, second)
	if !there {
		t.seconds = slices.Insert(t.seconds, at, second)
		t.counts = slices.Insert(t.counts, at, t.lateUpTo(at))
	}
	for ; at < len(t.counts); at++ {
		t.counts[at]++
	}
}
