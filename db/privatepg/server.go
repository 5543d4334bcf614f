package privatepg

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Options of a private server.
type Options struct {
	Dir         string            // the server's folder; made when missing
	Bin         string            // server binaries; "": Find
	Settings    map[string]string // postgresql.conf settings on top of ours
	Throwaway   bool              // tests: no fsync, and the folder is removed when the process ends
	StartWithin time.Duration     // patience with recovery after a crash; 0: 60 s
	Logger      *slog.Logger      // nil: discard
}

// Server is a running server. User and Database exist and may do everything.
type Server struct {
	opts    Options
	dir     string // real path
	data    string
	socket  string // folder of the socket
	owner   owner
	lock    *os.File
	command *exec.Cmd
	guard   *guard
}

// Names of the role and the database that a private server is made with.
const (
	User     = "plateia"
	Database = "plateia"
)

// Start initialises the folder when it is empty, ends what a killed run left
// behind, and returns when the server accepts connections. ErrLocked when another process
// uses the folder, ErrNotInstalled when there are no binaries.
func Start(ctx context.Context, opts Options) (_ *Server, err error) {
	s, err := open(opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if err := clearLeftovers(ctx, s.data); err != nil {
		return nil, err
	}
	if err := s.initialise(ctx); err != nil {
		return nil, err
	}
	if s.socket, err = s.socketFolder(); err != nil {
		return nil, err
	}
	if err := s.launch(); err != nil {
		return nil, err
	}
	return s, s.awaitReady(ctx)
}

// open resolves the folder, its owner and the binaries, and takes the lock.
func open(opts Options) (*Server, error) {
	s := &Server{opts: opts}
	s.opts.StartWithin = cmp.Or(s.opts.StartWithin, time.Minute)
	s.opts.Logger = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	var err error
	if s.opts.Bin == "" {
		if s.opts.Bin, err = Find(); err != nil {
			return nil, err
		}
	}
	if s.owner, err = chooseOwner(filepath.Join(opts.Dir, "data")); err != nil {
		return nil, err
	}
	if s.dir, err = s.owner.home(opts.Dir); err != nil {
		return nil, err
	}
	s.data = filepath.Join(s.dir, "data")
	if s.lock, err = lock(s.dir); err != nil {
		return s, err
	}
	if err := s.mark(); err != nil {
		s.lock.Close()
		return nil, err
	}
	return s, nil
}

// initialise makes a cluster aside and renames it: a killed initdb leaves nothing that looks finished.
func (s *Server) initialise(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.data, "PG_VERSION")); err == nil {
		return nil
	}
	if entries, err := os.ReadDir(s.data); err == nil && len(entries) > 0 {
		return fmt.Errorf("privatepg: %s has files but is no database cluster; move it away", s.data)
	}
	fresh := filepath.Join(s.dir, "new")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	args := []string{"-D", fresh, "-U", User, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"}
	if s.opts.Throwaway {
		args = append(args, "--no-sync")
	}
	if err := s.run(ctx, "initdb", args, nil); err != nil {
		return err
	}
	if err := s.createDatabase(ctx, fresh); err != nil {
		return err
	}
	_ = os.Remove(s.data) // empty, or not there
	return os.Rename(fresh, s.data)
}

// createDatabase needs no running server: single-user mode reads its standard input.
func (s *Server) createDatabase(ctx context.Context, data string) error {
	return s.run(ctx, "postgres", []string{"--single", "-D", data, "postgres"},
		strings.NewReader("create database "+Database+"\n"))
}

func (s *Server) run(ctx context.Context, name string, args []string, stdin *strings.Reader) error {
	command := exec.CommandContext(ctx, filepath.Join(s.opts.Bin, name), args...)
	command.SysProcAttr = s.owner.attributes()
	command.Dir = s.dir
	command.Env = environment()
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if stdin != nil {
		command.Stdin = stdin
	}
	if err := command.Run(); err != nil {
		return fmt.Errorf("privatepg: %s: %w: %s", name, err, lastLines(output.String()))
	}
	return nil
}

// launch starts the server and the guard that stops it when this process is killed.
func (s *Server) launch() error {
	name := filepath.Join(s.dir, "log")
	_ = os.Rename(name, name+".before") // of a run that may have crashed
	logFile, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	s.command = exec.Command(filepath.Join(s.opts.Bin, "postgres"), s.arguments()...)
	s.command.SysProcAttr = s.owner.attributes()
	s.command.Dir = s.dir
	s.command.Env = environment()
	s.command.Stdout, s.command.Stderr = logFile, logFile
	if err := s.command.Start(); err != nil {
		return fmt.Errorf("privatepg: start: %w", err)
	}
	s.guard, err = watch(s)
	return err
}

func (s *Server) awaitReady(ctx context.Context) error {
	var state error
	ready := until(ctx, s.opts.StartWithin, func() bool {
		if state = s.exited(); state != nil {
			return true
		}
		p, ok := readPostmaster(s.data)
		return ok && p.pid == s.command.Process.Pid && p.ready
	})
	if state == nil && ready {
		return nil
	}
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	if state == nil {
		state = errors.Join(ctx.Err(), fmt.Errorf("not ready within %v", s.opts.StartWithin))
	}
	return fmt.Errorf("privatepg: the server did not start: %w: %s", state, lastLines(string(text)))
}

// exited collects the server when it has ended. It asks the kernel itself
// so that no goroutine has to wait for as long as the server runs.
func (s *Server) exited() error {
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(s.command.Process.Pid, &status, syscall.WNOHANG, nil)
	if pid == 0 || err == syscall.EINTR {
		return nil
	}
	return fmt.Errorf("ended with status %d", status.ExitStatus())
}

// Ended says how the server ended by itself, nil while it runs.
func (s *Server) Ended() error {
	if err := s.exited(); err != nil {
		return fmt.Errorf("privatepg: the server on %s %w", s.dir, err)
	}
	return nil
}

// URL is how to reach a database of the server.
func (s *Server) URL(database string) string { return socketURL(s.socket, port, database) }

// PID is the server's process.
func (s *Server) PID() int { return s.command.Process.Pid }

// Dir is the server's real folder.
func (s *Server) Dir() string { return s.dir }

// Stop ends the server with a fast shutdown and gives the folder back. It is idempotent.
func (s *Server) Stop(ctx context.Context) error {
	if s == nil || s.lock == nil {
		return nil
	}
	err := halt(ctx, s.PID(), func() bool { return s.exited() != nil })
	s.release()
	return err
}

// Restart ends the server and starts it again on the same folder and socket: with a fast
// shutdown, or an immediate one, which is a crash as far as the database can tell. It is for tests of what
// survives that. Nobody may call another method meanwhile, except URL.
func (s *Server) Restart(ctx context.Context, immediate bool) error {
	gone := func() bool { return s.exited() != nil }
	if immediate {
		_ = syscall.Kill(s.PID(), syscall.SIGQUIT)
		until(ctx, immediatePatience, gone)
	}
	if err := halt(ctx, s.PID(), gone); err != nil {
		return err
	}
	s.guard.keep()
	if err := s.launch(); err != nil {
		return err
	}
	return s.awaitReady(ctx)
}

// abandon cleans up after a start that failed.
func (s *Server) abandon() {
	if s.command != nil && s.command.Process != nil {
		_ = halt(context.Background(), s.PID(), func() bool { return s.exited() != nil })
	}
	s.release()
}

func (s *Server) release() {
	removeTemporary(s.socket)
	s.guard.dismiss()
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
}

func socketURL(folder, port, database string) string {
	query := url.Values{"host": {folder}, "port": {port}, "sslmode": {"disable"}}
	// The driver reads a plus sign as one: a folder's space must be written %20.
	return "postgres://" + User + "@/" + url.PathEscape(database) + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-6):], " | ")
}
