package db_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/db"
	"plateia/db/dbtest"
)

// What a cutter does to the next COMMIT that passes.
const (
	passCommit int32 = iota
	cutBefore        // the database never sees it
	cutAfter         // the database does it, the answer is lost
	goSilent         // the database does it, the line stays open and says nothing
)

// cutter is a proxy on the PostgreSQL wire. Each COMMIT suffers what next says, once.
type cutter struct {
	listener net.Listener
	network  string
	address  string
	next     atomic.Int32
	cuts     atomic.Int32
	lines    sync.WaitGroup
}

func newCutter(t *testing.T, databaseURL string) (*cutter, string) {
	t.Helper()
	conf, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{}
	c.network, c.address = pgconn.NetworkAddress(conf.Host, conf.Port)
	if c.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.listener.Close(); c.lines.Wait() })
	c.lines.Go(c.accept)
	through := url.URL{Scheme: "postgres", User: url.UserPassword(conf.User, conf.Password), Host: c.listener.Addr().String(),
		Path: "/" + conf.Database, RawQuery: "sslmode=disable"}
	return c, through.String()
}

func (c *cutter) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(c.network, c.address)
		if err != nil {
			client.Close()
			return
		}
		var silent atomic.Bool
		c.lines.Go(func() { c.up(client, server, &silent) })
		c.lines.Go(func() { c.down(client, server, &silent) })
	}
}

var commitMessage = []byte("commit\x00")

// up carries what the client says, and looks for its COMMIT.
func (c *cutter) up(client, server net.Conn, silent *atomic.Bool) {
	defer server.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if n > 0 && buf[0] == 'Q' && bytes.Contains(buf[:n], commitMessage) {
			switch c.next.Swap(passCommit) {
			case cutBefore:
				c.cuts.Add(1)
				client.Close()
				return
			case cutAfter:
				c.cuts.Add(1)
				silent.Store(true)
				_, _ = server.Write(buf[:n])
				time.Sleep(50 * time.Millisecond) // the database has done it
				client.Close()
				return
			case goSilent:
				c.cuts.Add(1)
				silent.Store(true)
			}
		}
		if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// down carries what the server says, unless the line is silent.
func (c *cutter) down(client, server net.Conn, silent *atomic.Bool) {
	defer client.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if silent.Load() {
			_, _ = io.Copy(io.Discard, server)
			return
		}
		if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// TestEveryCommandSurvivesALostCommit cuts the line at COMMIT, in every way, for every command: the
// caller gets the one true answer and the rows say the same.
func TestEveryCommandSurvivesALostCommit(t *testing.T) {
	for mode, how := range map[int32]string{cutBefore: "before", cutAfter: "after", goSilent: "silent"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			direct := dbtest.New(t)
			cut, through := newCutter(t, direct.URL())
			cat := db.NewCatalog(direct)
			e := onSale(t, cat, 2, 10)
			b := anotherBooth(t, dbtest.Open(t, through, db.Options{}), cat, e, func(o *inventory.Options) {
				if mode == goSilent {
					o.Patience = 2500 * time.Millisecond // is waited for each time
				}
			})
			b.refused(fault.NotFound, inventory.Release{Hold: id.New()}) // connects
			wounded := func(command inventory.Command) inventory.Outcome {
				t.Helper()
				if _, sells := command.(inventory.Sell); mode == goSilent && !sells {
					return b.must(command)
				}
				cuts := cut.cuts.Load()
				cut.next.Store(mode)
				out := b.must(command)
				if cut.cuts.Load() != cuts+1 {
					t.Fatalf("%T was not cut", command)
				}
				return out
			}
			fan := id.New()
			h := wounded(place(fan, 0, 1)).Hold
			wounded(inventory.Extend{Account: fan, Hold: h.ID, Idempotency: key("x", 1)})
			pay := inventory.StartPayment{Account: fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox", Idempotency: key("p", 1)}
			paying := wounded(pay)
			wounded(inventory.EndAttempt{Order: pay.Order, Attempt: pay.Attempt, Status: "DECLINED"})
			pay.Again, pay.Attempt, pay.Key = true, id.New(), "p2"
			wounded(pay)
			sold := wounded(inventory.Sell{Order: pay.Order, Attempt: pay.Attempt, Captured: paying.Attempt.Amount})
			if sold.Order.Status != order.Confirmed || len(sold.Tickets) != 2 {
				t.Fatalf("sold: %+v", sold)
			}
			other := wounded(place(fan, 5)).Hold
			wounded(inventory.Release{Account: fan, Hold: other.ID})
			got := fmt.Sprint(b.count("select count(*) from seat where status = 2"), b.count("select count(*) from seat where status = 1"),
				b.count("select count(*) from ticket"), b.count("select sold from buyer"), b.count("select held from buyer"),
				b.count("select count(*) from hold"), b.count("select count(*) from attempt"))
			if got != "2 0 2 2 0 2 2" {
				t.Fatalf("sold, held, tickets, buyer's sold and held, holds, attempts: %s", got)
			}
		})
	}
}
