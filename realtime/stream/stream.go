// Package stream carries committed batches from the database to the gateways
// through the JetStream stream SEATS: a delivery log with a position, not the truth.
//
// Publish is the fast path right after commit; Relay repeats whatever the server
// did not acknowledge. Both use the outbox id as Nats-Msg-Id, which removes most
// duplicates; what makes the others harmless is that the highest version of a seat wins.
package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

// ErrLost ends a Follow whose stream was lost, replaced or has skipped messages:
// what was folded from it must be built anew.
var ErrLost = errors.New("stream: lost or replaced")

// Options of a client. Give URL or InProcess.
type Options struct {
	URL       string // "nats://…" or "tls://…", several separated by commas
	Access    Access // who we are to the server
	InProcess interface {
		InProcessConn() (net.Conn, error)
	}
	Region         string        // this process's, one of Regions; empty: there is only one
	Regions        []Region      // all of them
	Name           string        // of the stream; empty: SEATS, with several regions SEATS_<region>
	Subjects       string        // prefix of its subjects; empty: seat
	NoticeSubjects string        // prefix of what notices go over; empty: notice
	LoadSubject    string        // what engines' load goes over; empty: health
	Replicas       int           // of the stream and of what lies beside it; 0: as it is, 1 for a new one
	MaxAge         time.Duration // of messages; 0: 6 hours
	MaxBytes       int64         // of the stream; 0: 512 MiB
	NewIncarnation bool          // positions of before mean nothing any more, see natsd.Server.Unclean
	Patience       time.Duration // Connect waits for the server at most that long, then goes on without it and keeps trying; 0: until its context ends
	CheckEvery     time.Duration // between looks at the stream's health; 0: 5 s
	MaxPending     int           // publications awaiting their acknowledgement; 0: 2,000
	Logger         *slog.Logger  // nil: slog.DiscardHandler

	base string // Name without the region
}

func (o Options) withDefaults() Options {
	o.base = cmp.Or(o.Name, "SEATS")
	o.Name = o.base
	if o.Region != "" {
		o.Name += "_" + o.Region
	}
	o.Subjects = cmp.Or(o.Subjects, "seat")
	o.NoticeSubjects = cmp.Or(o.NoticeSubjects, "notice")
	o.LoadSubject = cmp.Or(o.LoadSubject, "health")
	o.MaxAge = cmp.Or(o.MaxAge, 6*time.Hour)
	o.MaxBytes = cmp.Or(o.MaxBytes, 512<<20)
	o.CheckEvery = cmp.Or(o.CheckEvery, 5*time.Second)
	o.MaxPending = cmp.Or(o.MaxPending, 2000)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// duplicateWindow is how long JetStream remembers Nats-Msg-Ids.
const duplicateWindow = 2 * time.Minute

// ackWait is how long a publication waits for its acknowledgement before the relay takes over.
const ackWait = 5 * time.Second

// Client is one connection to the stream. Safe for concurrent use.
type Client struct {
	o    Options
	log  *slog.Logger
	conn *nats.Conn
	js   jetstream.JetStream

	pending chan publication // in order of sending; bounds what awaits acknowledgement
	acked   chan id.ID       // for the relay to mark
	wake    chan struct{}    // look at the stream's health now
	news    chan batchNews   // to be told
	stop    context.CancelFunc
	done    sync.WaitGroup

	mu                                     sync.Mutex
	again                                  chan struct{}         // closed and replaced at each reconnect
	current                                *incarnation          // nil until the stream is known
	last                                   jetstream.StreamState // at the last look
	published, publishFailed, acknowledged atomic.Int64
	noticesSent, noticesLost               atomic.Int64
	adrift                                 atomic.Int64 // followers that hear nothing
	blind                                  atomic.Bool  // the last look at the stream failed
}

// incarnation is one life of the stream; lost is closed when it ends.
type incarnation struct {
	number uint64
	lost   chan struct{}
	seen   atomic.Uint64 // newest sequence number that a follower has delivered or begun behind
}

// Connect connects and makes sure that the stream exists. It keeps trying until ctx
// ends or Options.Patience does; afterwards the client reconnects for ever by itself.
// What trying again cannot cure is an error at once: a server that refuses us, has no
// JetStream, or cannot keep as many replicas as asked for.
func Connect(ctx context.Context, o Options) (*Client, error) {
	o = o.withDefaults()
	if err := o.checkRegions(); err != nil {
		return nil, err
	}
	c := &Client{
		o: o, log: o.Logger,
		pending: make(chan publication, o.MaxPending),
		acked:   make(chan id.ID, 4*o.MaxPending),
		wake:    make(chan struct{}, 1),
		news:    make(chan batchNews, noticeRoom),
		again:   make(chan struct{}),
	}
	var err error
	if c.conn, err = nats.Connect(o.URL, c.connOptions()...); err != nil {
		return nil, fault.Wrap(err, fault.Busy, "cannot reach the message server")
	}
	if c.js, err = jetstream.New(c.conn, jetstream.WithPublishAsyncTimeout(ackWait)); err != nil { // else what nobody acknowledges is in the way for ever
		c.conn.Close()
		return nil, fmt.Errorf("stream: %w", err)
	}
	if err := c.firstLook(ctx); err != nil {
		c.conn.Close()
		return nil, err
	}
	background, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.done.Go(func() { c.watch(background) })
	c.done.Go(func() { c.collect(background) })
	c.done.Go(func() { c.tellNews(background) })
	if o.Region != "" {
		c.done.Go(func() { c.watchRegions(background) })
	}
	return c, nil
}

func (c *Client) connOptions() []nats.Option {
	options := []nats.Option{
		nats.Name("plateia"),
		nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(200*time.Millisecond, 300*time.Millisecond),
		nats.RetryOnFailedConnect(true),
		nats.ReconnectBufSize(-1), // a publication fails at once while disconnected
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(), // credentials that are refused today may be accepted tomorrow; a start says so at once
		nats.ReconnectHandler(func(*nats.Conn) { c.reconnect() }),
		nats.ConnectHandler(func(*nats.Conn) { c.lookNow() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.log.Warn("stream: disconnected", "error", err)
			}
		}),
	}
	if c.o.InProcess != nil {
		options = append(options, nats.InProcessServer(c.o.InProcess))
	}
	return append(options, c.o.Access.options()...)
}

// reconnect tells everyone who had something open at the server that it is gone.
func (c *Client) reconnect() {
	c.mu.Lock()
	close(c.again)
	c.again = make(chan struct{})
	c.mu.Unlock()
	c.lookNow()
}

// reconnected is closed at the next reconnect.
func (c *Client) reconnected() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.again
}

// Connected reports whether publications have a chance just now.
func (c *Client) Connected() bool { return c.conn.IsConnected() }

// Flows reports whether, as far as this process knows, what is published reaches those who follow: the servers are there,
// the stream has a leader and every follower a consumer. What stands still without a cut connection is found out
// within Options.CheckEvery and a little.
func (c *Client) Flows() bool { return c.Connected() && !c.blind.Load() && c.adrift.Load() == 0 }

// JetStream is the client's, for what other rooms of the program keep at the same servers.
func (c *Client) JetStream() jetstream.JetStream { return c.js }

// Close stops everything and waits for it. Publications not yet acknowledged are left to the next relay.
func (c *Client) Close() {
	c.stop()
	c.done.Wait()
	c.conn.Close()
}

// Stats are counts since Connect.
type Stats struct {
	Connected     bool
	Published     int64 // messages handed to the connection
	PublishFailed int64 // refused at once or not acknowledged: left to the relay
	Acknowledged  int64
	Reconnects    uint64
	NoticesSent   int64
	NoticesLost   int64 // not sent: the server was away or there were too many
}

// Stats returns the counts of now.
func (c *Client) Stats() Stats {
	return Stats{
		Connected: c.Connected(), Published: c.published.Load(), PublishFailed: c.publishFailed.Load(),
		Acknowledged: c.acknowledged.Load(), Reconnects: c.conn.Stats().Reconnects,
		NoticesSent: c.noticesSent.Load(), NoticesLost: c.noticesLost.Load(),
	}
}

func (c *Client) subject(event id.ID) string { return c.o.Subjects + "." + event.String() }

// Record is an outbox row, see inventory.OutboxRecord.
type Record = inventory.OutboxRecord
