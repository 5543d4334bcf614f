package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"time"

	"plateia/core/id"
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
	flags.IntVar(&opts.Fans, "fans", 100, "how `many`")
	flags.DurationVar(&opts.Arrival, "arrival", 0, "they arrive evenly over this `time` (default 4 ms a fan)")
	flags.DurationVar(&opts.Patience, "patience", 0, "a fan gives up after this `time` (default 10m)")
	flags.IntVar(&opts.Parallel, "parallel", 0, "fans at work at the same time (default 2000)")
	flags.IntVar(&opts.Viewers, "viewers", 0, "live maps open at the same time (default 2000)")
	flags.StringVar(&opts.DevSecret, "dev-secret", e.getenv("PLATEIA_DEV_SECRET"), "`secret` of the sign-in route outside plateia dev")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	event, err := parseID("event", opts.Event)
	if err != nil {
		return err
	}
	opts.Viewer = watchMap(opts.URL, event)
	if !*asJSON {
		opts.Progress = e.stderr
	}
	report, err := rehearse.Run(ctx, opts)
	if err != nil {
		return err
	}
	if *asJSON {
		err = json.NewEncoder(e.stdout).Encode(report)
	} else {
		report.Print(e.stdout)
	}
	if !report.OK() {
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
