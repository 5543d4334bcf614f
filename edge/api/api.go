package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/time/rate"

	"plateia/core/secret"
	"plateia/edge/line"
)

// Options are the frame's bounds. The zero value of each means the default named beside it.
type Options struct {
	Timeout     time.Duration // 5 s: deadline of one request's work
	ReadTimeout time.Duration // 10 s: to read a whole request, headers and body
	IdleTimeout time.Duration // 60 s: of a kept-alive connection
	BodyLimit   int           // 64 KiB
	HeaderLimit int           // 16 KiB: request line and headers
	InFlight    int           // 4,096 requests at once; the next one is answered 503
	DevSessions bool          // POST /v1/dev/sessions exists
	DevSecret   secret.Text   // when set, that route asks for it in Plateia-Dev-Secret
	OperatorKey secret.Text   // of /v1/ops; without one nobody gets in
	DevInbox    string        // where development mail can be read; told to whoever asks for a code
	AccessLevel slog.Level    // of the access log's lines; zero: Info
	Now         func() time.Time
}

// DefaultBodyLimit is the largest request body that is read, in bytes.
const DefaultBodyLimit = 64 << 10

func (o Options) withDefaults() Options {
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 10*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, time.Minute)
	o.BodyLimit = cmp.Or(o.BodyLimit, DefaultBodyLimit)
	o.HeaderLimit = cmp.Or(o.HeaderLimit, 16<<10)
	o.InFlight = cmp.Or(o.InFlight, 4096)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// API is the assembled HTTP API. Serve it on one or more listeners, then Stop it.
type API struct {
	Deps
	opts    Options
	app     *fiber.App
	slots   chan struct{}
	presses *presses
	charts  chartShelf
	mails   *rate.Limiter

	entries, claims line.Counter

	documents     *documents
	documentsMade atomic.Int64
}

// New assembles the API. It opens nothing and starts nothing.
func New(deps Deps, opts Options) *API {
	a := &API{Deps: deps, opts: opts.withDefaults()}
	a.Logger = cmp.Or(a.Logger, slog.New(slog.DiscardHandler))
	a.slots = make(chan struct{}, a.opts.InFlight)
	a.presses = newPresses(100_000)
	a.documents = newDocuments(documentRoom)
	a.mails = rate.NewLimiter(mailsPerSecond, mailBurst)
	a.app = fiber.New(fiber.Config{
		DisableStartupMessage:        true,
		StrictRouting:                true,
		CaseSensitive:                true,
		StreamRequestBody:            true, // so that a body over the limit gets its 413 before the connection ends
		DisablePreParseMultipartForm: true,
		BodyLimit:                    a.opts.BodyLimit,
		ReadBufferSize:               a.opts.HeaderLimit,
		ReadTimeout:                  a.opts.ReadTimeout,
		WriteTimeout:                 a.opts.Timeout + a.opts.ReadTimeout,
		IdleTimeout:                  a.opts.IdleTimeout,
		ErrorHandler:                 a.frameError,
	})
	a.app.Use(a.enter)
	for _, r := range a.routes() {
		a.register(r)
	}
	return a
}

// Stats are numbers for /metrics.
type Stats struct {
	DocumentsMade int64         // availability documents encoded; however many asked for each
	DocumentBytes int           // encoded documents kept
	Entries       line.Outcomes // of POST …/queue
	Claims        line.Outcomes // of POST /v1/queue/claim
}

// Stats returns the numbers of now.
func (a *API) Stats() Stats {
	return Stats{DocumentsMade: a.documentsMade.Load(), DocumentBytes: a.documents.Used(), Entries: a.entries.Now(), Claims: a.claims.Now()}
}

func (a *API) register(r route) {
	handler := a.handler(r)
	a.app.Add(r.method, r.path, handler)
	if r.method == http.MethodGet {
		a.app.Add(http.MethodHead, r.path, handler)
	}
}

// Serve answers on ln until Stop. It closes ln.
func (a *API) Serve(ln net.Listener) error {
	err := a.app.Listener(newQuietListener(ln, a.opts))
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Stop stops accepting, waits for the requests in flight and returns ctx's
// error when they do not end in time. Stopping twice, or before Serve, is fine.
func (a *API) Stop(ctx context.Context) error {
	return a.app.ShutdownWithContext(ctx)
}
