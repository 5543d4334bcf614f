package chaos_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

// process is an engine process that can be killed and started again.
type process struct {
	conf engineConfig

	mu     sync.Mutex
	cmd    *exec.Cmd
	stdin  io.WriteCloser // while it is open the process lives
	client *rpc.Client
}

// spawn starts the process and waits until it answers.
func (p *process) spawn() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	conf, err := json.Marshal(p.conf)
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asEngine+"="+string(conf))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	p.cmd, p.stdin = cmd, stdin
	p.mu.Unlock()
	ready := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(stdout).ReadString('\n')
		ready <- err
	}()
	select {
	case err = <-ready:
	case <-time.After(90 * time.Second):
		err = errors.New("not ready in time")
	}
	if err != nil {
		p.kill()
		return fmt.Errorf("engine process: %w", err)
	}
	return nil
}

// kill ends the process at once, as SIGKILL does.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.stdin.Close()
	}
	if p.client != nil {
		p.client.Close()
	}
	p.cmd, p.client = nil, nil
}

func (p *process) dial() (*rpc.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client != nil {
		return p.client, nil
	}
	if p.cmd == nil {
		return nil, errDown
	}
	client, err := rpc.Dial("unix", p.conf.Socket)
	if err != nil {
		return nil, errors.Join(errDown, err)
	}
	p.client = client
	return client, nil
}

func (p *process) drop(client *rpc.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client == client {
		client.Close()
		p.client = nil
	}
}

var (
	errNoAnswer = errors.New("the process never answered")
	errDown     = errors.New("the process is down") // and never got the command
)

// answerWithin is longer than any command may take: patience, settling, patience.
const answerWithin = 20 * time.Second

// do asks the process. An error means that nobody knows: it was killed, or never reached.
func (p *process) do(event id.ID, command inventory.Command, wait time.Duration) (Reply, error) {
	client, err := p.dial()
	if err != nil {
		return Reply{}, err
	}
	var reply Reply
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	select {
	case call := <-client.Go("Engine.Do", Ask{event, command, wait}, &reply, make(chan *rpc.Call, 1)).Done:
		if call.Error != nil {
			p.drop(client)
			return Reply{}, call.Error
		}
		return reply, nil
	case <-timer.C:
		return Reply{}, errNoAnswer
	}
}

// local is an engine in this process.
type local struct{ *inventory.Inventory }

func (l local) do(event id.ID, command inventory.Command, wait time.Duration) (Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return replyOf(l.Do(ctx, event, command)), nil
}

// doer is a process, or an engine here.
type doer interface {
	do(event id.ID, command inventory.Command, wait time.Duration) (Reply, error)
}

// open says that nobody knows yet what became of a command.
func open(r Reply, err error) bool {
	return err != nil || r.Code == fault.OutcomeUnknown || r.Code == fault.Busy || r.Code == fault.InProgress
}

// again kills the process and starts another in its place.
func (p *process) again() error {
	p.kill()
	return p.spawn()
}

// ensure starts the process when it is down.
func (p *process) ensure() error {
	p.mu.Lock()
	up := p.cmd != nil
	p.mu.Unlock()
	if up {
		return nil
	}
	return p.spawn()
}
