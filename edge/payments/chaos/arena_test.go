package chaos_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/clocktest"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/payments/sandbox"
)

// rate of every fault.
const rate = 0.05

// faultPause is how late webhooks are. Late money comes twenty of it after a payment's end.
const faultPause = 1500 * time.Millisecond

// payWindow is how long a fan has; expire is far enough ahead that a wave's payments have ended, and its late money
// has not come yet, so that their seats can be sold to others.
const (
	payWindow = 75 * time.Second
	expire    = 80 * time.Second
)

// arena is the whole stage: a database, two banks, the checkout process between them and the fans.
type arena struct {
	t       *testing.T
	seed    uint64
	truth   *db.DB
	halls   []*hall
	clock   clocktest.Clock // the banks'
	banks   []*bank
	process *process
	ambush  *ambush
	browser *http.Client
	report  report

	placed atomic.Int64 // orders
	target atomic.Int64
	fatal  chan error
}

// hall is an event and what of it is free, as a map would show.
type hall struct {
	event event.Event
	mu    sync.Mutex
	free  []seatmap.Ordinal
}

func openArena(t *testing.T, seed uint64, seats int) *arena {
	t.Helper()
	url := dbtest.URL(t)
	a := &arena{
		t: t, seed: seed, truth: dbtest.Open(t, url, db.Options{MaxConns: 4}), fatal: make(chan error, 1),
		process: &process{http: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}},
		browser: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 256},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	t.Cleanup(a.browser.CloseIdleConnections)
	cat := db.NewCatalog(a.truth)
	for _, order := range [][]string{{"sandbox", "sandbox2"}, {"sandbox2", "sandbox"}} {
		h := &hall{event: dbtest.OnSale(t, cat, dbtest.Hall(t, id.New(), 1, max(1, seats/100), 50))}
		a.rule(h.event.ID, order)
		a.halls = append(a.halls, h)
	}
	hooks := httptest.NewServer(http.HandlerFunc(a.process.hear))
	t.Cleanup(hooks.Close)
	a.ambush = &ambush{}
	for i, name := range []string{"sandbox", "sandbox2"} {
		script := sandbox.Script{Seed: seed + uint64(i), Rate: rate, PauseMS: int(faultPause.Milliseconds())}
		b := openBank(t, name, hooks.URL, &a.clock, script, a.ambush)
		a.banks = append(a.banks, b)
		a.process.conf.Banks = append(a.process.conf.Banks, b.config())
	}
	a.process.conf.URL, a.process.conf.Log = url, os.Getenv("PLATEIA_CHAOS_LOG") != ""
	t.Cleanup(a.process.kill)
	if err := a.process.spawn(); err != nil {
		t.Fatal(err)
	}
	return a
}

// rule makes payments short, and takes tickets back in full.
func (a *arena) rule(event id.ID, providers []string) {
	rules := rulesOf(providers)
	text, err := json.Marshal(rules)
	if err == nil {
		_, err = a.truth.Pool().Exec(a.t.Context(), "update event set rules = $2, starts_at = starts_at + interval '30 days' where event_id = $1", [16]byte(event), text)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

func rulesOf(providers []string) event.Rules {
	rules := event.DefaultRules()
	rules.PaySeconds, rules.PayMarginSeconds, rules.HoldSeconds, rules.HoldMaxSeconds = int(payWindow/time.Second), 5, 120, 600
	rules.Fees = []event.Fee{{Name: "service", Percent: 1000}, {Name: "handling", PerOrder: 207}}
	rules.TaxPercent, rules.Providers = 700, providers
	rules.Refund = &event.Refunds{UntilSeconds: 48 * 3600}
	return rules
}

// watch keeps the maps that fans look at.
func (a *arena) watch(ctx context.Context) {
	for ctx.Err() == nil {
		for _, h := range a.halls {
			if free, err := a.look(ctx, h); err == nil {
				h.mu.Lock()
				h.free = free
				h.mu.Unlock()
			}
		}
		pause(ctx, 250*time.Millisecond)
	}
}

func (a *arena) look(ctx context.Context, h *hall) (free []seatmap.Ordinal, err error) {
	rows, err := a.truth.Pool().Query(ctx, `select ordinal from seat where event_id = $1 and status = 0 order by ordinal`, [16]byte(h.event.ID))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var ordinal int64
		if err := rows.Scan(&ordinal); err != nil {
			return nil, err
		}
		free = append(free, seatmap.Ordinal(ordinal))
	}
	return free, rows.Err()
}

// choose is up to n free neighbours, where the map shows some.
func (a *arena) choose(draw *rand.Rand, h *hall, n int) []seatmap.Ordinal {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.free) == 0 {
		return nil
	}
	from := draw.IntN(len(h.free))
	if draw.IntN(8) == 0 {
		from = 0 // where everybody wants to sit
	}
	return append([]seatmap.Ordinal(nil), h.free[from:min(from+n, len(h.free))]...)
}

// pageURL is where a bank's page is.
func (a *arena) pageURL(path string) string {
	for _, b := range a.banks {
		if strings.HasPrefix(path, "/"+b.name+"/") {
			return b.door.URL + path
		}
	}
	return path
}

// setAhead moves every clock but the database's.
func (a *arena) setAhead(ctx context.Context, d time.Duration) {
	for range 100 {
		if err := a.process.setAhead(ctx, d); err == nil || ctx.Err() != nil {
			break
		}
		pause(ctx, 100*time.Millisecond)
	}
	a.clock.SetAhead(d)
}

// count is a number from the database.
func (a *arena) count(sql string, args ...any) int {
	a.t.Helper()
	var n int
	if err := a.truth.Pool().QueryRow(a.t.Context(), sql, args...).Scan(&n); err != nil {
		a.t.Fatal(err)
	}
	return n
}
