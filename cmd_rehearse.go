package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"io"
	"time"

	"plateia/edge/rehearse"
	"plateia/waitingroom/token"
)

// runRehearse lets a crowd loose on a running Plateia.
func runRehearse(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "rehearse")
	opts := rehearse.Options{Viewer: watchMap, Prover: proveKey}
	flags.StringVar(&opts.URL, "url", "http://127.0.0.1:8080", "public `address`")
	flags.StringVar(&opts.Event, "event", "", "event `id`")
	flags.IntVar(&opts.Fans, "fans", 100, "how `many`")
	flags.DurationVar(&opts.Arrival, "arrival", 0, "they arrive evenly over this `time` (default 4 ms a fan)")
	flags.DurationVar(&opts.Patience, "patience", 0, "a fan gives up after this `time` (default 10m)")
	flags.IntVar(&opts.Parallel, "parallel", 0, "fans at work at the same time (default 2000)")
	flags.IntVar(&opts.Viewers, "viewers", 0, "live maps open at the same time (default 2000)")
	flags.StringVar(&opts.DevSecret, "dev-secret", e.getenv("PLATEIA_DEV_SECRET"), "`secret` of the sign-in route outside plateia dev")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args, 0); err != nil {
		return err
	}
	if _, err := parseID("event", opts.Event); err != nil {
		return err
	}
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
func watchMap(ctx context.Context, liveURL, accessToken string, onDelta func(time.Time)) (io.Closer, error) {
	return nil, errors.New("not wired")
}

// proveKey proves a fan's key for one request.
func proveKey(key *ecdsa.PrivateKey, method, url string) (string, error) {
	return token.Prove(key, method, url, time.Now())
}
