package holdbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// startRedis runs a Redis of our own in a folder that goes with it, on a socket as our
// PostgreSQL is, and as durable: appendfsync always.
func startRedis(ctx context.Context) (socket string, stop func(), err error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return "", nil, fmt.Errorf("holdbench: --redis auto: %w; install it or give an address", err)
	}
	dir, err := os.MkdirTemp("", "plateia-redis-")
	if err != nil {
		return "", nil, err
	}
	socket = filepath.Join(dir, "s")
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, "--port", "0", "--unixsocket", socket, "--dir", dir, "--daemonize", "no",
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--auto-aof-rewrite-percentage", "0", "--maxclients", "4000", "--loglevel", "warning")
	if err := cmd.Start(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("holdbench: redis-server: %w", err), os.RemoveAll(dir))
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		os.RemoveAll(dir)
	}
	if err := awaitRedis(ctx, socket, ended); err != nil {
		stop()
		return "", nil, err
	}
	return socket, stop, nil
}

func awaitRedis(ctx context.Context, socket string, ended <-chan struct{}) error {
	client := redisClient(socket, 1)
	defer client.Close()
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := os.Stat(socket) // the client would complain on its own
		if err == nil {
			if err = client.Ping(ctx).Err(); err == nil {
				return nil
			}
		}
		select {
		case <-ended:
			return errors.New("holdbench: redis-server ended at once")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("holdbench: redis-server does not answer: %w", err)
		}
	}
}
