package privatepg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postmaster is what a server writes about itself in postmaster.pid.
type postmaster struct {
	pid    int
	port   string
	socket string // folder of its socket
	ready  bool
}

// readPostmaster returns false when there is no file, or none that can be read yet.
func readPostmaster(data string) (postmaster, bool) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return postmaster{}, false
	}
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 1 {
		return postmaster{}, false
	}
	p := postmaster{pid: pid}
	if len(lines) > 4 {
		p.port, p.socket = strings.TrimSpace(lines[3]), strings.TrimSpace(lines[4])
	}
	if len(lines) > 7 {
		p.ready = strings.TrimSpace(lines[7]) == "ready"
	}
	return p, true
}

// runs reports whether the process is alive and is a server on this folder: a
// server's working directory is its data folder. Where /proc is missing a living pid is believed.
func (p postmaster) runs(data string) bool {
	if err := syscall.Kill(p.pid, 0); err == syscall.ESRCH {
		return false
	}
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid))
	if err != nil {
		_, noProc := os.Stat("/proc/self")
		return noProc != nil
	}
	return cwd == data
}

// clearLeftovers ends a server that outlived the process that started it and
// removes the files of one that was killed. The caller holds the folder's lock.
func clearLeftovers(ctx context.Context, data string) error {
	p, ok := readPostmaster(data)
	if ok && p.runs(data) {
		if err := halt(ctx, p.pid, func() bool { return !p.runs(data) }); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	removeTemporary(p.socket)
	err := os.Remove(filepath.Join(data, "postmaster.pid"))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

const (
	fastPatience      = 30 * time.Second // until a fast shutdown becomes an immediate one
	immediatePatience = 10 * time.Second
)

// halt asks for a fast shutdown (sessions end, a checkpoint is written), then
// for an immediate one. It signals nobody once gone says so: the pid may be somebody else's by then.
func halt(ctx context.Context, pid int, gone func() bool) error {
	if gone() {
		return nil
	}
	for _, step := range []struct {
		signal   syscall.Signal
		patience time.Duration
	}{{syscall.SIGINT, fastPatience}, {syscall.SIGQUIT, immediatePatience}, {syscall.SIGKILL, immediatePatience}} {
		if err := syscall.Kill(pid, step.signal); err == syscall.ESRCH {
			return nil
		} else if err != nil {
			return fmt.Errorf("privatepg: stop server %d: %w", pid, err)
		}
		if until(ctx, step.patience, gone) {
			return nil
		}
	}
	return fmt.Errorf("privatepg: server %d does not stop", pid)
}

// until polls; the interval grows so that quick ends are seen quickly.
func until(ctx context.Context, patience time.Duration, done func() bool) bool {
	deadline := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if done() {
			return true
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return false
		}
		time.Sleep(wait)
	}
}
