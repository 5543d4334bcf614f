package natsd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"
)

// StartFile starts the server that a configuration file of nats-server describes, such
// as those of deploy/nats: the same file, the same server, in this process. Signals
// and log files of the configuration are left out; JetStream with a store_dir of its own is needed.
func StartFile(ctx context.Context, path string, log *slog.Logger) (*Server, error) {
	opts, err := server.ProcessConfigFile(path)
	if err != nil {
		return nil, fmt.Errorf("natsd: %s: %w", path, err)
	}
	if !opts.JetStream || opts.StoreDir == "" {
		return nil, fmt.Errorf("natsd: %s: jetstream with a store_dir is needed", path)
	}
	opts.NoSigs, opts.LogFile, opts.NoLog = true, "", log == nil
	if err := os.MkdirAll(opts.StoreDir, 0o700); err != nil {
		return nil, fmt.Errorf("natsd: %w", err)
	}
	lock, err := lockFile(filepath.Join(opts.StoreDir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("natsd: %s is used by another server: %w", opts.StoreDir, err)
	}
	s := &Server{dir: opts.StoreDir, lock: lock}
	if err := s.run(ctx, opts, log); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}
