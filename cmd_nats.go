package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plateia/realtime/natsd"
)

// runNATS is a NATS server in a process of its own, for installations that have no other.
func runNATS(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "nats")
	path := flags.String("config", "", "configuration `file` of nats-server, with jetstream and a store_dir; deploy/nats has some")
	if err := flags.parse(args); err != nil {
		return err
	}
	if *path == "" {
		return errUsage{"plateia nats: --config says which server"}
	}
	server, err := natsd.StartFile(ctx, *path, slog.New(slog.NewTextHandler(e.stderr, nil)))
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "ready %s\n", server.URL())
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return errors.Join(server.Stop(stopping))
}
