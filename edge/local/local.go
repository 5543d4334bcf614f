// Package local is the edge in Go: the one public listener of development and of
// self-hosting without a CDN.
//
// It routes (live map to the gateway, API to the API, sandbox to the sandbox),
// serves the built pages, and refuses cheaply what should not reach the rest:
// paths that are not in their plain form, bodies and headers over the limits,
// slow senders, and hold requests without a valid access token. What it lets
// through is checked again behind it; nothing rests on this package alone.
package local

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"plateia/edge/httpcache"
	"plateia/edge/plain"
)

// Options of an Edge. URLs are of listeners on this machine or network; a role without one answers 404.
type Options struct {
	API     []Upstream // the preferred one first; the next is used when it is not well
	Gateway []Upstream
	Probes  Probes // of API and Gateway, where there is more than one
	// Sandboxes are the development payment providers, by the first part of their pages' path.
	Sandboxes map[string]*url.URL
	Inbox     http.Handler // development mail, at /dev/inbox
	Ops       bool         // /v1/ops and the console are here too; else only at an internal address
	Metrics   http.Handler // at /metrics; nil where the listener is public
	Assets    fs.FS        // the built web pages

	Tokens  Tokens   // verifies credentials before the API is asked; nil leaves that to the API
	Hosts   []string // names under which this edge is reached; none: any. This machine's own are always good
	Room    Room     // answers those who wait without the API; nil leaves it to the API
	Mint    Mint     // lets accounts in and makes the form without JavaScript possible; nil leaves entering to the API
	Secure  bool     // fans come by https: the form's cookies are for it only
	Origins []string // of pages of ours under other names, which may ask for changes: https://tickets.example
	// Partners are whose pages may frame ours and read across origins; nil: nobody's.
	Partners Partners

	Logger        *slog.Logger
	BodyLimit     int64         // of a request to API or sandbox; 64 KiB
	HeaderLimit   int           // 32 KiB
	HeaderTimeout time.Duration // to read the headers; 5 s
	ReadTimeout   time.Duration // to read a whole request; 15 s
	WriteTimeout  time.Duration // to answer one; 30 s. Live connections are not concerned
	IdleTimeout   time.Duration // 60 s
	MaxConns      int           // connections at once; 50,000
	CacheRoom     int           // bytes of public documents kept; 64 MiB
	Now           func() time.Time
}

func (o Options) withDefaults() Options {
	o.BodyLimit = cmp.Or(o.BodyLimit, 64<<10)
	o.HeaderLimit = cmp.Or(o.HeaderLimit, 32<<10)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 5*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 15*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, time.Minute)
	o.MaxConns = cmp.Or(o.MaxConns, 50_000)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Edge is the assembled handler and its server.
type Edge struct {
	opts      Options
	pages     *site
	guard     *guard
	mints     *limits
	claims    *limits
	counts    counts
	form      *plain.Form // of the line without JavaScript; nil: there is none
	api       http.Handler
	cache     *httpcache.Cache // of the API's public documents
	gateway   http.Handler
	sandboxes map[string]http.Handler
	pools     []*pool // of API and gateway
	server    *http.Server
	life      context.Context
	end       context.CancelFunc // ends upgraded connections, which Shutdown does not know of, and the probes
	ending    sync.Mutex         // of end and watch: one of them is first
	probing   sync.WaitGroup
	stopping  context.Context // ends when Stop begins, and streams with it, which Shutdown would wait for
}

// New assembles an Edge. It reads the assets, which may be missing, and starts nothing.
func New(opts Options) (*Edge, error) {
	opts = opts.withDefaults()
	pages, err := readSite(opts.Assets)
	if err != nil {
		return nil, err
	}
	if !opts.Ops {
		pages.hide("console")
	}
	guard, err := newGuard(opts.Hosts, opts.Origins)
	if err != nil {
		return nil, err
	}
	e := &Edge{opts: opts, pages: pages, guard: guard, sandboxes: map[string]http.Handler{}}
	e.mints, e.claims = newLimits(mintAllowance, accountsCounted, opts.Now), newLimits(claimAllowance, accountsCounted, opts.Now)
	if opts.Mint != nil && opts.Tokens != nil {
		e.form = e.newForm()
	}
	transport := newTransport()
	behind := func(role string, all []Upstream) (http.Handler, *pool) {
		p := newPool(role, all, transport, opts.Probes, opts.Logger)
		return e.limited(proxyTo(p, opts.Logger)), p
	}
	var api, gateway *pool
	e.api, api = behind("api", opts.API)
	api.homes = newHomes()
	e.gateway, gateway = behind("gateway", opts.Gateway)
	e.gateway, e.pools = e.streams(e.gateway), []*pool{api, gateway}
	e.cache = newCache(api, opts.CacheRoom, opts.Now)
	for name, target := range opts.Sandboxes {
		e.sandboxes[name], _ = behind(name, At(target))
	}
	life, end := context.WithCancel(context.Background())
	e.life, e.end = life, func() {
		e.ending.Lock()
		defer e.ending.Unlock()
		end()
		e.probing.Wait()
		e.cache.Close()
		transport.CloseIdleConnections()
	}
	e.server = &http.Server{
		Handler: e, ReadHeaderTimeout: opts.HeaderTimeout, ReadTimeout: opts.ReadTimeout, WriteTimeout: opts.WriteTimeout,
		IdleTimeout: opts.IdleTimeout, MaxHeaderBytes: opts.HeaderLimit, BaseContext: func(net.Listener) context.Context { return life },
		ErrorLog: slog.NewLogLogger(opts.Logger.Handler(), slog.LevelDebug),
	}
	stopping, stop := context.WithCancel(life)
	e.stopping = stopping
	e.server.RegisterOnShutdown(stop)
	return e, nil
}

// Built reports whether the web pages are there; without them every page says how to make them.
func (e *Edge) Built() bool { return e.pages.built() }

// Serve answers on ln until Stop, and watches the upstreams meanwhile. It closes ln.
func (e *Edge) Serve(ln net.Listener) error {
	e.watch()
	err := e.server.Serve(limitConns(ln, e.opts.MaxConns))
	if err == http.ErrServerClosed {
		return nil
	}
	return err
}

func (e *Edge) watch() {
	e.ending.Lock()
	defer e.ending.Unlock()
	for _, p := range e.pools {
		if e.life.Err() == nil {
			p.watch(e.life, &e.probing)
		}
	}
}

// Stop stops accepting, waits for requests in flight, then cuts live connections
// that the gateway has not ended itself. It returns ctx's error when time runs out.
func (e *Edge) Stop(ctx context.Context) error {
	err := e.server.Shutdown(ctx)
	if err != nil {
		_ = e.server.Close()
	}
	e.end()
	return err
}
