package natsd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ClusterOptions describe servers of one cluster on one machine.
type ClusterOptions struct {
	Dir    string // each server has a folder of its own in it
	Name   string // of the cluster; the servers are name-1, name-2, …
	Size   int    // 0: 3
	Leaves Leaves // Listen: any address on the interface to listen at; the servers choose ports
	// Server is what is the same at each: Domain, Logger, MaxStore, User, Password, TLS.
	Server Options
}

// Cluster is the servers of one JetStream cluster in this process: for tests,
// rehearsals and installations of one machine. Each server can be stopped and
// started again at the same addresses. Safe for concurrent use.
type Cluster struct {
	options []Options

	mu      sync.Mutex
	servers []*Server // nil: stopped
}

// StartCluster starts all servers and waits until they have elected a leader.
func StartCluster(ctx context.Context, o ClusterOptions) (*Cluster, error) {
	var err error
	for range 3 { // a port can be taken between choosing and listening
		c := &Cluster{}
		if c.options, err = o.Members(); err != nil {
			return nil, err
		}
		c.servers = make([]*Server, len(c.options))
		if err = c.StartAll(ctx); err == nil {
			return c, nil
		}
		err = errors.Join(err, c.Stop(context.WithoutCancel(ctx)))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// Members gives each server its name, folder and addresses: for servers that run in processes of their own.
func (o ClusterOptions) Members() ([]Options, error) {
	o.Size = cmp.Or(o.Size, 3)
	all, routes := make([]Options, o.Size), make([]string, o.Size)
	for i := range all {
		m := o.Server
		m.Name = fmt.Sprintf("%s-%d", o.Name, i+1)
		m.Dir = filepath.Join(o.Dir, m.Name)
		m.Peers = &Peers{Cluster: o.Name}
		m.Leaves = o.Leaves
		for _, address := range []*string{&m.Listen, &m.Peers.Listen, &m.Leaves.Listen} {
			if address == &m.Leaves.Listen && *address == "" {
				continue
			}
			var err error
			if *address, err = FreeAddr(); err != nil {
				return nil, err
			}
		}
		all[i], routes[i] = m, m.Peers.Listen
	}
	for i := range all {
		all[i].Peers.Routes = routes
	}
	if o.Size == 1 {
		all[0].Peers = nil // nobody to agree with
	}
	return all, nil
}

// Size is how many servers there are, running or not.
func (c *Cluster) Size() int { return len(c.options) }

// URL is the addresses of all servers for clients, separated by commas.
func (c *Cluster) URL() string {
	scheme := "nats"
	if c.options[0].TLS != nil {
		scheme = "tls"
	}
	urls := make([]string, len(c.options))
	for i, o := range c.options {
		urls[i] = scheme + "://" + o.Listen
	}
	return strings.Join(urls, ",")
}

// LeafAddrs are the addresses for another cluster's Leaves.Dial; empty without Leaves.Listen.
func (c *Cluster) LeafAddrs() []string {
	var all []string
	for _, o := range c.options {
		if o.Leaves.Listen != "" {
			all = append(all, o.Leaves.Listen)
		}
	}
	return all
}

// Server returns the running server with an index; nil when it is stopped.
func (c *Cluster) Server(i int) *Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servers[i]
}

// Start starts one server that is stopped, on what it left behind.
func (c *Cluster) Start(ctx context.Context, i int) error {
	if c.Server(i) != nil {
		return nil
	}
	s, err := Start(ctx, c.options[i])
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.servers[i] = s
	return nil
}

// StopOne stops one server; the others notice by themselves.
func (c *Cluster) StopOne(ctx context.Context, i int) error {
	c.mu.Lock()
	s := c.servers[i]
	c.servers[i] = nil
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.Stop(ctx)
}

// StartAll starts what is stopped, together, and waits for a leader.
func (c *Cluster) StartAll(ctx context.Context) error {
	faults := make([]error, len(c.options))
	var all sync.WaitGroup
	for i := range c.options {
		all.Go(func() { faults[i] = c.Start(ctx, i) })
	}
	all.Wait()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return c.WaitLeader(ctx)
}

// Stop stops all servers. It may be called again.
func (c *Cluster) Stop(ctx context.Context) error {
	faults := make([]error, len(c.options))
	var all sync.WaitGroup
	for i := range c.options {
		all.Go(func() { faults[i] = c.StopOne(ctx, i) })
	}
	all.Wait()
	return errors.Join(faults...)
}

// WaitLeader waits until JetStream has a leader that all running servers follow.
func (c *Cluster) WaitLeader(ctx context.Context) error {
	for {
		if c.settled() {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("natsd: no leader of JetStream: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *Cluster) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	leaders := 0
	for _, s := range c.servers {
		if s == nil {
			continue
		}
		if !s.nats.JetStreamIsCurrent() {
			return false
		}
		if s.nats.JetStreamIsLeader() {
			leaders++
		}
	}
	return leaders == 1 || len(c.servers) == 1
}

// Leader is the index of the server that leads a stream; -1 when none does just now.
func (c *Cluster) Leader(stream string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.servers {
		if s != nil && s.nats.JetStreamIsStreamLeader(account, stream) {
			return i
		}
	}
	return -1
}

// MoveLeader makes a stream's leader step down, so that another server leads it soon.
func (c *Cluster) MoveLeader(stream string) error {
	i := c.Leader(stream)
	if i < 0 {
		return fmt.Errorf("natsd: nobody leads %s", stream)
	}
	s := c.Server(i)
	if s == nil {
		return nil // gone meanwhile: it has moved
	}
	return s.nats.JetStreamStepdownStream(account, stream)
}

// account is where everything lives as long as no accounts are configured.
const account = "$G"

// FreeAddr returns a loopback address that nobody listens at. It lies below the
// ports that systems give to outgoing connections, so that it stays free while its
// server is restarted. On Linux nobody else is told the same one while this process lives: between
// the answer and the listener seconds may pass, in which other processes ask, too.
func FreeAddr() (string, error) {
	for range 100 {
		port := 20_000 + rand.IntN(12_000) //nolint:gosec // no secret
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		l, err := net.Listen("tcp", address) //nolint:noctx // closed at once
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return "", err
		}
		if reserve(port) {
			return address, nil
		}
	}
	return "", errors.New("natsd: no free port between 20000 and 32000")
}
