package privatepg

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// guard is a small shell that outlives this process when it is killed: its
// standard input ends, and it stops the server (and removes a throwaway folder).
// The next start would do the same; the guard saves a laptop from an orphan until then.
type guard struct {
	command *exec.Cmd
	alive   *os.File // our end of its standard input
}

// guardScript only signals the process that the server's own pid file names. Told to keep, it does nothing.
const guardScript = `
[ "$(cat)" = keep ] && exit 0
stop() { [ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = "$1" ] && kill -s "$3" "$1" 2>/dev/null; }
n=0
stop "$1" "$2" INT
while [ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = "$1" ] && kill -0 "$1" 2>/dev/null && [ $n -lt 300 ]; do
	n=$((n+1)); sleep 0.1
done
[ -z "$3" ] || { stop "$1" "$2" QUIT; rm -rf -- "$3"; }
`

func watch(s *Server) (*guard, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	remove := ""
	if s.opts.Throwaway {
		remove = s.dir
	}
	command := exec.Command("/bin/sh", "-c", guardScript, "plateia-guard", strconv.Itoa(s.PID()), s.data, remove)
	command.Stdin = theirs
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("privatepg: guard: %w", err)
	}
	return &guard{command: command, alive: ours}, nil
}

// keep lets the guard end without doing anything: another one takes over.
func (g *guard) keep() {
	_, _ = g.alive.WriteString("keep")
	g.dismiss()
}

// dismiss lets the guard end: the server is down already, or goes down by it.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	g.alive.Close()
	_ = g.command.Wait()
}
