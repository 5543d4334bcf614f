// Package scratch lends a migrated database for the time of a measurement.
package scratch

import (
	"context"
	"fmt"
	"os"
	"time"

	"plateia/db"
	"plateia/db/privatepg"
)

// Options say which database and how to connect to it.
type Options struct {
	URL      string            // of one that is there; "": a private PostgreSQL, empty, which is removed afterwards
	Settings map[string]string // of the private server
	DB       db.Options
}

// Database is open until Close.
type Database struct {
	*db.DB
	PID int // of the private server; 0: it is somebody else's
	end func()
}

// Close disconnects and removes what was made.
func (d *Database) Close() {
	d.DB.Close()
	d.end()
}

// Open connects and migrates. privatepg says when there are no binaries.
func Open(ctx context.Context, opts Options) (*Database, error) {
	out := &Database{end: func() {}}
	if opts.URL == "" {
		pg, remove, err := private(ctx, opts)
		if err != nil {
			return nil, err
		}
		out.PID, out.end, opts.URL = pg.PID(), remove, pg.URL(privatepg.Database)
	}
	var err error
	if out.DB, err = db.Open(ctx, opts.URL, opts.DB); err != nil {
		out.end()
		return nil, err
	}
	if _, err := out.Up(ctx); err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

func private(ctx context.Context, opts Options) (*privatepg.Server, func(), error) {
	dir, err := os.MkdirTemp("", "plateia-bench-")
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the server runs as another user
		return nil, nil, err
	}
	pg, err := privatepg.Start(ctx, privatepg.Options{Dir: dir, Logger: opts.DB.Logger, Settings: opts.Settings})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, fmt.Errorf("scratch: %w", err)
	}
	return pg, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_ = pg.Stop(ctx)
		os.RemoveAll(dir)
	}, nil
}
