package wireproxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy carries lines to one database. Its zero plan lets everything pass.
type Proxy struct {
	listener net.Listener
	network  string // of the database
	address  string
	url      string
	plan     atomic.Pointer[Plan]

	mu     sync.Mutex
	lines  map[*line]struct{}
	struck map[string]int
	count  int
	closed bool
	done   chan struct{}
	jobs   sync.WaitGroup
}

// TCP makes a proxy on a free port of the loopback interface in front of the database at databaseURL.
func TCP(databaseURL string) (*Proxy, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return serve(databaseURL, listener, func(conf *pgconn.Config) string {
		u := url.URL{
			Scheme: "postgres", User: url.UserPassword(conf.User, conf.Password), Host: listener.Addr().String(),
			Path: "/" + conf.Database, RawQuery: "sslmode=disable",
		}
		return u.String()
	})
}

const unixPort = 5432 // only names the socket

// Unix makes a proxy on a socket in folder, which the caller removes.
func Unix(databaseURL, folder string) (*Proxy, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", filepath.Join(folder, ".s.PGSQL."+strconv.Itoa(unixPort)))
	if err != nil {
		return nil, err
	}
	return serve(databaseURL, listener, func(conf *pgconn.Config) string {
		q := url.Values{"host": {folder}, "port": {strconv.Itoa(unixPort)}, "sslmode": {"disable"}}
		return "postgres://" + url.UserPassword(conf.User, conf.Password).String() + "@/" + url.PathEscape(conf.Database) + "?" + q.Encode()
	})
}

func serve(databaseURL string, listener net.Listener, through func(*pgconn.Config) string) (*Proxy, error) {
	conf, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		listener.Close()
		return nil, err
	}
	if conf.TLSConfig != nil {
		listener.Close()
		return nil, fmt.Errorf("wireproxy: the line to the database must be plain (sslmode=disable)")
	}
	p := &Proxy{
		listener: listener, url: through(conf),
		lines: map[*line]struct{}{}, struck: map[string]int{}, done: make(chan struct{}),
	}
	p.network, p.address = pgconn.NetworkAddress(conf.Host, conf.Port)
	p.jobs.Go(p.accept)
	return p, nil
}

// URL is the database's, through the proxy.
func (p *Proxy) URL() string { return p.url }

// Plan sets what happens to the statements from now on; nil lets all pass.
func (p *Proxy) Plan(plan Plan) {
	if plan == nil {
		p.plan.Store(nil)
		return
	}
	p.plan.Store(&plan)
}

// Struck counts the faults done so far by their names.
func (p *Proxy) Struck() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.struck)
}

func (p *Proxy) note(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.struck[name]++
}

// Lines is how many lines are open.
func (p *Proxy) Lines() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.lines)
}

// CutAll closes every line, whatever is on it.
func (p *Proxy) CutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.close()
	}
}

// Close stops listening, closes every line and waits for their goroutines.
func (p *Proxy) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.done)
	}
	p.mu.Unlock()
	p.listener.Close()
	p.CutAll()
	p.jobs.Wait()
	if path, ok := p.listener.Addr().(*net.UnixAddr); ok {
		_ = os.Remove(path.Name)
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.jobs.Go(func() { p.carry(client) })
	}
}

// carry serves one line from its first message on.
func (p *Proxy) carry(client net.Conn) {
	defer client.Close()
	l := p.open(client)
	if l == nil {
		return
	}
	defer p.forget(l)
	r := bufio.NewReaderSize(client, 32<<10)
	first, err := l.startup(r)
	if err != nil {
		return
	}
	server, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(context.Background(), p.network, p.address)
	if err != nil {
		return // the program sees a line that ends at once, as from a host whose server is down
	}
	defer server.Close()
	if !l.connected(server) {
		return
	}
	if _, err := server.Write(first); err != nil {
		return
	}
	if l.cancels {
		_, _ = io.Copy(client, server)
		return
	}
	p.jobs.Go(func() { l.down(server) })
	l.up(r, server)
}

func (p *Proxy) open(client net.Conn) *line {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.count++
	l := newLine(p, client, p.count)
	p.lines[l] = struct{}{}
	return l
}

func (p *Proxy) forget(l *line) {
	l.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.lines, l)
}

// fate asks the plan.
func (p *Proxy) fate(s Statement) *Fault {
	plan := p.plan.Load()
	if plan == nil {
		return nil
	}
	f := (*plan)(s)
	if f != nil {
		p.note(f.Name(s.Kind))
	}
	return f
}

// pause waits, unless the proxy ends first.
func (p *Proxy) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.done:
	}
}
