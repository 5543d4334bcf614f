package chaos_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is the checkout process, which can be killed and started again.
type process struct {
	mu    sync.Mutex
	conf  shopConfig
	cmd   *exec.Cmd
	stdin io.WriteCloser // while it is open the process lives
	url   string         // "": down
	http  http.Client
}

// spawn starts the process and waits until it answers.
func (p *process) spawn() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	conf, err := json.Marshal(p.conf)
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asShop+"="+string(conf))
	cmd.Stderr = os.Stderr
	stdin, e1 := cmd.StdinPipe()
	stdout, e2 := cmd.StdoutPipe()
	if err := errors.Join(e1, e2); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.stdin = cmd, stdin
	ready := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		ready <- line
	}()
	select {
	case line := <-ready:
		addr, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
		if !ok {
			return fmt.Errorf("the process said %q", line)
		}
		p.url = "http://" + addr
		return nil
	case <-time.After(90 * time.Second):
		return errors.New("the process is not ready in time")
	}
}

// kill ends the process at once, as SIGKILL does.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.stdin.Close()
	p.cmd, p.url = nil, ""
	p.http.CloseIdleConnections()
}

func (p *process) address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url
}

var errDown = errors.New("the process is down")

// ask asks once. An error means that nobody knows.
func (p *process) ask(ctx context.Context, path string, a ask) (t told, err error) {
	base := p.address()
	if base == "" {
		return t, errDown
	}
	body, err := json.Marshal(a)
	if err != nil {
		return t, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, bytes.NewReader(body))
	if err != nil {
		return t, err
	}
	resp, err := p.http.Do(r)
	if err != nil {
		return t, err
	}
	defer resp.Body.Close()
	return t, json.NewDecoder(resp.Body).Decode(&t)
}

// hear passes a bank's webhook on to the process.
func (p *process) hear(w http.ResponseWriter, r *http.Request) {
	base := p.address()
	if base == "" {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	out, err := http.NewRequestWithContext(r.Context(), http.MethodPost, base+r.URL.Path, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	out.Header = r.Header
	resp, err := p.http.Do(out)
	if err != nil {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
}

// setAhead moves the process's clock, and that of its successors.
func (p *process) setAhead(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	p.conf.Ahead = d
	p.mu.Unlock()
	_, err := p.ask(ctx, "/clock", ask{Ahead: d})
	return err
}
