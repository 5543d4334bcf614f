package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/edge/payments/sandbox"
	"plateia/realtime/natsd"
)

// pairRegions are the two regions that a drill runs on one machine.
var pairRegions = [2]string{"east", "west"}

// pairFile tells other commands what runs; it lies in the data folder.
type pairFile struct {
	Event     string           `json:"event"`
	DevSecret string           `json:"devSecret"`
	URLs      []string         `json:"urls"`     // public addresses of the edges, one that prefers each region
	Statuses  []string         `json:"statuses"` // /upstreams of the same
	PIDs      map[string][]int `json:"pids"`     // processes by region
}

func pairPath(data string) string { return filepath.Join(data, "regions.json") }

// pair is two regions as processes of their own, over one database: in each a NATS
// server, the API with everything that sells, and a gateway; in front of both an edge
// for each region; and one bank.
type pair struct {
	file     pairFile
	data     string
	database string // URL
	ports    map[string]string

	mu       sync.Mutex
	children []*child
	closing  bool
}

// child is a process of ours.
type child struct {
	name  string
	cmd   *exec.Cmd
	ended chan struct{}
}

// openPair starts everything and puts an event on sale.
func openPair(ctx context.Context, data, databaseURL string, log *slog.Logger) (_ *pair, err error) {
	p := &pair{data: data, ports: map[string]string{}, file: pairFile{DevSecret: id.New().String(), PIDs: map[string][]int{}}}
	if err := os.MkdirAll(data, 0o755); err != nil { //nolint:gosec // the private server runs as another user
		return nil, err
	}
	if err := p.openEvent(ctx, databaseURL, log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := p.choosePorts(); err != nil {
		return nil, err
	}
	if err := p.startAll(ctx); err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(p.file, "", "  ")
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(pairPath(data), raw, 0o600)
}

// openEvent migrates the database and puts a hall on sale in it, where a drill finds room enough.
func (p *pair) openEvent(ctx context.Context, url string, log *slog.Logger) error {
	p.database = url
	d, err := db.Open(ctx, url, db.Options{Application: "plateia drill", Logger: log, MaxConns: 2})
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err := d.Up(ctx); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	e := event.Event{ // at home in neither region, so that each edge sells in its own
		ID: id.New(), Title: "Failover drill", Venue: event.Venue{Name: "Drill hall", City: "Recife", Country: "BR"}, Genre: "drill",
		TimeZone: "America/Recife", Currency: "BRL", HomeRegion: "local", State: event.OnSale,
		StartsAt: now.Add(240 * time.Hour), OnSaleAt: now.Add(-time.Hour), Rules: event.DefaultRules(),
	}
	e, err = sellChart(ctx, db.NewCatalog(d), e, drillHall(), []int64{18000})
	p.file.Event = e.ID.String()
	return err
}

// drillHall has 4,000 seats in 20 sections.
func drillHall() seatmap.Spec {
	spec := seatmap.Spec{ID: id.New(), Version: 1, Name: "Drill hall", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}}}
	for s := range 20 {
		section := seatmap.SectionSpec{Label: fmt.Sprintf("S%02d", s+1)}
		for r := range 10 {
			row := seatmap.RowSpec{Label: fmt.Sprint(r + 1)}
			for n := range 20 {
				row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(n + 1), X: float32(25*(s%5) + n), Y: float32(12*(s/5) + r)})
			}
			section.Rows = append(section.Rows, row)
		}
		spec.Sections = append(spec.Sections, section)
	}
	return spec
}

// choosePorts gives every listener its address before anything starts, because each must know the others'.
func (p *pair) choosePorts() error {
	names := []string{"leaf", "bank"}
	for _, region := range pairRegions {
		for _, what := range []string{"nats", "api", "gateway", "edge", "status"} {
			names = append(names, what+" "+region)
		}
	}
	taken := map[string]bool{}
	for _, name := range names {
		for p.ports[name] == "" {
			addr, err := natsd.FreeAddr()
			if err != nil {
				return err
			}
			if !taken[addr] {
				p.ports[name], taken[addr] = addr, true
			}
		}
	}
	return nil
}

// startAll starts the processes in waves: what others need first.
func (p *pair) startAll(ctx context.Context) error {
	bank, err := p.bank()
	if err != nil {
		return err
	}
	waves := [][]start{{bank}, nil, nil}
	for _, region := range pairRegions {
		nats, err := p.nats(region)
		if err != nil {
			return err
		}
		waves[0] = append(waves[0], nats)
		waves[1] = append(waves[1], p.roles(region, "api,admitter,relay,sweeper", "--api-addr", p.ports["api "+region]), p.roles(region, "gateway", "--gateway-addr", p.ports["gateway "+region]))
		waves[2] = append(waves[2], p.edge(region))
		p.file.URLs = append(p.file.URLs, "http://"+p.ports["edge "+region])
		p.file.Statuses = append(p.file.Statuses, "http://"+p.ports["status "+region]+"/upstreams")
	}
	for _, wave := range waves {
		faults := make([]error, len(wave))
		var all sync.WaitGroup
		for i, s := range wave {
			all.Go(func() { faults[i] = p.start(ctx, s) })
		}
		all.Wait()
		if err := errors.Join(faults...); err != nil {
			return err
		}
	}
	return nil
}

// start is a process to be started; those of a region go away with it.
type start struct {
	name, region string
	args         []string
}

// start starts this program again with other arguments and waits until it says that it is ready.
func (p *pair) start(ctx context.Context, s start) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(p.data, strings.ReplaceAll(s.name, " ", "-")+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	c := &child{name: s.name, cmd: exec.Command(self, s.args...), ended: make(chan struct{})} //nolint:gosec,noctx // ourselves; close ends it
	c.cmd.Stderr = log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for us, who stop them in order
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.mu.Lock()
	if p.closing {
		err = context.Canceled
	} else if err = c.cmd.Start(); err == nil {
		p.children = append(p.children, c)
		if s.region != "" {
			p.file.PIDs[s.region] = append(p.file.PIDs[s.region], c.cmd.Process.Pid)
		}
	}
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("starting %s: %w", s.name, err)
	}
	ready := make(chan bool, 1)
	go func() {
		defer close(c.ended)
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		ready <- strings.HasPrefix(line, "ready ")
		_, _ = io.Copy(io.Discard, stdout)
		_ = c.cmd.Wait()
	}()
	select {
	case ok := <-ready:
		if !ok {
			return fmt.Errorf("%s did not start: %s says why", s.name, log.Name())
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Minute):
		return fmt.Errorf("%s is not ready after two minutes: %s", s.name, log.Name())
	}
}

// close stops everything, the edges first.
func (p *pair) close() {
	p.mu.Lock()
	p.closing = true
	children := p.children
	p.children = nil
	p.mu.Unlock()
	_ = os.Remove(pairPath(p.data))
	for i := len(children) - 1; i >= 0; i-- {
		_ = children[i].cmd.Process.Signal(syscall.SIGTERM)
		_ = children[i].cmd.Process.Signal(syscall.SIGCONT) // a drill may have frozen it
	}
	patience := time.After(30 * time.Second)
	for _, c := range children {
		select {
		case <-c.ended:
		case <-patience:
			_ = c.cmd.Process.Kill()
			<-c.ended
		}
	}
}

func (p *pair) bank() (start, error) {
	secrets, err := sandbox.LoadSecrets(p.data, sandbox.Name)
	if err != nil {
		return start{}, err
	}
	url := "http://" + p.ports["bank"]
	entry := providerFile{Name: sandbox.Name, URL: url, Secret: secrets.API.Reveal()}
	for _, w := range secrets.Webhook {
		entry.WebhookSecrets = append(entry.WebhookSecrets, w.Reveal())
	}
	raw, err := json.Marshal([]providerFile{entry}) //nolint:gosec // a file that only its owner may read
	if err != nil {
		return start{}, err
	}
	webhooks := "http://" + p.ports["edge "+pairRegions[0]] + "/v1/webhooks/payments/" + sandbox.Name
	return start{"bank", "", []string{"sandbox", "--addr", p.ports["bank"], "--data", p.data, "--public-url", url, "--webhook-url", webhooks}},
		os.WriteFile(p.providers(), raw, 0o600)
}

func (p *pair) providers() string { return filepath.Join(p.data, "providers.json") }

// nats is a region's NATS server: a JetStream domain of its own, a leaf node between the two.
func (p *pair) nats(region string) (start, error) {
	leaf := "leafnodes { listen: \"" + p.ports["leaf"] + "\" }"
	if region != pairRegions[0] {
		leaf = "leafnodes { reconnect: 1, remotes: [ { url: \"nats-leaf://" + p.ports["leaf"] + "\" } ] }"
	}
	conf := fmt.Sprintf("server_name: %s\nlisten: %q\njetstream { domain: %s, store_dir: %q, max_file_store: 4GB }\n%s\n",
		region, p.ports["nats "+region], region, filepath.Join(p.data, "nats-"+region), leaf)
	path := filepath.Join(p.data, "nats-"+region+".conf")
	return start{"nats " + region, region, []string{"nats", "--config", path}}, os.WriteFile(path, []byte(conf), 0o600)
}

func (p *pair) roles(region, roles string, more ...string) start {
	args := []string{
		"serve", "--roles", roles, "--region", region, "--nats", "nats://" + p.ports["nats "+region], "--nats-regions", "east=east,west=west",
		"--database", p.database, "--data", filepath.Join(p.data, region), "--providers", p.providers(), "--dev-secret", p.file.DevSecret,
	}
	name, _, _ := strings.Cut(roles, ",")
	return start{name + " " + region, region, append(args, more...)}
}

// edge prefers its region and knows both.
func (p *pair) edge(region string) start {
	other := pairRegions[0]
	if other == region {
		other = pairRegions[1]
	}
	both := func(what string) string {
		return region + "=http://" + p.ports[what+" "+region] + "," + other + "=http://" + p.ports[what+" "+other]
	}
	return start{"edge " + region, "", []string{
		"serve", "--roles", "edge", "--addr", p.ports["edge "+region], "--data", filepath.Join(p.data, "edge-"+region),
		"--api-url", both("api"), "--gateway-url", both("gateway"), "--metrics-addr", p.ports["status "+region],
	}}
}
