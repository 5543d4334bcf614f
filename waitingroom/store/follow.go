package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/queue"
	"plateia/waitingroom/draw"
)

// message is one of the log as a reader gets it.
type message struct {
	subject, until string
	data           []byte
	sequence       uint64
	pending        uint64 // messages behind it
	stored         time.Time
}

// reader is what follow keeps up to date.
type reader interface {
	next() uint64
	reach(caught bool)
	fold(message)
	forget()
}

var errSkipped = errors.New("store: a message was skipped")

// follow reads the log in sessions until ctx ends: whatever goes wrong with one (server away, consumer gone, a
// message skipped) is cured by another that begins behind the last message that was read.
func (e *Entries) follow(ctx context.Context, filters []string, r reader) {
	for {
		err := e.session(ctx, filters, r)
		if ctx.Err() != nil {
			return
		}
		r.reach(false)
		e.o.Logger.Debug("log of entries: reading again", "from", r.next(), "reason", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (e *Entries) session(ctx context.Context, filters []string, r reader) error {
	consumer, err := e.consumer(ctx, filters, r)
	if err != nil {
		return err
	}
	defer e.discard(ctx, consumer.CachedInfo().Name)
	r.reach(consumer.CachedInfo().NumPending == 0)
	broken := make(chan error, 1)
	consuming, err := consumer.Consume(handler(r, broken), jetstream.PullMaxMessages(2000), jetstream.PullExpiry(30*time.Second), jetstream.PullHeartbeat(5*time.Second),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { tell(broken, err) }))
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case err = <-broken:
	}
	consuming.Stop()
	<-consuming.Closed()
	return err
}

// consumer begins behind what was read. A log that ends before that is another one.
func (e *Entries) consumer(ctx context.Context, filters []string, r reader) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, AppendWait)
	defer cancel()
	s, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx)
	if err != nil {
		return nil, e.gone(err)
	}
	if info.State.LastSeq+1 < r.next() {
		e.o.Logger.Error("log of entries: it has lost its end, or is another one: counting it anew", "read", r.next()-1, "last", info.State.LastSeq)
		r.forget()
	}
	return s.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubjects: filters, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: r.next(),
		AckPolicy: jetstream.AckNonePolicy, MaxDeliver: 1, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
}

// discard removes a consumer that nobody reads; the server would after a minute.
func (e *Entries) discard(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 500*time.Millisecond)
	defer cancel()
	if e.js.Conn().IsConnected() {
		_ = e.js.DeleteConsumer(ctx, e.o.stream(), name) // it is gone, or will be
	}
}

// handler gives messages to a reader as long as none is missing.
func handler(r reader, broken chan<- error) jetstream.MessageHandler {
	var delivered uint64
	return func(msg jetstream.Msg) {
		m, at, err := readMessage(msg)
		if err == nil && at != delivered+1 {
			err = errSkipped
		}
		if err != nil {
			tell(broken, err)
			return
		}
		r.fold(m)
		delivered = at
	}
}

func readMessage(msg jetstream.Msg) (m message, at uint64, err error) {
	meta, err := msg.Metadata()
	if err != nil {
		return message{}, 0, err
	}
	return message{
		subject: msg.Subject(), until: msg.Headers().Get(lotteryUntil), data: msg.Data(),
		sequence: meta.Sequence.Stream, pending: meta.NumPending, stored: meta.Timestamp,
	}, meta.Sequence.Consumer, nil
}

func tell(broken chan<- error, err error) {
	select {
	case broken <- err:
	default:
	}
}

// All are the entries of a line that are in its log now, in its order; so is each shard. The iteration ends
// with the first error, which is yielded.
func (e *Entries) All(ctx context.Context, key queue.Key) iter.Seq2[draw.Entry, error] {
	return func(yield func(draw.Entry, error) bool) {
		if err := e.each(ctx, key, func(entry draw.Entry) bool { return yield(entry, nil) }); err != nil {
			yield(draw.Entry{}, err)
		}
	}
}

func (e *Entries) each(ctx context.Context, key queue.Key, yield func(draw.Entry) bool) error {
	consumer, err := e.consumer(ctx, []string{e.names.line(entryKind, key) + ".>"}, fromStart{})
	if err != nil {
		return busy(err)
	}
	info := consumer.CachedInfo()
	defer e.discard(ctx, info.Name)
	if info.NumPending == 0 {
		return nil
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(2000), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(2*time.Second))
	if err != nil {
		return busy(err)
	}
	defer messages.Stop()
	for n := uint64(1); n <= info.NumPending; n++ {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return busy(err)
		}
		m, at, err := readMessage(msg)
		if err != nil || at != n {
			return busy(errors.Join(errSkipped, err))
		}
		if entry, ok := e.entry(m); ok && !yield(entry) {
			return nil
		}
	}
	return nil
}

// entry reads a message. One that is no entry is passed over by everybody: it must not keep a draw from being made.
func (e *Entries) entry(m message) (draw.Entry, bool) {
	entry, err := readEntry(m.data, m.until, m.stored)
	if err != nil {
		e.o.Logger.Error("log of entries: a message that is no entry", "sequence", m.sequence, "error", err)
	}
	return entry, err == nil
}

// fromStart is the reader of All, which reads once.
type fromStart struct{}

func (fromStart) next() uint64 { return 1 }
func (fromStart) reach(bool)   {}
func (fromStart) fold(message) {}
func (fromStart) forget()      {}
