package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/db/dbtest/wireproxy"
	"plateia/db/privatepg"
)

// clockAhead is how wrong the second process's clock is.
const clockAhead = 90 * time.Second

// arena is the whole stage of a chaos run: one database, two engine processes behind
// a proxy each, and what is known of the sale.
type arena struct {
	t         *testing.T
	seed      uint64
	url       string // of the database, directly
	server    *privatepg.Server
	truth     *db.DB
	show      event.Event // what is sold out
	side      event.Event // where holds are only abandoned
	seats     int
	proxies   [2]*wireproxy.Proxy
	processes [2]*process
	ledger    ledger
	report    report

	mu     sync.Mutex
	free   []seatmap.Ordinal // as a map would show
	unsold atomic.Int64
	over   chan struct{}
	hurry  chan struct{} // closed: the storm has done its duty, the last seats may go
}

func openArena(t *testing.T, seed uint64, rows, perRow int) *arena {
	t.Helper()
	a := &arena{t: t, seed: seed, seats: rows * perRow, over: make(chan struct{}), hurry: make(chan struct{})}
	a.unsold.Store(int64(a.seats))
	a.openDatabase()
	cat := db.NewCatalog(a.truth)
	a.show = dbtest.OnSale(t, cat, dbtest.Hall(t, id.New(), 1, rows, perRow))
	a.side = dbtest.OnSale(t, cat, dbtest.Hall(t, id.New(), 1, 4, 10))
	a.shortHolds()
	a.openProcesses()
	return a
}

// openDatabase prefers a server of our own, which can be restarted; its commits survive a crash.
func (a *arena) openDatabase() {
	if os.Getenv("PLATEIA_TEST_DSN") != "" || os.Getenv("COCKROACH_BINARY") != "" {
		a.url = dbtest.URL(a.t)
		a.t.Log("the database is not ours: it is not restarted in this run")
	} else {
		a.openPrivate()
	}
	a.truth = dbtest.Open(a.t, a.url, db.Options{MaxConns: 4})
	if a.server == nil {
		return
	}
	if _, err := a.truth.Up(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) openPrivate() {
	dbtest.NeedServer(a.t)
	dir, err := os.MkdirTemp("", "plateia-chaos-")
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // the server runs as another user and must reach its own folder
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.server, err = privatepg.Start(a.t.Context(), privatepg.Options{
		Dir: dir, Throwaway: true, Settings: map[string]string{"synchronous_commit": "on"},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		if err := a.server.Stop(context.Background()); err != nil {
			a.t.Error(err)
		}
	})
	a.url = a.server.URL(privatepg.Database)
}

// holdLife is short, so that abandoned holds come back during the run.
const holdLife = 4 * time.Second

func (a *arena) shortHolds() {
	rules := event.DefaultRules()
	rules.HoldSeconds, rules.HoldMaxSeconds, rules.PaySeconds, rules.PayMarginSeconds = int(holdLife/time.Second), 240, 60, 5
	text, err := json.Marshal(rules)
	if err == nil {
		_, err = a.truth.Pool().Exec(a.t.Context(), "update event set rules = $1", text)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) openProcesses() {
	folder := socketFolder(a.t)
	socket := func(i int) string { return filepath.Join(folder, fmt.Sprint("engine", i)) }
	for i := range a.processes {
		listen := func() (*wireproxy.Proxy, error) { return wireproxy.TCP(a.url) }
		if i == 1 {
			listen = func() (*wireproxy.Proxy, error) { return wireproxy.Unix(a.url, folder) }
		}
		proxy, err := listen()
		if err != nil {
			a.t.Fatal(err)
		}
		a.t.Cleanup(proxy.Close)
		a.proxies[i] = proxy
		a.processes[i] = &process{conf: engineConfig{
			URL: proxy.URL(), Socket: socket(i), Peer: socket(1 - i), Sweep: true, Ahead: time.Duration(i) * clockAhead,
			Log: os.Getenv("PLATEIA_CHAOS_LOG") != "",
		}}
		a.t.Cleanup(a.processes[i].kill)
		if err := a.processes[i].spawn(); err != nil {
			a.t.Fatal(err)
		}
	}
}

// watch keeps the map that fans look at, and sees how long dead holds keep their seats, until the last seat is sold.
func (a *arena) watch(ctx context.Context) {
	tick := time.NewTicker(150 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if free, unsold, err := a.look(ctx); err == nil {
			a.mu.Lock()
			a.free = free
			a.mu.Unlock()
			if a.unsold.Store(int64(unsold)); unsold == 0 {
				close(a.over)
				return
			}
		}
		<-tick.C
	}
}

func (a *arena) look(ctx context.Context) (free []seatmap.Ordinal, unsold int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	rows, err := a.truth.Pool().Query(ctx, `select s.ordinal, s.status from seat s where s.event_id = $1 and s.status <> 2 order by s.ordinal`,
		[16]byte(a.show.ID))
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var ordinal, status int64
		if err := rows.Scan(&ordinal, &status); err != nil {
			return nil, 0, err
		}
		if unsold++; status == 0 {
			free = append(free, seatmap.Ordinal(ordinal))
		}
	}
	return free, unsold, rows.Err()
}

func (a *arena) soldOut() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// mayFinish reports whether fans may buy: until the storm has done everything once, the last tenth is only looked at.
func (a *arena) mayFinish() bool {
	select {
	case <-a.hurry:
		return true
	default:
		return a.unsold.Load() > int64(a.seats/10)
	}
}

// choose is up to n free neighbours, where the map shows some.
func (a *arena) choose(draw *rand.Rand, n int) []seatmap.Ordinal {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.free) == 0 {
		return nil
	}
	from := draw.IntN(len(a.free))
	if draw.IntN(8) == 0 {
		from = 0 // where everybody wants to sit
	}
	return append([]seatmap.Ordinal(nil), a.free[from:min(from+n, len(a.free))]...)
}

// calm stops the faults and brings both processes back.
func (a *arena) calm() {
	for _, p := range a.proxies {
		p.Plan(nil)
	}
	for _, p := range a.processes {
		if err := p.ensure(); err != nil {
			a.t.Fatal(err)
		}
	}
}

// stuck places holds that nobody goes on with, and returns the longest that one kept its seats past its end.
func (a *arena) stuck() (longest time.Duration) {
	for i := range 12 {
		command := place(id.New(), "k", seatmap.Ordinal(3*i))
		r, err := a.processes[i%2].do(a.side.ID, command, answerWithin)
		for tries := 0; open(r, err) && tries < 20; tries++ { // lines that the faults broke are noticed when they are used
			time.Sleep(50 * time.Millisecond)
			r, err = a.processes[i%2].do(a.side.ID, command, answerWithin)
		}
		if err != nil || r.Code != "" {
			a.t.Errorf("a quiet hold: %v %s", err, r.Text)
		}
	}
	for deadline := time.Now().Add(holdLife + time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var live int
		var late float64
		err := a.truth.Pool().QueryRow(a.t.Context(), `select count(*), coalesce(max(extract(epoch from now() - expires_at)), 0)::float8
			from hold where state = 1`).Scan(&live, &late)
		if err != nil {
			a.t.Fatal(err)
		}
		if longest = max(longest, time.Duration(late*float64(time.Second))); live == 0 {
			return longest
		}
	}
	a.t.Error("holds are stuck")
	return longest
}
