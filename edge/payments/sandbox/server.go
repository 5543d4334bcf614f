package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Options of a server. Secrets are required.
type Options struct {
	Secrets    Secrets
	Name       string           // in the addresses of its pages; "": Name. Two sandboxes need two names
	LedgerPath string           // file that is appended to and reloaded; "": memory only
	PublicURL  string           // scheme and host before /sandbox/pay; "": pay pages are on the fan's own origin
	WebhookURL string           // where events are told; "": nowhere, they are kept
	Clock      func() time.Time // nil: time.Now
	SlowFor    time.Duration    // from "slow" to captured; 0: 4 s
	MinWindow  time.Duration    // shortest life of an intent; 0: 30 s
	RetryPause time.Duration    // before a webhook is tried the second time; 0: 500 ms
	Script     Script           // what goes wrong from the start
	Logger     *slog.Logger     // nil: discard
	// KeepSecrets writes rotated webhook secrets down; nil: they last as long as the server.
	KeepSecrets func(Secrets) error
}

// Server is the provider.
type Server struct {
	opts    Options
	bank    *bank
	teller  *teller
	chaos   *chaos
	secrets *secretBox
	hanging chan struct{}
	handler http.Handler
	log     *slog.Logger

	http *http.Server
	addr string
	stop context.CancelFunc
	done sync.WaitGroup
}

// NewServer loads the ledger. Nothing runs before Start.
func NewServer(opts Options) (*Server, error) {
	if opts.Secrets.API.IsZero() || len(opts.Secrets.Webhook) == 0 {
		return nil, errors.New("sandbox: both secrets are needed")
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if err := opts.Script.check(); err != nil {
		return nil, err
	}
	opts.Name = cmp.Or(opts.Name, Name)
	if !validName(opts.Name) {
		return nil, fmt.Errorf("sandbox: the name %q is not 1 to 32 letters, digits and hyphens", opts.Name)
	}
	opts.SlowFor = cmp.Or(opts.SlowFor, 4*time.Second)
	opts.MinWindow = cmp.Or(opts.MinWindow, minWindow)
	opts.RetryPause = cmp.Or(opts.RetryPause, 500*time.Millisecond)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	s := &Server{
		opts: opts, log: opts.Logger, chaos: newChaos(), secrets: &secretBox{secrets: opts.Secrets}, hanging: make(chan struct{}, maxHanging),
	}
	s.chaos.change(opts.Script)
	wake := make(chan struct{}, 1)
	var err error
	s.bank, err = openBank(opts, s.chaos, func() { poke(wake) })
	if err != nil {
		return nil, err
	}
	s.teller = newTeller(opts, s.bank, s.secrets.webhook, wake)
	s.handler = s.routes()
	return s, nil
}

// Handler serves the whole provider; Start is not needed for it, but without it
// no webhook is sent.
func (s *Server) Handler() http.Handler { return s.handler }

// Start listens on addr ("127.0.0.1:0" for any port), serves, and runs the clock
// and the webhooks until Stop. With addr "" only the clock and the webhooks run,
// for a caller that serves Handler itself.
func (s *Server) Start(ctx context.Context, addr string) error {
	if addr != "" {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err != nil {
			return fmt.Errorf("sandbox: listen: %w", err)
		}
		s.serve(listener)
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { s.clock(run) })
	s.done.Go(func() { s.teller.run(run) })
	return nil
}

func (s *Server) serve(listener net.Listener) {
	s.addr = listener.Addr().String()
	s.http = &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 20 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.done.Go(func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("sandbox provider stopped serving", "error", err)
		}
	})
}

// Addr is the listening host:port after Start.
func (s *Server) Addr() string { return s.addr }

// Stop finishes running requests and closes the ledger. Events that were not
// told are told after the next start. Stopping twice, or what never started, is fine.
func (s *Server) Stop(ctx context.Context) error {
	var errs []error
	s.chaos.stop() // callers that were left waiting
	if s.http != nil {
		errs = append(errs, s.http.Shutdown(ctx))
	}
	if s.stop != nil {
		s.stop()
	}
	s.done.Wait()
	if err := s.bank.close(); !errors.Is(err, os.ErrClosed) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// clock captures slow payments and expires abandoned ones.
func (s *Server) clock(ctx context.Context) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.bank.tick(); err != nil {
				s.log.Error("sandbox provider clock", "error", err)
			}
		}
	}
}

func poke(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

func validName(name string) bool {
	return len(name) > 0 && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
