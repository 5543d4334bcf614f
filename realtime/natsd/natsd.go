// Package natsd runs a NATS server with JetStream inside the process: for
// `plateia dev`, for small installations and for tests. Production connects to a cluster.
package natsd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// SyncInterval is how often JetStream flushes its files to the disk itself. The
// stream is a delivery log that the database's outbox can refill, so a power
// loss may cost the last moments; Unclean tells the owner that it may have.
const SyncInterval = 5 * time.Second

const startTimeout = 15 * time.Second

// Server is a running server. It satisfies nats.go's InProcessConnProvider.
type Server struct {
	nats    *server.Server
	dir     string
	unclean bool
	lock    *os.File
	stop    sync.Once
	stopErr error
}

// Start starts a server on o.Dir and waits until it accepts connections. What a
// killed server left behind is recovered. A folder that another server uses is an error.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("natsd: %w", err)
	}
	lock, err := lockFile(filepath.Join(o.Dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("natsd: %s is used by another server: %w", o.Dir, err)
	}
	s := &Server{dir: o.Dir, lock: lock}
	if err := s.start(ctx, o); err != nil {
		lock.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, o Options) error {
	var err error
	if s.unclean, err = takeMarker(s.marker(), s.store()); err != nil {
		return fmt.Errorf("natsd: %w", err)
	}
	opts, err := serverOptions(o, s.store())
	if err != nil {
		return err
	}
	return s.run(ctx, opts, o.Logger)
}

func (s *Server) run(ctx context.Context, opts *server.Options, log *slog.Logger) (err error) {
	if s.nats, err = server.NewServer(opts); err != nil {
		return fmt.Errorf("natsd: %w", err)
	}
	if log != nil {
		s.nats.SetLogger(logAdapter{log}, false, false)
	}
	s.nats.Start()
	if err := s.waitReady(ctx); err != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
		return err
	}
	return nil
}

func (s *Server) waitReady(ctx context.Context) error {
	deadline := time.Now().Add(startTimeout)
	for !s.nats.ReadyForConnections(100 * time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("natsd: start: %w", err)
		}
		if time.Now().After(deadline) {
			return errors.New("natsd: not ready for connections in time; its log says why")
		}
	}
	if !s.nats.JetStreamEnabled() {
		return errors.New("natsd: JetStream did not start")
	}
	return nil
}

// InProcessConn returns a connection that needs no network.
func (s *Server) InProcessConn() (net.Conn, error) { return s.nats.InProcessConn() }

// URL is the address for other processes; empty without Options.Listen.
func (s *Server) URL() string {
	if s.nats.Addr() == nil {
		return ""
	}
	return s.nats.ClientURL()
}

// Unclean reports that the server before this one on the same folder was not
// stopped properly, so that the newest messages may be gone and their sequence
// numbers used again. Pass it to stream.Options.NewIncarnation.
func (s *Server) Unclean() bool { return s.unclean }

// Stop flushes and stops the server and waits for it, at most until ctx ends.
// It may be called again.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopErr = s.shutdown(ctx) })
	return s.stopErr
}

func (s *Server) shutdown(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}()
	defer s.lock.Close()
	select {
	case <-done:
		return os.WriteFile(s.marker(), []byte("stopped properly\n"), 0o600)
	case <-ctx.Done():
		return fmt.Errorf("natsd: stop: %w", ctx.Err())
	}
}

func (s *Server) store() string  { return filepath.Join(s.dir, "store") }
func (s *Server) marker() string { return filepath.Join(s.dir, "clean") }

// takeMarker removes the mark of a proper stop and reports whether it was missing
// beside an existing store.
func takeMarker(marker, store string) (unclean bool, err error) {
	err = os.Remove(marker)
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	_, err = os.Stat(store)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return true, err
}
