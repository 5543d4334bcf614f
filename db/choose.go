package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"plateia/db/privatecrdb"
	"plateia/db/privatepg"
)

// ErrNoDatabase is the one sentence for people whose machine has no database.
var ErrNoDatabase = errors.New("no database: set DATABASE_URL, put a cockroach binary on PATH, or install PostgreSQL 15 or newer (Debian: apt-get install postgresql)")

// Chosen is a database that answers, and what to do when the program ends.
type Chosen struct {
	URL  string
	What string // for people: "DATABASE_URL", "private PostgreSQL in /…"
	// Started: the server was started for this and ends with Stop, so no other
	// program works on the database. (VerifyOptions.Stopped after Reach.)
	Started bool
	stop    func(context.Context) error
	ended   func() error
}

// watchEvery is how soon the end of a private server is noticed.
const watchEvery = 500 * time.Millisecond

// Watch returns nil when ctx ends and an error when a private server ends by
// itself before: nobody else would start it again. Call it before Stop.
func (c *Chosen) Watch(ctx context.Context) error {
	if c.ended == nil {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := c.ended(); err != nil {
			return fmt.Errorf("the database server was lost; nothing that was committed is: start again (%w)", err)
		}
	}
}

// Stop stops a private server; a given one is left alone. It is idempotent.
func (c *Chosen) Stop(ctx context.Context) error {
	if c == nil || c.stop == nil {
		return nil
	}
	return c.stop(ctx)
}

// Choose picks the database of `plateia dev`: databaseURL when given, the private
// database that the data folder already has, a node of the cockroach binary on
// PATH, a private PostgreSQL. privatepg.ErrLocked when another process uses the data folder.
func Choose(ctx context.Context, dataDir, databaseURL string, log *slog.Logger) (*Chosen, error) {
	if databaseURL != "" {
		return &Chosen{URL: databaseURL, What: "DATABASE_URL"}, nil
	}
	pg, crdb := privateFolders(dataDir)
	binary, err := exec.LookPath("cockroach")
	if err == nil && (exists(crdb) || !exists(pg)) {
		return chooseCockroach(ctx, binary, crdb, log)
	}
	if exists(crdb) && !exists(pg) {
		return nil, fmt.Errorf("%s holds a CockroachDB database: put the cockroach binary on PATH, or choose another data folder", dataDir)
	}
	return choosePostgres(ctx, pg, log)
}

// privateFolders are where a data folder keeps its private database.
func privateFolders(dataDir string) (pg, crdb string) {
	return filepath.Join(dataDir, "postgres"), filepath.Join(dataDir, "cockroach")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func chooseCockroach(ctx context.Context, binary, dir string, log *slog.Logger) (*Chosen, error) {
	s, err := privatecrdb.Start(ctx, binary, dir, log)
	if err != nil {
		return nil, err
	}
	return &Chosen{URL: s.URL(), What: "private CockroachDB in " + dir, Started: true, stop: s.Stop, ended: s.Ended}, nil
}

func choosePostgres(ctx context.Context, dir string, log *slog.Logger) (*Chosen, error) {
	s, err := privatepg.Start(ctx, privatepg.Options{Dir: dir, Logger: log})
	if errors.Is(err, privatepg.ErrNotInstalled) {
		return nil, ErrNoDatabase
	}
	if err != nil {
		return nil, err
	}
	if left, err := privatepg.Leftovers(); err == nil && len(left) > 0 {
		log.Warn("there are databases whose data folder is gone; `plateia leftovers` lists them and can remove them", "folders", len(left), "oldest", left[0].Dir)
	}
	return &Chosen{URL: s.URL(privatepg.Database), What: "private PostgreSQL in " + s.Dir(), Started: true, stop: s.Stop, ended: s.Ended}, nil
}

// Reach is for tools that look at a data folder's private database, whether or not
// `plateia dev` runs on it: it connects to the running server, or starts one that Stop stops.
func Reach(ctx context.Context, dataDir string, log *slog.Logger) (*Chosen, error) {
	pg, crdb := privateFolders(dataDir)
	if exists(crdb) && !exists(pg) {
		if url, ok := privatecrdb.Running(crdb); ok {
			return &Chosen{URL: url, What: "running CockroachDB in " + crdb}, nil
		}
		return Choose(ctx, dataDir, "", log)
	}
	url, stop, err := privatepg.Reach(ctx, privatepg.Options{Dir: pg, Logger: log})
	if err != nil {
		return nil, err
	}
	return &Chosen{URL: url, What: "private PostgreSQL in " + pg, Started: stop != nil, stop: stop}, nil
}
