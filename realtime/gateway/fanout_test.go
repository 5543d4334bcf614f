package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// BenchmarkFanout measures a gateway in a process of its own with b.N changes for
// all viewers, one after the other: time until the last viewer has a change,
// memory per viewer, processor time per frame.
//
//	go test ./realtime/gateway -run xx -bench Fanout -benchtime 30x
func BenchmarkFanout(b *testing.B) {
	for _, viewers := range []int{1000, 5000} {
		b.Run(fmt.Sprint(viewers, "viewers"), func(b *testing.B) { fanout(b, viewers) })
	}
}

func fanout(b *testing.B, viewers int) {
	p := startChild(b)
	before := p.ask("usage")
	var arrived sync.WaitGroup
	ctx, cancel := context.WithCancel(b.Context())
	var readers sync.WaitGroup
	arrived.Add(viewers)
	limit := make(chan struct{}, 64)
	for range viewers {
		limit <- struct{}{}
		readers.Go(func() {
			c, err := client.Dial(ctx, p.url, client.Options{Event: p.event, View: whole})
			<-limit
			if err != nil {
				b.Error(err)
				arrived.Done()
				return
			}
			defer c.Close()
			for {
				f, err := c.Next(ctx)
				if err != nil {
					return
				}
				if d, ok := f.(wire.Delta); !ok || len(d.Changes) > 0 {
					arrived.Done()
				}
			}
		})
	}
	arrived.Wait()
	time.Sleep(time.Second)
	idle := p.ask("usage")
	for b.Loop() {
		arrived.Add(viewers)
		p.ask("change")
		arrived.Wait()
	}
	after := p.ask("usage")
	b.ReportMetric(float64(idle.rss-before.rss)/float64(viewers), "B/viewer")
	b.ReportMetric(float64((after.cpu-idle.cpu).Microseconds())/float64(b.N*viewers), "µs-cpu/frame")
	cancel()
	readers.Wait()
	p.in.Close()
	p.cmd.Wait()
}

type usage struct {
	rss int64
	cpu time.Duration
}

type child struct {
	b     *testing.B
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	url   string
	event id.ID
}

func startChild(b *testing.B) *child {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=TestChildGateway", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), "PLATEIA_CHILD_GATEWAY=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := &child{b: b, cmd: cmd, in: in, out: bufio.NewScanner(out)}
	var event string
	c.read("serving %s %s", &c.url, &event)
	if c.event, err = id.Parse(event); err != nil {
		b.Fatal(err)
	}
	return c
}

func (c *child) read(format string, into ...any) {
	for c.out.Scan() {
		if n, err := fmt.Sscanf(c.out.Text(), format, into...); err == nil && n == len(into) {
			return
		}
	}
	c.b.Fatal("the gateway process ended")
}

func (c *child) ask(what string) (u usage) {
	fmt.Fprintln(c.in, what)
	c.read("done %d %d", &u.rss, &u.cpu)
	return u
}

// TestChildGateway is the process that BenchmarkFanout measures.
func TestChildGateway(t *testing.T) {
	if os.Getenv("PLATEIA_CHILD_GATEWAY") == "" {
		t.Skip("only as the child of BenchmarkFanout")
	}
	s := newSite(t, 60_000, 100)
	_, url := s.gateway(func(o *gateway.Options) {
		o.Anonymous = gateway.AnonymousSlow
		o.Hub.SlowTick = 100 * time.Millisecond
	})
	fmt.Println("serving", url, s.db.event)
	lines := bufio.NewScanner(os.Stdin)
	for i := 0; lines.Scan(); i++ {
		if lines.Text() == "change" {
			var seats []seatmap.Ordinal
			for o := range 100 {
				seats = append(seats, seatmap.Ordinal(o*500+i%500))
			}
			s.change(inventory.Held, seats...)
		}
		u := measure()
		fmt.Println("done", u.rss, int64(u.cpu))
	}
}

func measure() usage {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	var total, resident int64
	statm, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(strings.TrimSpace(string(statm)), &total, &resident)
	return usage{rss: resident * int64(os.Getpagesize()), cpu: time.Duration(r.Utime.Nano() + r.Stime.Nano())}
}
