package fanoutbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a child that is told things on its standard input and answers on its output, in JSON.
type process struct {
	role    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	orders  *json.Encoder
	answers *json.Decoder
}

// startProcess starts a child and tells it its task.
func (o Options) startProcess(ctx context.Context, role string, task any) (*process, error) {
	cmd := o.Process(ctx, role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("fanoutbench: %s: %w", role, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("fanoutbench: %s: %w", role, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("fanoutbench: %s: %w", role, err)
	}
	p := &process{role: role, cmd: cmd, in: in, orders: json.NewEncoder(in), answers: json.NewDecoder(out)}
	return p, p.tell(task)
}

func (p *process) tell(what any) error {
	if err := p.orders.Encode(what); err != nil {
		return fmt.Errorf("fanoutbench: %s process: %w", p.role, err)
	}
	return nil
}

func (p *process) hear(into any) error {
	if err := p.answers.Decode(into); err != nil {
		return fmt.Errorf("fanoutbench: %s process ended: %w", p.role, err)
	}
	return nil
}

func (p *process) ask(what, into any) error {
	if err := p.tell(what); err != nil {
		return err
	}
	return p.hear(into)
}

// stop lets the child end by itself: its input ends.
func (p *process) stop() {
	p.in.Close()
	late := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	_ = p.cmd.Wait() // what it had to say it has said
}

// usage is what a process has used since its start.
type usage struct {
	RSS    int64         `json:"rss"` // resident bytes now
	CPU    time.Duration `json:"cpu"`
	Frames int64         `json:"frames,omitempty"` // that a gateway has written
	Slow   int64         `json:"slow,omitempty"`   // viewers that a gateway told to start over
}

func (u usage) add(v usage) usage {
	return usage{u.RSS + v.RSS, u.CPU + v.CPU, u.Frames + v.Frames, u.Slow + v.Slow}
}
