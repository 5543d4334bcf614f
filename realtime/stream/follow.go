package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// Follow delivers everything published about an event from now on, until ctx
// ends (nil) or the stream is lost (ErrLost, or the reason it cannot be followed).
//
// It first calls start with the stream's incarnation and a base position: every
// message with a sequence number up to base was published before start was
// called, so a database snapshot that start takes contains it. Then each is
// called, from one goroutine, with every later message in order; a reconnect in
// between is bridged. An error of start ends Follow with it.
func (c *Client) Follow(ctx context.Context, event id.ID, start func(incarnation, base uint64) error, each func(seq uint64, d inventory.Delta)) error {
	return c.FollowFrom(ctx, event, func(incarnation, base uint64) (uint64, error) { return base, start(incarnation, base) }, each)
}

// FollowFrom is Follow for whoever has an earlier state than a database snapshot:
// start returns the position that its state includes, and each is called with
// every message after that. What Shelf.Take gives can be continued like this.
func (c *Client) FollowFrom(ctx context.Context, event id.ID, start func(incarnation, base uint64) (from uint64, err error), each func(seq uint64, d inventory.Delta)) error {
	life, err := c.incarnation()
	if err != nil {
		return err
	}
	base, err := c.base(ctx, event)
	if err != nil {
		return fmt.Errorf("stream: position of %s: %w", event, err)
	}
	life.saw(base)
	from, err := start(life.number, base)
	if err != nil {
		return err
	}
	f := &follower{c: c, event: event, each: each, next: from + 1}
	defer f.drift(false)
	for {
		err := f.session(ctx, life)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // being asked to end is no failure
		}
		if errors.Is(err, ErrLost) {
			return err
		}
		f.drift(true)
		c.log.Debug("stream: following again", "event", event, "from", f.next, "reason", err)
		pause(ctx, life)
	}
}

// pause keeps a follower from asking a server that is away in a tight loop.
func pause(ctx context.Context, life *incarnation) {
	select {
	case <-ctx.Done():
	case <-life.lost:
	case <-time.After(100 * time.Millisecond):
	}
}

var errSkipped = errors.New("a message was skipped")

// follower reads one event in sessions: a session is one ephemeral consumer, and
// whatever goes wrong with it (server away, consumer gone, a message skipped) is
// cured by another that begins after the last message delivered. The library's
// ordered consumer does the same in theory; after a server restart it was seen to
// wait for more than 15 s.
type follower struct {
	c     *Client
	event id.ID
	each  func(uint64, inventory.Delta)
	next  uint64 // stream sequence; touched by the session's handler only while it runs

	adrift bool // hears nothing; counted in Client.adrift
}

// drift notes whether the follower hears anything.
func (f *follower) drift(adrift bool) {
	if adrift == f.adrift {
		return
	}
	f.adrift = adrift
	if adrift {
		f.c.adrift.Add(1)
	} else {
		f.c.adrift.Add(-1)
	}
}

func (f *follower) session(ctx context.Context, life *incarnation) error {
	reconnected := f.c.reconnected()
	consumer, err := f.create(ctx)
	if err != nil {
		return f.orLost(life, err)
	}
	broken := make(chan error, 1)
	consuming, err := consumer.Consume(f.handler(life, broken),
		jetstream.PullExpiry(30*time.Second), jetstream.PullHeartbeat(5*time.Second),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { tell(broken, err) }))
	if err != nil {
		return err
	}
	f.drift(false)
	select {
	case <-ctx.Done():
	case <-life.lost:
		err = ErrLost
	case <-reconnected:
		err = errors.New("reconnected")
	case err = <-broken:
	}
	consuming.Stop()
	<-consuming.Closed()
	f.discard(consumer.CachedInfo().Name)
	return err
}

// orLost tells a server that is away from a stream that is gone.
func (f *follower) orLost(life *incarnation, err error) error {
	select {
	case <-life.lost:
		return ErrLost
	default:
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		f.c.lookNow()
	}
	return err
}

func (f *follower) create(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second) // a cluster without a leader answers nothing: ask again soon
	defer cancel()
	return f.c.js.CreateConsumer(ctx, f.c.o.Name, jetstream.ConsumerConfig{
		FilterSubject: f.c.subject(f.event), DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.next,
		AckPolicy: jetstream.AckNonePolicy, MaxDeliver: 1, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
}

// discard removes a consumer that nobody reads; the server would after a minute.
func (f *follower) discard(name string) {
	if !f.c.conn.IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if err := f.c.js.DeleteConsumer(ctx, f.c.o.Name, name); err != nil {
		f.c.log.Debug("stream: discard consumer", "error", err)
	}
}

// handler delivers messages as long as none is missing.
func (f *follower) handler(life *incarnation, broken chan<- error) jetstream.MessageHandler {
	var delivered uint64
	return func(msg jetstream.Msg) {
		meta, err := msg.Metadata()
		if err != nil || meta.Sequence.Consumer != delivered+1 {
			tell(broken, errors.Join(errSkipped, err))
			return
		}
		delivered++
		f.next = meta.Sequence.Stream + 1
		life.saw(meta.Sequence.Stream)
		d, err := wire.DecodeStream(msg.Data())
		if err != nil || d.Event != f.event {
			// It cannot be repaired here: the comparison with the database finds what it should have said.
			f.c.log.Error("stream: unreadable message", "event", f.event, "seq", meta.Sequence.Stream, "error", err)
			return
		}
		f.each(meta.Sequence.Stream, d)
	}
}

// tell reports the first reason only.
func tell(broken chan<- error, err error) {
	select {
	case broken <- err:
	default:
	}
}

// base is the position of the newest message about the event, or, when the stream
// holds none, the end of what it has already dropped. The order of the two
// questions matters: what arrives between them lies behind the answer.
func (c *Client) base(ctx context.Context, event id.ID) (uint64, error) {
	s, err := c.js.Stream(ctx, c.o.Name)
	if err != nil {
		return 0, err
	}
	msg, err := s.GetLastMsgForSubject(ctx, c.subject(event))
	if err == nil {
		return msg.Sequence, nil
	}
	if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, err
	}
	info, err := s.Info(ctx)
	if err != nil {
		return 0, err
	}
	return max(info.State.FirstSeq, 1) - 1, nil
}
