package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"time"

	"plateia/core/id"
	"plateia/db"
	"plateia/edge/rehearse"
	"plateia/realtime/client"
	"plateia/realtime/wire"
	"plateia/waitingroom/token"
)

// runRehearse lets a crowd loose on a running Plateia.
func runRehearse(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "rehearse")
	opts := rehearse.Options{Prover: proveKey}
	flags.StringVar(&opts.URL, "url", "http://127.0.0.1:8080", "public `address`")
	flags.StringVar(&opts.Event, "event", "", "event `id`")
	flags.IntVar(&opts.Fans, "fans", 0, "how `many` (default 100; with --sell-out as many as it takes)")
	flags.BoolVar(&opts.SellOut, "sell-out", false, "fans keep coming until nobody can have a seat any more")
	flags.IntVar(&opts.Hot, "hot", 50, "`percent` of the fans who press for the same few seats at once")
	flags.DurationVar(&opts.Arrival, "arrival", 0, "they arrive evenly over this `time` (default 4 ms a fan; not with --sell-out)")
	flags.DurationVar(&opts.Patience, "patience", 0, "a fan gives up after this `time` (default 10m)")
	flags.IntVar(&opts.Parallel, "parallel", 0, "`fans` at work at the same time (default 2000, with --sell-out 100)")
	flags.IntVar(&opts.Viewers, "viewers", -1, "live `maps` open at the same time; other fans ask for the availability (default 2000, with --sell-out 100)")
	flags.StringVar(&opts.DevSecret, "dev-secret", e.getenv("PLATEIA_DEV_SECRET"), "`secret` of the sign-in route outside plateia dev")
	verify := flags.Bool("verify", false, "afterwards check the event's invariants in the database, as plateia verify does")
	where := flags.database()
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	event, err := parseID("event", opts.Event)
	if err != nil {
		return err
	}
	if opts.Fans == 0 && !opts.SellOut {
		opts.Fans = 100
	}
	opts.Viewer = watchMap(opts.URL, event)
	if !*asJSON {
		opts.Progress = e.stderr
	}
	var r rehearsal
	if r.Report, err = rehearse.Run(ctx, opts); err != nil {
		return err
	}
	if *verify {
		r.Verified, err = verifyWith(ctx, where, event)
	}
	return errors.Join(err, r.print(e, *asJSON))
}

// rehearsal is what the fans met and, when asked for, what the database holds.
type rehearsal struct {
	rehearse.Report
	Verified *db.Report `json:"verified,omitempty"`
}

func verifyWith(ctx context.Context, where databaseFlags, event id.ID) (*db.Report, error) {
	var report db.Report
	err := where.use(ctx, func(d *db.DB, stopped bool) (err error) {
		report, err = d.Verify(ctx, event, db.VerifyOptions{Stopped: stopped})
		return err
	})
	return &report, err
}

// print ends with errFailed when something is wrong.
func (r rehearsal) print(e env, asJSON bool) error {
	var err error
	if asJSON {
		err = json.NewEncoder(e.stdout).Encode(r)
	} else {
		r.Print(e.stdout)
		if r.Verified != nil {
			printVerdict(e.stdout, *r.Verified)
		}
	}
	if !r.OK() || r.Verified != nil && len(r.Verified.Violations) > 0 {
		err = errors.Join(err, errFailed)
	}
	return err
}

// watchMap is a fan's live map without the pixels.
func watchMap(base string, event id.ID) rehearse.Viewer {
	return func(ctx context.Context, accessToken string, onDelta func(time.Time)) error {
		opts := client.Options{Event: event, Token: accessToken, View: wire.View{Mode: wire.Whole}}
		return client.Watch(ctx, base, opts, &client.Map{}, func(f wire.Frame, _ time.Time) {
			if d, ok := f.(wire.Delta); ok && len(d.Changes) > 0 {
				onDelta(d.At)
			}
		})
	}
}

// proveKey proves a fan's key for one request.
func proveKey(key *ecdsa.PrivateKey, method, url string) (string, error) {
	return token.Prove(key, method, url, time.Now())
}
