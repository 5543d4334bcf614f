package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/core/secret"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/realtime/client"
	"plateia/realtime/natsd"
	"plateia/realtime/wire"
)

// asNATS makes the test binary behave as the NATS server it describes, so that a test can kill it.
const asNATS = "PLATEIA_TEST_AS_NATS"

// natsMember is what a NATS process is told.
type natsMember struct {
	Dir, Name, Listen string
	Peers             *natsd.Peers
}

// serveNATS runs a server of a cluster until the process is told to end.
func serveNATS(text string) error {
	var m natsMember
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := natsd.Start(ctx, natsd.Options{Dir: m.Dir, Name: m.Name, Listen: m.Listen, Peers: m.Peers})
	if err != nil {
		return err
	}
	fmt.Println("serving")
	<-ctx.Done()
	return s.Stop(context.Background())
}

// natsProcesses is a cluster of three processes.
type natsProcesses struct {
	t       *testing.T
	members []natsd.Options
	running []*exec.Cmd
}

func startNATS(t *testing.T) *natsProcesses {
	t.Helper()
	members, err := natsd.ClusterOptions{Dir: t.TempDir(), Name: "nats"}.Members()
	if err != nil {
		t.Fatal(err)
	}
	n := &natsProcesses{t: t, members: members}
	n.start()
	t.Cleanup(n.kill)
	return n
}

func (n *natsProcesses) urls() string {
	var all []string
	for _, m := range n.members {
		all = append(all, "nats://"+m.Listen)
	}
	return strings.Join(all, ",")
}

// start starts all three and waits until each accepts connections.
func (n *natsProcesses) start() {
	n.t.Helper()
	var ready []*bufio.Scanner
	for _, m := range n.members {
		text, err := json.Marshal(natsMember{m.Dir, m.Name, m.Listen, m.Peers})
		if err != nil {
			n.t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asNATS+"="+string(text))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			n.t.Fatal(err)
		}
		n.running, ready = append(n.running, cmd), append(ready, bufio.NewScanner(out))
	}
	for _, lines := range ready {
		if !lines.Scan() || lines.Text() != "serving" {
			n.t.Fatal("a NATS process did not start")
		}
	}
}

// kill ends all three at once and without warning.
func (n *natsProcesses) kill() {
	for _, cmd := range n.running {
		_ = cmd.Process.Kill()
	}
	for _, cmd := range n.running {
		_ = cmd.Wait()
	}
	n.running = nil
}

// openSpread is a sale over three processes' worth of the program, joined by a database and a NATS cluster
// alone: one sells, two show the map.
func openSpread(t *testing.T, urls string) (s *sale, gateways []*house) {
	t.Helper()
	s = &sale{t: t, pulse: takePulse(t)}
	databaseURL := dbtest.URL(t)
	api := freeAddr(t)
	s.first = openBank(t, s.pulse, "sandbox", api)
	nats := natsConfig{urls: urls, replicas: 3}
	s.seller = s.open(config{
		roles: []string{"api", "sweeper", "relay"}, apiAddr: api, databaseURL: databaseURL, nats: nats,
		providers: []providerConfig{{name: "sandbox", url: s.first.URL, key: secret.New(bankKey), webhooks: []secret.Text{secret.New(bankHook)}}},
	})
	for range 2 {
		gateways = append(gateways, s.open(config{roles: []string{"gateway"}, gatewayAddr: "127.0.0.1:0", databaseURL: databaseURL, nats: nats}))
	}
	s.sell([]func(*event.Rules){func(r *event.Rules) { r.Inside = 1000 }})
	return s, gateways
}

// watcher is a fan's map.
type watcher struct {
	mu     sync.Mutex
	shown  []inventory.Status
	frames int
}

func (s *sale) watch(g *house) *watcher {
	w := &watcher{}
	ctx, cancel := context.WithCancel(context.Background())
	var m client.Map
	var done sync.WaitGroup
	done.Go(func() {
		err := client.Watch(ctx, "http://"+g.gatewayListener.Addr().String(), client.Options{Event: s.event.ID, View: wire.View{Mode: wire.Whole}}, &m,
			func(wire.Frame, time.Time) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.shown = append(w.shown[:0], m.Statuses...)
				w.frames++
			})
		if err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(func() { cancel(); done.Wait() })
	return w
}

// shows reports whether the map has all these seats as held.
func (w *watcher) shows(seats []seatmap.Ordinal) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range seats {
		if int(o) >= len(w.shown) || w.shown[o] != inventory.Held {
			return false
		}
	}
	return true
}

func (w *watcher) equals(statuses []inventory.Status) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Equal(w.shown, statuses)
}

// crowd holds seats until it is told to stop, and writes down what it was promised.
type crowd struct {
	s    *sale
	stop atomic.Bool
	done sync.WaitGroup

	mu       sync.Mutex
	promised map[seatmap.Ordinal]id.ID
	taken    int
}

func (s *sale) crowd() *crowd {
	c := &crowd{s: s, promised: map[seatmap.Ordinal]id.ID{}}
	for range 4 {
		c.done.Go(func() {
			for !c.stop.Load() {
				c.try(seatmap.Ordinal(rand.IntN(1000 * hallRows)))
				time.Sleep(40 * time.Millisecond)
			}
		})
	}
	s.t.Cleanup(c.end)
	return c
}

func (c *crowd) end() {
	c.stop.Store(true)
	c.done.Wait()
}

func (c *crowd) try(o seatmap.Ordinal) {
	hold := id.New()
	_, err := c.s.seller.inventory.Do(c.s.t.Context(), c.s.event.ID, inventory.PlaceHold{Hold: hold, Account: id.New(), Seats: []seatmap.Ordinal{o}})
	c.mu.Lock()
	defer c.mu.Unlock()
	other, twice := c.promised[o]
	switch {
	case err == nil && twice:
		c.s.t.Errorf("seat %d was promised twice: to hold %s and to %s", o, other, hold)
	case err == nil:
		c.promised[o] = hold
	case fault.CodeOf(err) == fault.SeatTaken:
		c.taken++
		if !twice {
			c.s.t.Logf("seat %d is taken, by a hold whose answer is still on its way", o)
		}
	case !errors.Is(err, context.Canceled):
		c.s.t.Errorf("a hold failed: %v", err)
	}
}

// seats are those promised so far.
func (c *crowd) seats() (all []seatmap.Ordinal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for o := range c.promised {
		all = append(all, o)
	}
	return all
}

// A NATS cluster of three processes, all killed in the middle of a sale and started again seconds later: the sale does
// not notice, no seat is lost or sold twice, and the maps at two gateways follow the database meanwhile. They are right
// within seconds of the servers' return, long before those have elected who leads.
func TestSaleWithTheNATSClusterKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs six processes' worth")
	}
	cluster := startNATS(t)
	s, gateways := openSpread(t, cluster.urls())
	watchers := []*watcher{s.watch(gateways[0]), s.watch(gateways[1]), s.watch(gateways[1])}
	crowd := s.crowd()
	all := func(seats []seatmap.Ordinal) func() bool {
		return func() bool {
			return !slices.ContainsFunc(watchers, func(w *watcher) bool { return !w.shows(seats) })
		}
	}
	within(t, time.Minute, "the sale has begun", func() bool { return len(crowd.seats()) > 50 })
	within(t, time.Minute, "every map shows it", all(crowd.seats()))

	cluster.kill()
	before := len(crowd.seats())
	within(t, time.Minute, "seats are held while the cluster is away", func() bool { return len(crowd.seats()) > before+100 })
	meanwhile, asked := crowd.seats(), s.pulse.now()
	within(t, time.Minute, "every map shows them, although the cluster is away", all(meanwhile))
	t.Logf("%d seats held while the cluster was away are on the maps after %v", len(meanwhile)-before, s.pulse.since(asked).Round(time.Millisecond))
	late := s.watch(gateways[0])
	within(t, time.Minute, "who comes now has a map, too", func() bool { return late.shows(meanwhile) })
	acknowledged, started := s.seller.stream.Stats().Acknowledged, s.pulse.now()
	cluster.start()
	back := s.pulse.now()
	promised := crowd.seats()
	within(t, time.Minute, "every map shows what was held meanwhile", all(promised))
	took, electing := s.pulse.since(back), s.seller.stream.Stats().Acknowledged == acknowledged
	t.Logf("%d seats held while the cluster was away; its servers accept connections %v after their start; the maps are right %v after that, while they elect: %v",
		len(promised)-before, (back - started).Round(time.Millisecond), took.Round(time.Millisecond), electing)
	if took > 5*time.Second {
		t.Errorf("the maps are right %v after the cluster's return", took)
	}
	slowest := s.lag(crowd, watchers, func() bool { return s.seller.stream.Stats().Acknowledged > acknowledged })
	t.Logf("the stream takes changes %v after its servers' return; until then a seat was on every map after at most %v",
		s.pulse.since(back).Round(time.Millisecond), slowest.Round(time.Millisecond))
	if slowest > 5*time.Second {
		t.Errorf("while the servers elect a seat is on the maps after %v", slowest)
	}

	time.Sleep(time.Second) // of sale
	crowd.end()
	s.balance(crowd, append(watchers, late))
	for i, g := range gateways {
		if st := g.gateway.Stats().Hub; st.Mismatches > 0 || st.Repairs > 0 {
			t.Errorf("gateway %d: %+v", i, st)
		}
	}
}

// lag is how long a seat takes at most from its hold to every map, by the pulse, until something is done.
func (s *sale) lag(c *crowd, watchers []*watcher, done func() bool) (slowest time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); {
		seats, held := c.seats(), s.pulse.now()
		if time.Now().After(end) {
			s.t.Fatal("two minutes were not enough")
		}
		within(s.t, time.Minute, "every map shows the seats held so far", func() bool {
			return !slices.ContainsFunc(watchers, func(w *watcher) bool { return !w.shows(seats) })
		})
		slowest = max(slowest, s.pulse.since(held))
	}
	return slowest
}

// balance compares promises, database and maps.
func (s *sale) balance(c *crowd, watchers []*watcher) {
	s.t.Helper()
	truth, err := snapshots{s.seller.seats, s.seller.catalog}.Snapshot(s.t.Context(), s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	held := 0
	for o, status := range truth.Statuses {
		_, promised := c.promised[seatmap.Ordinal(o)]
		if promised != (status == inventory.Held) {
			s.t.Errorf("seat %d: promised %v, in the database %d", o, promised, status)
		}
		if promised {
			held++
		}
	}
	report, err := s.seller.database.Verify(s.t.Context(), s.event.ID, db.VerifyOptions{})
	if err != nil || len(report.Violations) > 0 {
		s.t.Errorf("verify: %v %v", report.Violations, err)
	}
	for i, w := range watchers {
		within(s.t, time.Minute, fmt.Sprintf("map %d is the database's", i), func() bool { return w.equals(truth.Statuses) })
	}
	s.t.Logf("%d seats held, each by one; %d asked for one that was taken", held, c.taken)
}
