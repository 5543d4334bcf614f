// Package privatecrdb runs a CockroachDB node of one's own for development: one
// node, on the loopback interface, without TLS or passwords (anyone on this
// machine who finds the port may use it). Production brings its own cluster.
package privatecrdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Database is made at the first start.
const Database = "plateia"

const (
	startPatience = time.Minute
	stopPatience  = 30 * time.Second
)

// Server is a running node.
type Server struct {
	dir     string
	url     string
	command *exec.Cmd
	ended   chan struct{}
}

// Start runs the binary `cockroach` on the folder and returns when the node
// answers. Two nodes cannot share a folder: CockroachDB locks its store.
func Start(ctx context.Context, binary, dir string, log *slog.Logger) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("privatecrdb: %w", err)
	}
	s := &Server{dir: dir, ended: make(chan struct{})}
	s.endOrphan()
	if err := s.launch(binary); err != nil {
		return nil, err
	}
	if err := s.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	log.Info("private CockroachDB runs", "folder", dir, "pid", s.command.Process.Pid)
	return s, nil
}

func (s *Server) file(name string) string { return filepath.Join(s.dir, name) }

func (s *Server) launch(binary string) error {
	_ = os.Remove(s.file("url"))
	logFile, err := os.OpenFile(s.file("log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	s.command = exec.Command(binary, "start-single-node", "--insecure",
		"--store="+s.file("store"), "--listen-addr=127.0.0.1:0", "--http-addr=127.0.0.1:0",
		"--listening-url-file="+s.file("url"), "--pid-file="+s.file("pid"))
	s.command.Stdout, s.command.Stderr = logFile, logFile
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C is for this program, which stops the node last
	if err := s.command.Start(); err != nil {
		return fmt.Errorf("privatecrdb: start: %w", err)
	}
	go func() {
		defer close(s.ended)
		_ = s.command.Wait()
	}()
	return nil
}

func (s *Server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.createDatabase(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.ended:
			return fmt.Errorf("privatecrdb: the node ended; see %s", s.file("log"))
		case <-ctx.Done():
			return fmt.Errorf("privatecrdb: not ready: %w", errors.Join(ctx.Err(), err))
		}
	}
}

// createDatabase is also the probe: the node writes its URL when it listens.
func (s *Server) createDatabase(ctx context.Context) error {
	text, err := os.ReadFile(s.file("url"))
	if err != nil {
		return err
	}
	base, err := url.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, base.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "create database if not exists "+Database); err != nil {
		return err
	}
	base.Path = "/" + Database
	s.url = base.String()
	return nil
}

// Ended says that the node ended by itself, nil while it runs.
func (s *Server) Ended() error {
	select {
	case <-s.ended:
		return fmt.Errorf("privatecrdb: the node on %s ended; see %s", s.dir, s.file("log"))
	default:
		return nil
	}
}

// URL is how to reach the database.
func (s *Server) URL() string { return s.url }

// Stop drains the node and ends it. It is idempotent.
func (s *Server) Stop(ctx context.Context) error {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
	case <-time.After(stopPatience):
	}
	_ = s.command.Process.Kill()
	<-s.ended
	return errors.New("privatecrdb: the node did not stop in time and was killed; it recovers at the next start")
}

// Running returns the URL of the node that another process runs on the folder.
func Running(dir string) (string, bool) {
	s := &Server{dir: dir}
	text, err := os.ReadFile(s.file("url"))
	base, parseErr := url.Parse(strings.TrimSpace(string(text)))
	if err != nil || parseErr != nil || s.orphan() == 0 {
		return "", false
	}
	base.Path = "/" + Database
	return base.String(), true
}

// orphan is the process that the pid file names, 0 unless it is a node on this folder.
func (s *Server) orphan() int {
	text, err := os.ReadFile(s.file("pid"))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return 0
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || !strings.Contains(string(line), s.file("store")) {
		return 0
	}
	return pid
}

// endOrphan stops a node whose program was killed; one that does not stop keeps the store locked, and the start says so.
func (s *Server) endOrphan() {
	pid := s.orphan()
	if pid == 0 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	for deadline := time.Now().Add(stopPatience); time.Now().Before(deadline) && syscall.Kill(pid, 0) == nil; {
		time.Sleep(50 * time.Millisecond)
	}
}
