package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/draw"
)

// Options of the log.
type Options struct {
	Region   string // of several, each of which keeps a log of its own; empty: there is one
	Replicas int    // 0: 1
	MaxBytes int64  // of the log, about 400 for an entry; 0: 1 GiB
	Logger   *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Replicas = cmp.Or(o.Replicas, 1)
	o.MaxBytes = cmp.Or(o.MaxBytes, 1<<30)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// stream is the log's name.
func (o Options) stream() string {
	if o.Region == "" {
		return "ENTRIES"
	}
	return "ENTRIES_" + o.Region
}

// Entries is the log of entries of all events. Start it, and Stop it once; safe for concurrent use.
type Entries struct {
	js     jetstream.JetStream
	o      Options
	names  subjects
	writes chan *write
	ended  chan struct{}
	cancel context.CancelFunc

	mu     sync.Mutex
	stream jetstream.Stream
}

// New returns the log on a JetStream. It asks nothing of the server yet.
func New(js jetstream.JetStream, o Options) *Entries {
	o = o.withDefaults()
	return &Entries{js: js, o: o, names: subjects{o.Region}, writes: make(chan *write, maxWaiting), ended: make(chan struct{})}
}

// Start begins to take writes. It waits for nothing: the stream is made when it is first needed.
func (e *Entries) Start(ctx context.Context) error {
	ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go e.commit(ctx)
	return nil
}

// Stop ends the writing. Those that wait are answered Busy. Stopping twice or before Start is fine.
func (e *Entries) Stop(ctx context.Context) error {
	if e.cancel == nil {
		return nil
	}
	e.cancel()
	select {
	case <-e.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// open makes sure that the stream is there.
func (e *Entries) open(ctx context.Context) (jetstream.Stream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stream != nil {
		return e.stream, nil
	}
	config := jetstream.StreamConfig{
		Name: e.o.stream(), Description: "who entered the line of which event, for ever",
		Subjects: e.names.all(), Storage: jetstream.FileStorage, Replicas: e.o.Replicas, MaxBytes: e.o.MaxBytes,
		Discard: jetstream.DiscardNew, // an entry that is in the log stays in it
		MaxAge:  0, DenyDelete: true, AllowDirect: true, AllowAtomicPublish: true,
	}
	s, err := e.js.Stream(ctx, config.Name) // with other limits: they are its operator's business
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = e.create(ctx, config)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody has just made it
		s, err = e.js.Stream(ctx, config.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("store: log of entries: %w", err)
	}
	e.stream = s
	return s, nil
}

// create makes the stream. It does not give up when its asker does: a server that was told to stop while it makes a stream leaves it open.
func (e *Entries) create(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), AppendWait)
	defer cancel()
	return e.js.CreateStream(ctx, config)
}

// gone makes the next use look for the stream again, when it was not there.
func (e *Entries) gone(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, nats.ErrNoResponders) {
		e.mu.Lock()
		e.stream = nil
		e.mu.Unlock()
	}
	return err
}

// last is the newest message of a subject; nil when there is none.
func (e *Entries) last(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	s, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	msg, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return msg, e.gone(err)
}

// Kept is an entry as the log has it, and the key that it is bound to now.
type Kept struct {
	Entry    draw.Entry
	KeyThumb string
	BoundAt  time.Time

	rebound uint64 // sequence of the newest rebinding
}

// Find is an account's entry in a line; false: there is none.
func (e *Entries) Find(ctx context.Context, key queue.Key, pseudonym string) (Kept, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, AppendWait)
	defer cancel()
	msg, err := e.last(ctx, e.names.of(entryKind, key, pseudonym))
	if err != nil || msg == nil {
		return Kept{}, false, busy(err)
	}
	entry, err := readEntry(msg.Data, msg.Header.Get(lotteryUntil), msg.Time)
	if err != nil {
		return Kept{}, false, err
	}
	kept := Kept{Entry: entry, KeyThumb: entry.KeyThumb, BoundAt: time.UnixMilli(entry.EnteredAt).UTC()}
	moved, err := e.last(ctx, e.names.of(rebindKind, key, pseudonym))
	if err != nil {
		return Kept{}, false, busy(err)
	}
	if moved != nil {
		var r rebinding
		if err := json.Unmarshal(moved.Data, &r); err != nil {
			return Kept{}, false, fmt.Errorf("store: not a rebinding: %w", err)
		}
		kept.KeyThumb, kept.BoundAt, kept.rebound = r.Key, time.UnixMilli(r.At).UTC(), moved.Sequence
	}
	return kept, true, nil
}

// Enter writes an entry, unless the account has one: then that one counts, and fresh is false. onSale is
// the instant at which the lottery ends. Busy: the log did not answer in time, and the entry may be in it or not.
func (e *Entries) Enter(ctx context.Context, key queue.Key, entry draw.Entry, onSale time.Time) (kept Kept, fresh bool, err error) {
	if err := entry.Check(); err != nil {
		return Kept{}, false, fault.Wrap(err, fault.Invalid, "this entry cannot be taken")
	}
	msg := nats.NewMsg(e.names.of(entryKind, key, entry.Pseudonym))
	if entry.Class == draw.Lottery {
		msg.Header.Set(lotteryUntil, strconv.FormatInt(onSale.Add(lotteryEnd).UnixMilli(), 10))
	}
	if msg.Data, err = json.Marshal(entry); err != nil {
		return Kept{}, false, err
	}
	_, err = e.add(ctx, msg, 0)
	switch {
	case err == nil:
		return Kept{Entry: entry, KeyThumb: entry.KeyThumb, BoundAt: time.UnixMilli(entry.EnteredAt).UTC()}, true, nil
	case !errors.Is(err, errTaken):
		return Kept{}, false, err
	}
	kept, found, err := e.Find(ctx, key, entry.Pseudonym)
	if err == nil && !found { // a replica that has not heard of it yet
		err = busy(errTaken)
	}
	return kept, false, err
}

// Rebind binds an entry, as it was found, to another key. It fails with Busy when the entry has moved since.
func (e *Entries) Rebind(ctx context.Context, key queue.Key, kept Kept, keyThumb string, at time.Time) (Kept, error) {
	msg := nats.NewMsg(e.names.of(rebindKind, key, kept.Entry.Pseudonym))
	var err error
	if msg.Data, err = json.Marshal(rebinding{keyThumb, at.UnixMilli()}); err != nil {
		return Kept{}, err
	}
	seq, err := e.add(ctx, msg, kept.rebound)
	if errors.Is(err, errTaken) {
		return Kept{}, fault.New(fault.Busy, "the place has just moved to another device; try again").After(time.Second)
	}
	kept.KeyThumb, kept.BoundAt, kept.rebound = keyThumb, time.UnixMilli(at.UnixMilli()).UTC(), seq
	return kept, err
}

// UseCode uses a presale code, known by its hash, for an account; using it again is fine. False: it is another's.
func (e *Entries) UseCode(ctx context.Context, event id.ID, code draw.Digest, pseudonym string) (bool, error) {
	subject := e.names.code(event, code)
	msg := nats.NewMsg(subject)
	msg.Data = []byte(pseudonym)
	_, err := e.add(ctx, msg, 0)
	if !errors.Is(err, errTaken) {
		return err == nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, AppendWait)
	defer cancel()
	used, err := e.last(ctx, subject)
	if err != nil || used == nil {
		return false, busy(cmp.Or(err, errors.New("store: the code's message is not there yet")))
	}
	return string(used.Data) == pseudonym, nil
}

// Moved is true when the entry is bound to another key than the one it was made with, or has been.
func (k Kept) Moved() bool { return k.rebound > 0 }
