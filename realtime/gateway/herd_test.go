package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/client"
	"plateia/realtime/wire"
)

// herd is a process full of viewers.
type herd struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
}

// startHerd starts so many viewers of the town's events, who begin at home and know one more gateway.
func startHerd(t *testing.T, viewers int, town *town, home, away string) *herd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChildHerd$", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), "PLATEIA_CHILD_HERD=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("the viewers' process: %v", err)
		}
	})
	var events []string
	for _, e := range town.events {
		events = append(events, e.String())
	}
	fmt.Fprintln(in, viewers, home, away, strings.Join(events, ","))
	return &herd{t: t, in: in, out: bufio.NewScanner(out)}
}

// shows is how many of the viewers show exactly so many seats as sold.
func (h *herd) shows(sold int) int {
	fmt.Fprintln(h.in, sold)
	for h.out.Scan() {
		var n int
		if _, err := fmt.Sscanf(h.out.Text(), "show %d", &n); err == nil {
			return n
		}
	}
	h.t.Fatal("the viewers' process ended")
	return 0
}

// learn says that a gateway is replaced by another.
func (h *herd) learn(old, its string) { fmt.Fprintln(h.in, "0", old, its) }

// TestChildHerd is the process of a herd: it reads what to do from its input until that ends.
func TestChildHerd(t *testing.T) {
	if os.Getenv("PLATEIA_CHILD_HERD") == "" {
		t.Skip("only as the child of TestRestartIsNoHerd")
	}
	var viewers int
	known := &gateways{}
	var names string
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	if _, err := fmt.Sscan(in.Text(), &viewers, &known.bases[0], &known.bases[1], &names); err != nil {
		t.Fatal(err)
	}
	events := strings.Split(names, ",")
	door := make(chan struct{}, 32) // at the first coming only: how they return is what is tested
	fans := make([]*fan, viewers)
	for i := range fans {
		event, err := id.Parse(events[i%len(events)])
		if err != nil {
			t.Fatal(err)
		}
		fans[i] = &fan{event: event, known: known, door: door}
		go fans[i].watch(t.Context())
	}
	for in.Scan() {
		var sold, right int64
		var old, its string
		if n, _ := fmt.Sscan(in.Text(), &sold, &old, &its); n == 3 {
			known.replace(old, its)
			continue
		}
		for _, f := range fans {
			if f.sold.Load() == sold {
				right++
			}
		}
		fmt.Println("show", right)
	}
	os.Exit(0) // their connections end with the process
}

// gateways are those that a herd knows.
type gateways struct {
	mu    sync.Mutex
	bases [2]string
}

func (g *gateways) get(i int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bases[i]
}

func (g *gateways) replace(old, its string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.bases {
		if g.bases[i] == old {
			g.bases[i] = its
		}
	}
}

// fan is a viewer who leaves at the moment that a draining gateway has asked for.
type fan struct {
	event id.ID
	known *gateways
	door  chan struct{}
	m     client.Map
	sold  atomic.Int64
}

var plain = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (f *fan) watch(ctx context.Context) {
	base := f.known.get(0)
	for n := 0; ctx.Err() == nil; n++ {
		if f.m.Position == nil {
			f.m.Reset()
		}
		if n == 0 {
			f.door <- struct{}{}
		}
		c, err := client.Dial(ctx, base, client.Options{Event: f.event, View: whole, Resume: f.m.Position, HTTPClient: plain})
		if n == 0 {
			<-f.door
		}
		if err == nil {
			f.follow(ctx, c)
			c.Close()
		} else {
			time.Sleep(100*time.Millisecond + rand.N(500*time.Millisecond))
		}
		base = f.known.get(rand.IntN(2))
	}
}

// follow keeps the map until the connection ends or it is time to go.
func (f *fan) follow(ctx context.Context, c *client.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		frame, err := c.Next(ctx)
		var closed *client.Closed
		if errors.As(err, &closed) {
			time.Sleep(closed.Bye.After + rand.N(closed.Bye.Spread+time.Second/2))
		}
		if err != nil {
			return
		}
		if bye, ok := frame.(wire.Bye); ok && bye.Code == wire.ByeDrain {
			time.AfterFunc(bye.After+rand.N(bye.Spread+1), cancel)
		}
		if _, gap := f.m.Apply(frame); gap {
			f.m.Reset()
			return
		}
		f.count()
	}
}

func (f *fan) count() {
	sold := int64(0)
	for _, s := range f.m.Statuses {
		if s == inventory.Sold {
			sold++
		}
	}
	f.sold.Store(sold)
}
