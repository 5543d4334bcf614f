package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
)

// runDev is everything in one process, for a laptop.
func runDev(ctx context.Context, e env, args []string) error {
	return runHouse(ctx, e, "dev", config{dev: true}, args)
}

// runServe is some or all roles, against servers that somebody runs.
func runServe(ctx context.Context, e env, args []string) error {
	return runHouse(ctx, e, "serve", config{}, args)
}

// runHouse starts, says that it is ready, and stops when ctx ends or a server does.
func runHouse(ctx context.Context, e env, name string, cfg config, args []string) (err error) {
	if err := cfg.parse(e, name, args); err != nil {
		return err
	}
	if len(cfg.roles) == 1 && cfg.has("gateway") {
		e.collectForGateway()
	}
	if cfg.dev {
		if err := os.MkdirAll(cfg.data, 0o755); err != nil { //nolint:gosec // the private server runs as another user
			return err
		}
	}
	h, err := open(ctx, cfg, cfg.logger(e.stderr))
	if err != nil {
		if ctx.Err() != nil { // asked to stop while starting
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	ready := "ready " + h.url() + "\n"
	if h.partnerListener != nil {
		ready += "partner " + showcaseURL(h.partnerListener) + "\n"
	}
	_, _ = io.WriteString(e.stdout, ready) // at once: who waits for the first line finds both
	select {
	case <-ctx.Done():
		h.log.Info("stopping")
		return nil
	case err := <-h.fail:
		return err
	}
}

// url is the address to open: the public one, or the first port of a process without an edge.
func (h *house) url() string {
	switch {
	case h.cfg.publicURL != "":
		return h.cfg.publicURL
	case h.publicListener != nil:
		return address(h.publicListener)
	case h.apiListener != nil:
		return address(h.apiListener)
	case h.gatewayListener != nil:
		return address(h.gatewayListener)
	}
	return "(no port)"
}

// address is what a browser on this machine opens: a listener on every address is on localhost too.
func address(l net.Listener) string {
	tcp, ok := l.Addr().(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + l.Addr().String()
}
