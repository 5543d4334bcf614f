package chaos_test

import (
	"context"
	"encoding/gob"
	"io"
	"log/slog"
	"net"
	"net/rpc"
	"os"
	"path/filepath"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/db"
)

// engineConfig is what an engine process is told when it starts.
type engineConfig struct {
	URL    string        // of the database, through this process's proxy
	Socket string        // where it answers
	Peer   string        // where the other process answers: committed changes are told to it
	Ahead  time.Duration // how wrong its clock is
	Sweep  bool
	Log    bool
}

// Ask is one command for an engine process, and Reply what became of it.
type Ask struct {
	Event   id.ID
	Command inventory.Command
	Wait    time.Duration // the caller leaves after
}

type Reply struct {
	Out  inventory.Outcome // without its error
	Code fault.Code        // "" when done
	Text string
}

func init() { //nolint:gochecknoinits // gob's registry is global
	for _, c := range []any{
		inventory.PlaceHold{}, inventory.Release{}, inventory.Extend{}, inventory.StartPayment{},
		inventory.EndAttempt{}, inventory.Sell{}, inventory.Return{}, inventory.Resolve{}, inventory.Expire{},
		inventory.Block{}, inventory.Unblock{}, inventory.Allocate{},
	} {
		gob.Register(c)
	}
}

// Engine is the service of an engine process.
type Engine struct{ inv *inventory.Inventory }

// Do runs a command.
func (e *Engine) Do(ask Ask, reply *Reply) error {
	ctx, cancel := context.WithTimeout(context.Background(), ask.Wait)
	defer cancel()
	out, err := e.inv.Do(ctx, ask.Event, ask.Command)
	*reply = replyOf(out, err)
	return nil
}

func replyOf(out inventory.Outcome, err error) Reply {
	out.Err = nil
	r := Reply{Out: out, Code: fault.CodeOf(err)}
	if err != nil {
		r.Text = err.Error()
	}
	return r
}

// Apply takes what the other process has committed.
func (e *Engine) Apply(d inventory.Delta, _ *struct{}) error {
	e.inv.Apply(d)
	return nil
}

// runEngine is an engine process. It ends when its parent does, however that ends.
func runEngine(conf engineConfig) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = os.RemoveAll(filepath.Dir(conf.Socket)) // nobody else does it any more
		os.Exit(0)
	}()
	var d *db.DB
	var store *db.InventoryStore
	err := patiently(func() (err error) {
		if d, err = db.Open(context.Background(), conf.URL, db.Options{MaxConns: 6}); err != nil {
			return err
		}
		store, err = db.OpenInventory(context.Background(), d, 0)
		return err
	})
	if err != nil {
		return err
	}
	opts := inventory.Options{Sweep: conf.Sweep, Now: func() time.Time { return time.Now().Add(conf.Ahead) }}
	if conf.Log {
		opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	inv := inventory.New(store, db.NewCatalog(d), &peer{socket: conf.Peer}, opts)
	if err := inv.Start(context.Background()); err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.Register(&Engine{inv}); err != nil {
		return err
	}
	_ = os.Remove(conf.Socket) // of the process before, which was killed
	listener, err := net.Listen("unix", conf.Socket)
	if err != nil {
		return err
	}
	_, _ = os.Stdout.WriteString("ready\n")
	server.Accept(listener)
	return nil
}

// patiently tries again for a while: the database may be starting, or the proxy in a bad mood.
func patiently(do func() error) (err error) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = do(); err == nil {
			return nil
		}
	}
	return err
}

// peer tells the other process what was committed here, as the stream does.
type peer struct {
	socket string
	mu     sync.Mutex
	client *rpc.Client
}

// Publish is inventory.Publisher's.
func (p *peer) Publish(ctx context.Context, d inventory.Delta, _ []byte) error {
	if p.socket == "" {
		return nil
	}
	client, err := p.dial()
	if err != nil {
		return err
	}
	select {
	case call := <-client.Go("Engine.Apply", d, &struct{}{}, nil).Done:
		if call.Error != nil {
			p.drop(client)
		}
		return call.Error
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *peer) dial() (*rpc.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client != nil {
		return p.client, nil
	}
	client, err := rpc.Dial("unix", p.socket)
	p.client = client
	return client, err
}

func (p *peer) drop(client *rpc.Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client == client {
		client.Close()
		p.client = nil
	}
}
