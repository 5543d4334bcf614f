package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"plateia/core/id"
	"plateia/db"
)

// toolFlags are the flags of a command that looks at something and ends.
type toolFlags struct {
	*flag.FlagSet
	e env
}

func newFlags(e env, name string) toolFlags {
	fs := flag.NewFlagSet("plateia "+name, flag.ContinueOnError)
	fs.SetOutput(e.stderr)
	return toolFlags{fs, e}
}

// parse reads the flags and refuses anything behind them.
func (t toolFlags) parse(args []string) error {
	if err := t.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage{err.Error()}
	}
	if t.NArg() > 0 {
		return errUsage{fmt.Sprintf("%s: %q is not a flag; see --help", t.Name(), t.Arg(0))}
	}
	return nil
}

// parseEvent reads the id given by --event.
func parseEvent(text string) (id.ID, error) {
	v, err := id.Parse(text)
	if err != nil {
		return id.ID{}, errUsage{fmt.Sprintf("--event: %q is not an id such as 6f1c2a9e-…", text)}
	}
	return v, nil
}

// databaseFlags say which database a tool means.
type databaseFlags struct {
	e         env
	data, url *string
}

func (t toolFlags) database() databaseFlags {
	return databaseFlags{
		e:    t.e,
		data: t.String("data", ".plateia", "data `folder` of plateia dev, running or not"),
		url:  t.String("database", t.e.getenv("DATABASE_URL"), "CockroachDB or PostgreSQL `URL` (also DATABASE_URL)"),
	}
}

// use opens the database, calls do and closes it again. A private server that
// was not running is started for the time of do, which is then told that nothing else runs.
func (f databaseFlags) use(ctx context.Context, do func(d *db.DB, stopped bool) error) (err error) {
	log := slog.New(slog.NewTextHandler(f.e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	url, stopped := *f.url, false
	if url == "" {
		reached, err := db.Reach(ctx, *f.data, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, reached.Stop(context.WithoutCancel(ctx))) }()
		url, stopped = reached.URL, reached.Started
	}
	d, err := db.Open(ctx, url, db.Options{Application: "plateia tools", Logger: log, MaxConns: 4})
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d, stopped)
}
