package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"plateia/edge/payments/sandbox"
)

// runSandbox is the payment provider of development and rehearsals as a process of its own.
func runSandbox(ctx context.Context, e env, args []string) (err error) {
	flags := newFlags(e, "sandbox")
	var opts sandbox.Options
	flags.StringVar(&opts.Name, "name", sandbox.Name, "`name` of this provider; two sandboxes need two")
	flags.StringVar(&opts.PublicURL, "public-url", "", "`URL` before the pay pages (default: they are on the shop's own address)")
	flags.StringVar(&opts.WebhookURL, "webhook-url", "", "`URL` that payments are told to, such as https://shop.example/v1/webhooks/payments/sandbox")
	flags.Float64Var(&opts.Script.Rate, "chaos", 0, "`rate` from 0 to 1 at which each fault happens")
	flags.Uint64Var(&opts.Script.Seed, "seed", 0, "`number` that decides which payments meet which faults")
	addr := flags.String("addr", "127.0.0.1:8090", "`address` to listen on")
	data := flags.String("data", ".plateia", "`folder` of its secrets and its ledger")
	if err := flags.parse(args); err != nil {
		return err
	}
	if err := os.MkdirAll(*data, 0o755); err != nil { //nolint:gosec // the folder of plateia dev, whose private server runs as another user
		return err
	}
	opts.Logger = slog.New(slog.NewTextHandler(e.stderr, nil))
	server, _, err := openSandboxIn(*data, opts)
	if err != nil {
		return err
	}
	if err := server.Start(ctx, *addr); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "ready http://%s\n", server.Addr())
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Stop(stopping))
}

// openSandboxIn is a sandbox whose secrets and ledger are in a data folder.
func openSandboxIn(data string, opts sandbox.Options) (*sandbox.Server, sandbox.Secrets, error) {
	secrets, err := sandbox.LoadSecrets(data, opts.Name)
	if err != nil {
		return nil, secrets, err
	}
	opts.Secrets, opts.LedgerPath = secrets, filepath.Join(data, opts.Name+"-ledger.jsonl")
	opts.KeepSecrets = func(s sandbox.Secrets) error { return sandbox.SaveSecrets(data, opts.Name, s) }
	server, err := sandbox.NewServer(opts)
	return server, secrets, err
}
