package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/id"
	"plateia/realtime/wire"
)

// Shelf is the bucket of snapshots: per event the state of its seats after some
// message of the stream, so that a gateway that starts needs no database. Whoever
// folds an event may write it, by compare-and-set. It is a JetStream key-value
// bucket beside the stream and as lasting as that: what is lost is written again.
// Safe for concurrent use.
type Shelf struct {
	c *Client

	mu        sync.Mutex
	bucket    jetstream.KeyValue
	revisions map[id.ID]uint64 // of the values this process wrote last and nobody has replaced since
}

const (
	shelfBytes = 512 << 20 // of the bucket
	shelfKeys  = 8192      // revisions remembered
	// writerAlive is how long a value is left alone that somebody else wrote.
	writerAlive = 5 * time.Second
)

// Shelf returns the bucket of snapshots beside the stream; it is made at its first use.
func (c *Client) Shelf() *Shelf { return &Shelf{c: c, revisions: map[id.ID]uint64{}} }

func (s *Shelf) open(ctx context.Context) (jetstream.KeyValue, error) {
	s.mu.Lock()
	kv := s.bucket
	s.mu.Unlock()
	if kv != nil {
		return kv, nil
	}
	name := s.c.o.Name + "-FOLDS"
	kv, err := s.c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: name, Description: "seats of events after some message of the stream",
		TTL: s.c.o.MaxAge, MaxBytes: shelfBytes, Storage: jetstream.FileStorage, Replicas: max(1, s.c.o.Replicas),
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // with other limits: they are its operator's business
		kv, err = s.c.js.KeyValue(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("stream: bucket of snapshots: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bucket = kv
	return kv, nil
}

// Take returns the newest snapshot of an event that the stream can continue: of its
// present incarnation, with nothing after it dropped. nil, without an error: there is none.
func (s *Shelf) Take(ctx context.Context, event id.ID) (*wire.Stored, error) {
	kv, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	stored, _, err := s.get(ctx, kv, event)
	if err != nil || stored == nil {
		return nil, err
	}
	ok, err := s.c.continues(ctx, *stored)
	if err != nil || !ok {
		return nil, err
	}
	return stored, nil
}

// get reads a value; one that cannot be read counts as none, and will be replaced.
func (s *Shelf) get(ctx context.Context, kv jetstream.KeyValue, event id.ID) (*wire.Stored, jetstream.KeyValueEntry, error) {
	entry, err := kv.Get(ctx, event.String())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil, nil
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		s.forgetBucket()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("stream: snapshot of %s: %w", event, err)
	}
	stored, err := wire.DecodeStored(entry.Value())
	if err != nil || stored.Event != event {
		s.c.log.Error("stream: unreadable snapshot", "event", event, "error", err)
		return nil, entry, nil
	}
	return &stored, entry, nil
}

// forgetBucket makes the next use look for the bucket again: somebody deleted it.
func (s *Shelf) forgetBucket() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bucket = nil
	clear(s.revisions)
}

// continues reports whether the stream is the one that a snapshot was taken from
// and still has everything after it. The message it names must be there, the same
// one: sequence numbers are given again when a stream loses its tail.
func (c *Client) continues(ctx context.Context, st wire.Stored) (bool, error) {
	life, err := c.incarnation()
	if err != nil || life.number != st.Stream {
		return false, err
	}
	s, err := c.js.Stream(ctx, c.o.Name)
	if err != nil {
		return false, fmt.Errorf("stream: %w", err)
	}
	if first := max(s.CachedInfo().State.FirstSeq, 1); first == st.Seen+1 || st.Seen == 0 {
		return first == st.Seen+1, nil // all that is there is later, and nothing later was dropped
	}
	data, found, err := c.message(ctx, s, st.Seen)
	if err != nil || !found {
		return false, err
	}
	d, err := wire.DecodeStream(data)
	return err == nil && d.ID == st.Last, nil
}

// message reads one message: from any server, and from the leader when that one, which may be behind, has it not.
func (c *Client) message(ctx context.Context, s jetstream.Stream, seq uint64) (data []byte, found bool, err error) {
	msg, err := s.GetMsg(ctx, seq)
	switch {
	case err == nil:
		return msg.Data, true, nil
	case errors.Is(err, jetstream.ErrMsgNotFound):
		led, found, err := c.ask(ctx, map[string]any{"seq": seq})
		return led.Data, found, err
	}
	return nil, false, fmt.Errorf("stream: message %d: %w", seq, err)
}

// Keep writes a snapshot, and reports whether it did: not when somebody else writes
// this event's, nor when the stream has a message about the event that the snapshot
// lacks. With a zero Last it finds out what stands at the end of the stream.
func (s *Shelf) Keep(ctx context.Context, st wire.Stored) (bool, error) {
	kv, err := s.open(ctx)
	if err != nil {
		return false, err
	}
	if st.Last.IsZero() {
		if ok, err := s.c.place(ctx, &st); err != nil || !ok {
			return false, err
		}
	}
	revision, known := s.revision(st.Event)
	if !known {
		var mine bool
		if revision, mine, err = s.takeOver(ctx, kv, st); err != nil || !mine {
			return false, err
		}
	}
	return s.write(ctx, kv, st, revision)
}

// Drop removes an event's snapshot, whoever wrote it: it was found to be wrong.
func (s *Shelf) Drop(ctx context.Context, event id.ID) error {
	kv, err := s.open(ctx)
	if err != nil {
		return err
	}
	s.forget(event)
	if err := kv.Delete(ctx, event.String()); err != nil {
		return fmt.Errorf("stream: drop snapshot of %s: %w", event, err)
	}
	return nil
}

// takeOver decides whether a value that this process did not write may be replaced.
func (s *Shelf) takeOver(ctx context.Context, kv jetstream.KeyValue, st wire.Stored) (revision uint64, ok bool, err error) {
	old, entry, err := s.get(ctx, kv, st.Event)
	switch {
	case err != nil:
		return 0, false, err
	case entry == nil:
		return 0, true, nil
	case old == nil || old.Stream != st.Stream:
		return entry.Revision(), true, nil
	case old.Seen >= st.Seen || time.Since(entry.Created()) < writerAlive:
		return 0, false, nil
	}
	return entry.Revision(), true, nil
}

func (s *Shelf) write(ctx context.Context, kv jetstream.KeyValue, st wire.Stored, revision uint64) (bool, error) {
	var err error
	if value := wire.EncodeStored(st); revision == 0 {
		revision, err = kv.Create(ctx, st.Event.String(), value)
	} else {
		revision, err = kv.Update(ctx, st.Event.String(), value, revision)
	}
	if err == nil {
		s.remember(st.Event, revision)
		return true, nil
	}
	s.forget(st.Event)
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return false, nil // somebody else was faster
	}
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		s.forgetBucket()
	}
	return false, fmt.Errorf("stream: keep snapshot of %s: %w", st.Event, err)
}

func (s *Shelf) revision(event id.ID) (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, known := s.revisions[event]
	return r, known
}

func (s *Shelf) remember(event id.ID, revision uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.revisions) >= shelfKeys {
		clear(s.revisions)
	}
	s.revisions[event] = revision
}

func (s *Shelf) forget(event id.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.revisions, event)
}

// place extends a snapshot over messages about other events to the end of the
// stream. It asks the stream's leader alone: a replica that is behind would hide
// a message about this event.
func (c *Client) place(ctx context.Context, st *wire.Stored) (bool, error) {
	s, err := c.js.Stream(ctx, c.o.Name)
	if err != nil {
		return false, fmt.Errorf("stream: place: %w", err)
	}
	state := s.CachedInfo().State
	if state.Msgs == 0 {
		st.Seen = state.LastSeq
		return st.Offset == state.LastSeq, nil
	}
	own, found, err := c.ask(ctx, map[string]any{"last_by_subj": c.subject(st.Event)})
	if err != nil || (found && own.Seq > st.Offset) {
		return false, err
	}
	end, found, err := c.ask(ctx, map[string]any{"seq": state.LastSeq})
	if err != nil || !found || state.LastSeq < st.Offset {
		return false, err
	}
	d, err := wire.DecodeStream(end.Data)
	if err != nil {
		return false, nil //nolint:nilerr // no name to know the stream by; the next message has one
	}
	st.Seen, st.Last = state.LastSeq, d.ID
	return true, nil
}

type leaderMsg struct {
	Seq  uint64 `json:"seq"`
	Data []byte `json:"data"`
}

// ask reads one message from the stream's leader.
func (c *Client) ask(ctx context.Context, question map[string]any) (msg leaderMsg, found bool, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return msg, false, err
	}
	answer, err := c.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+c.o.Name, body)
	if err != nil {
		return msg, false, fmt.Errorf("stream: ask the leader: %w", err)
	}
	var r struct {
		Message *leaderMsg          `json:"message"`
		Error   *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &r); err != nil {
		return msg, false, fmt.Errorf("stream: ask the leader: %w", err)
	}
	switch {
	case r.Message != nil:
		return *r.Message, true, nil
	case r.Error != nil && r.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return msg, false, nil
	case r.Error != nil:
		return msg, false, fmt.Errorf("stream: ask the leader: %w", r.Error)
	}
	return msg, false, errors.New("stream: the leader's answer is empty")
}
