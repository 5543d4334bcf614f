package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"plateia/core/account"
	"plateia/db/holdbench"
)

// benchSite starts the product itself for `bench holds --mode http`: the api role
// as `plateia serve --roles api` runs it, on the bench's database, with a stream
// of its own and the access log where the level of serve leaves it.
//
// Fans are let in by this process, which therefore knows their tokens; strangers
// come with tokens that another process of the same authority has signed.
func benchSite(e env, strangers *bool) func(ctx context.Context, databaseURL string) (holdbench.Site, error) {
	return func(ctx context.Context, databaseURL string) (holdbench.Site, error) {
		dir, err := os.MkdirTemp("", "plateia-bench-site-")
		if err != nil {
			return holdbench.Site{}, err
		}
		cfg := config{
			roles: []string{"api"}, apiAddr: "127.0.0.1:0", data: dir, databaseURL: databaseURL, ownStream: true,
			stopTimeout: 15 * time.Second,
			providers:   []providerConfig{onlyProvider("http://127.0.0.1:1", "no payment is made here", nil)}, // nobody pays
		}
		log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelError})) // its errors; shed requests are counted
		h, err := open(ctx, cfg, log)
		if err != nil {
			return holdbench.Site{}, errors.Join(err, os.RemoveAll(dir))
		}
		signer := h.tokens
		if *strangers {
			if signer, err = h.authority(); err != nil {
				return holdbench.Site{}, errors.Join(err, h.close(), os.RemoveAll(dir)) //nolint:contextcheck // closing has a time-out of its own
			}
		}
		return holdbench.Site{
			Addr: h.apiListener.Addr().String(),
			Mint: func(a account.Access) (string, error) {
				token, _, err := signer.MintAccess(a)
				return token, err
			},
			Prepare: h.inventory.Prepare,
			Stop:    func(context.Context) error { return errors.Join(h.close(), os.RemoveAll(dir)) }, //nolint:contextcheck // the same
		}, nil
	}
}
