package hub_test

import (
	"context"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// bucket behaves like stream.Shelf's value of one event, with its rules for what counts and who may write.
type bucket struct {
	mu     sync.Mutex
	value  *wire.Stored
	writer *bucketSide
	at     time.Time
}

// bucketSide is a gateway's view of it: the gateway believes in the incarnation that it saw at its last look.
type bucketSide struct {
	*bucket
	tap *tap
}

var _ hub.Shelf = (*bucketSide)(nil)

func (s *bucketSide) Take(context.Context, id.ID) (*wire.Stored, error) {
	life, _, _ := s.tap.state()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value == nil || s.value.Stream != life || !s.tap.w.continues(*s.value) {
		return nil, nil
	}
	again, err := wire.DecodeStored(wire.EncodeStored(*s.value))
	return &again, err
}

// continues reports whether the log still has everything after a snapshot, and is the one that it was taken from. Here
// the incarnation alone would do, because somebody always remembers it; stream.TestShelf… have the log that nobody remembers.
func (w *world) continues(v wire.Stored) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v.Seen == uint64(w.gone) || v.Seen == 0 {
		return v.Seen == uint64(w.gone)
	}
	return v.Seen > uint64(w.gone) && v.Seen <= uint64(len(w.log)) && w.log[v.Seen-1].ID == v.Last
}

func (s *bucketSide) Keep(_ context.Context, v wire.Stored) (bool, error) {
	if v.Last.IsZero() && !s.tap.w.place(&v) {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := s.writer == s
	if old := s.value; old != nil && !mine && old.Stream == v.Stream && (old.Seen >= v.Seen || time.Since(s.at) < 5*time.Second) {
		return false, nil
	}
	s.value, s.writer, s.at = &v, s, time.Now()
	return true, nil
}

// place names the message at the end of the log; all of them are about the one event.
func (w *world) place(v *wire.Stored) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v.Offset != uint64(len(w.log)) {
		return false
	}
	if len(w.log) > w.gone {
		v.Last = w.log[len(w.log)-1].ID
	}
	return true
}

func (s *bucketSide) Drop(context.Context, id.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.writer = nil, nil
	return nil
}
