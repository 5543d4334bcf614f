// Package gateway connects viewers to the hub over WebSocket, or over server-sent
// events where no WebSocket comes through. It has a listener of its own, because the
// API's framework cannot give connections away.
//
// A connection costs one goroutine that reads, buffers of 400 bytes and a place in the
// hub's groups. A few writers serve all connections and never wait for one: what the
// kernel does not take at once is left to a goroutine that exists only while that
// viewer is slow and has a deadline; meanwhile its frames wait in its bounded queue.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// SnapshotSource reads an event's seats, epoch and section ranges from the database.
type SnapshotSource = hub.Source

// Anonymous is what a viewer without an access token gets.
type Anonymous uint8

const (
	AnonymousOverview Anonymous = iota // free seats by section, whatever they ask for
	AnonymousSlow                      // everything, at the slow tick
	AnonymousNone                      // bye
)

// Options of a gateway. Verify, Log and Source are needed; other zero values are sensible.
type Options struct {
	Verify        func(token string) (account.Access, error) // of an access token: signature, typ, expiry
	Log           hub.Log
	Source        SnapshotSource
	Hub           hub.Options
	Anonymous     Anonymous
	Allows        func(event id.ID, origin string) bool // whether pages of another origin may show the event, asked at each opening and every 5 s after; must not wait. nil: none
	ClientIP      func(*http.Request) netip.Addr
	Ready         func(context.Context) error // of what a new viewer needs, asked by /readyz; nil: always
	Away          time.Duration               // Ready has failed so long: viewers are told to come back elsewhere; 0: never, there is nowhere else
	Seen          func(event, account id.ID)  // told of each viewer with a token twice a minute; must not wait. nil: nobody
	MaxConns      int                         // 0: 50,000
	MaxPerAccount int                         // connections; 0: 12
	MaxPerBlock   int                         // connections of a /24 or /48; 0: 10,000: a carrier's NAT is not an attack
	HelloTimeout  time.Duration               // 0: 5 s
	WriteTimeout  time.Duration               // for a viewer that does not read; 0: 10 s
	MessageBurst  int                         // messages at once; 0: 20
	MessageEvery  time.Duration               // one more message each; 0: 250 ms
	Writers       int                         // 0: two per processor
	Logger        *slog.Logger                // nil: discarded
}

func (o Options) withDefaults() Options {
	o.MaxConns = cmp.Or(o.MaxConns, 50_000)
	o.MaxPerAccount = cmp.Or(o.MaxPerAccount, 12)
	o.MaxPerBlock = cmp.Or(o.MaxPerBlock, 10_000)
	o.MessageBurst = cmp.Or(o.MessageBurst, 20)
	o.Writers = cmp.Or(o.Writers, 2*runtime.GOMAXPROCS(0))
	o.HelloTimeout = cmp.Or(o.HelloTimeout, 5*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 10*time.Second)
	o.MessageEvery = cmp.Or(o.MessageEvery, 250*time.Millisecond)
	if o.ClientIP == nil {
		o.ClientIP = remoteAddr
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Hub.Logger = cmp.Or(o.Hub.Logger, o.Logger)
	return o
}

// Gateway serves viewers. Safe for concurrent use.
type Gateway struct {
	o      Options
	hub    *hub.Hub
	mux    *http.ServeMux
	shards []*shard
	limits *limits

	ctx    context.Context // ends at Stop
	cancel context.CancelFunc
	done   sync.WaitGroup // readers, closers, writers, sweeper

	mu       sync.Mutex
	server   *http.Server
	draining bool
	conns    map[*conn]struct{}

	count counters
}

// New returns a running gateway; Stop it.
func New(o Options) *Gateway {
	o = o.withDefaults()
	g := &Gateway{
		o: o, mux: http.NewServeMux(),
		limits: newLimits(o), conns: map[*conn]struct{}{},
	}
	o.Hub.Lag = g.lag
	g.hub = hub.New(o.Log, o.Source, o.Hub)
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.mux.HandleFunc("/v1/events/{eventId}/live", g.live)
	g.mux.HandleFunc("GET /readyz", g.ready)
	for range o.Writers {
		s := newShard()
		g.shards = append(g.shards, s)
		g.done.Go(func() { s.run(&g.count) })
	}
	g.done.Go(g.sweep)
	if o.Ready != nil && o.Away > 0 {
		g.done.Go(g.heed)
	}
	return g
}

// ServeHTTP serves GET /v1/events/{eventId}/live.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

// Serve accepts connections on l until Drain or Stop; then it returns nil.
func (g *Gateway) Serve(l net.Listener) error {
	server := &http.Server{
		Handler: g, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(g.o.Logger.Handler(), slog.LevelDebug),
	}
	g.mu.Lock()
	stopped := g.draining
	g.server = server
	g.mu.Unlock()
	if stopped {
		l.Close()
		return nil
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Drain stops accepting, asks every viewer to reconnect at a random moment within
// spread, goes on serving them until they have, and returns when none is left,
// when spread and a little more has passed, or when ctx ends.
func (g *Gateway) Drain(ctx context.Context, spread time.Duration) {
	g.mu.Lock()
	g.draining = true
	server, conns := g.server, g.list()
	g.mu.Unlock()
	if server != nil { // at the end: until then whoever brings viewers here is told that we are not ready, not that we are dead
		defer func() { _ = server.Shutdown(ctx) }() // does not touch connections that were given away; ctx is the caller's patience
	}
	bye := wire.AppendBye(nil, wire.Bye{Code: wire.ByeDrain, Spread: spread, Text: "gateway restarts"})
	for _, c := range conns {
		c.tell(bye)
	}
	deadline := time.After(spread + spread/4 + 500*time.Millisecond)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for g.Stats().Viewers > 0 {
		select {
		case <-ticker.C:
		case <-deadline:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Stop closes what is left, stops the hub and waits, at most until ctx ends. It
// may be called again. Call Drain before it to be kind.
func (g *Gateway) Stop(ctx context.Context) error {
	g.mu.Lock()
	g.draining = true
	server, conns := g.server, g.list()
	g.mu.Unlock()
	if server != nil {
		_ = server.Close()
	}
	for _, c := range conns {
		c.finish(wire.Bye{Code: wire.ByeDrain, Spread: 2 * time.Second, Text: "gateway stops"})
	}
	g.cancel()
	g.hub.Stop()
	for _, s := range g.shards {
		s.stop()
	}
	stopped := make(chan struct{})
	go func() { g.done.Wait(); close(stopped) }()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
	}
	for _, c := range conns {
		c.line.drop()
	}
	return ctx.Err()
}

// list returns the connections of now. Called with the lock.
func (g *Gateway) list() []*conn {
	conns := make([]*conn, 0, len(g.conns))
	for c := range g.conns {
		conns = append(conns, c)
	}
	return conns
}

// Notify sends a notice to one account's viewers of an event, and to nobody else.
func (g *Gateway) Notify(event, owner id.ID, n wire.Notice) { g.hub.Notify(event, owner, n) }

// NotifyAll sends a notice to all viewers of an event.
func (g *Gateway) NotifyAll(event id.ID, n wire.Notice) { g.hub.NotifyAll(event, n) }

// Reload reads an event anew from the database and gives its viewers a snapshot.
func (g *Gateway) Reload(event id.ID) { g.hub.Reload(event) }

// sweep ends connections whose access token has expired, and those of pages that may not show the event any more.
func (g *Gateway) sweep() {
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	tick := 0
	for {
		select {
		case <-g.ctx.Done():
			return
		case now := <-ticker.C:
			g.mu.Lock()
			conns := g.list()
			g.mu.Unlock()
			for _, c := range conns {
				g.look(c, now, tick%seenEvery == 0)
			}
			tick++
		}
	}
}

// seenEvery is how many rounds of sweep pass between signs of life: 30 s.
const seenEvery = 6

// look ends a connection whose access token has expired or whose page has lost its leave; a live one is a sign of life of its account.
func (g *Gateway) look(c *conn, now time.Time, sign bool) {
	until := c.expires.Load() // set after the account, which may be read once this is not 0
	switch {
	case c.origin != "" && !g.o.Allows(c.event, c.origin):
		c.finish(wire.Bye{Code: wire.ByeNotAllowed, Text: "this origin may not show the map any more"})
	case until == 0:
	case now.Unix() > until:
		c.finish(wire.Bye{Code: wire.ByeToken, Spread: 2 * time.Second, Text: "access token expired"})
	case sign && g.o.Seen != nil:
		g.o.Seen(c.event, c.account)
	}
}
