package checkout_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/notice"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/secret"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/payments/sandbox"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"))
}

// shop is everything between a fan and the money, on a real database and a real
// provider behind real HTTP. Its clock, and the provider's, can be moved forward.
type shop struct {
	*checkout.Service                                  // the one that was opened last
	serving           atomic.Pointer[checkout.Service] // the one that requests go to
	t                 *testing.T
	d                 *db.DB
	orders            *db.Orders
	inv               *inventory.Inventory
	event             event.Event
	provider          *sandbox.Provider
	bank              *sandbox.Server
	ahead             atomic.Int64 // nanoseconds
	// trouble, when set, may answer a request to the provider itself; it gets the real thing as next.
	trouble atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
	front   *httptest.Server // the provider's door
	hooks   *httptest.Server // where webhooks arrive
	deaf    atomic.Bool      // webhooks are lost on the way
	heard   atomic.Int64     // webhooks that arrived
	log     *slog.Logger
	tell    notice.Teller
	slowFor time.Duration // from "slow" to captured; 0: 300 ms
}

func openShop(t *testing.T) *shop {
	t.Parallel() // each has its own of everything, and mostly waits
	return openShopOf(t, 4)
}

// openShopOf has a hall with so many seats.
func openShopOf(t *testing.T, seats int) *shop {
	t.Helper()
	s := openShopWith(t, seats, event.DefaultRules())
	s.openBank()
	s.openService()
	return s
}

// openShopTelling has four seats and somebody who listens to what owners are told.
func openShopTelling(t *testing.T, tell notice.Teller) *shop {
	t.Helper()
	t.Parallel()
	s := openShopWith(t, 4, event.DefaultRules())
	s.tell = tell
	s.openBank()
	s.openService()
	return s
}

// openShopWith has rules of its own, and no bank or service yet.
func openShopWith(t *testing.T, seats int, rules event.Rules) *shop {
	t.Helper()
	s := &shop{t: t, d: dbtest.New(t), log: slog.New(slog.DiscardHandler)}
	if testing.Verbose() {
		s.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	t.Cleanup(s.verify) // when everything has stopped
	s.orders = db.NewOrders(s.d)
	s.openInventory(seats, rules)
	return s
}

// verify asks the database for what may never happen, whatever the test did: seats, tickets, money and its book.
func (s *shop) verify() {
	report, err := s.d.Verify(context.Background(), s.event.ID, db.VerifyOptions{Stopped: true})
	if err != nil {
		s.t.Errorf("verify: %v", err)
	}
	for _, v := range report.Violations {
		s.t.Error(v)
	}
}

func (s *shop) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *shop) openInventory(seats int, rules event.Rules) {
	s.t.Helper()
	row := seatmap.RowSpec{Label: "1"}
	for n := range seats {
		row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(n + 1), X: float32(n)})
	}
	catalog := db.NewCatalog(s.d)
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}},
		Sections: []seatmap.SectionSpec{{Label: "A", Rows: []seatmap.RowSpec{row}}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := catalog.PutChart(s.t.Context(), chart); err != nil {
		s.t.Fatal(err)
	}
	start := time.Now().Add(240 * time.Hour).UTC().Truncate(time.Millisecond)
	s.event, err = catalog.CreateEvent(s.t.Context(), event.Event{
		ID: id.New(), Title: "Show", Venue: event.Venue{Name: "Hall", City: "Recife", Country: "BR"}, Genre: "forró", TimeZone: "America/Recife",
		Currency: "BRL", HomeRegion: "sa-east", StartsAt: start, OnSaleAt: start.Add(-264 * time.Hour), State: event.OnSale,
		ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{18000}, Rules: rules,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	store, err := db.OpenInventory(s.t.Context(), s.d, 4)
	if err != nil {
		s.t.Fatal(err)
	}
	s.inv = inventory.New(store, catalog, nil, inventory.Options{Logger: s.log, Patience: time.Minute})
	if err := s.inv.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := s.inv.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
		store.Close()
	})
}

func (s *shop) openBank() {
	s.t.Helper()
	secrets := sandbox.Secrets{API: secret.New("sk"), Webhook: []secret.Text{secret.New("wh")}}
	s.hooks = httptest.NewServer(http.HandlerFunc(s.hook))
	s.t.Cleanup(s.hooks.Close)
	var err error
	s.bank, err = sandbox.NewServer(sandbox.Options{
		Secrets: secrets, WebhookURL: s.hooks.URL, Clock: s.now, SlowFor: cmp.Or(s.slowFor, 300*time.Millisecond), Logger: s.log,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.bank.Start(s.t.Context(), ""); err != nil {
		s.t.Fatal(err)
	}
	s.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if trouble := s.trouble.Load(); trouble != nil {
			(*trouble)(w, r, s.bank.Handler())
			return
		}
		s.bank.Handler().ServeHTTP(w, r)
	}))
	s.provider = sandbox.NewProvider(sandbox.ProviderOptions{BaseURL: s.front.URL, Secrets: secrets, Timeout: 2 * time.Second, Clock: s.now})
	s.t.Cleanup(func() {
		s.provider.Close()
		s.front.Close()
		if err := s.bank.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
	})
}

// hook is the webhook route.
func (s *shop) hook(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if s.deaf.Load() {
		w.WriteHeader(http.StatusNoContent) // the network took it, nobody got it
		return
	}
	s.heard.Add(1)
	if err := s.current().Receive(r.Context(), sandbox.Name, r.Header, body); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *shop) newService() *checkout.Service {
	s.t.Helper()
	svc, err := checkout.New(s.orders, s.inv, checkout.Options{
		Providers: []payment.Provider{s.provider}, Clock: s.now, Every: 50 * time.Millisecond, CallTimeout: 3 * time.Second, Logger: s.log, Tell: s.tell,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return svc
}

func (s *shop) openService() {
	s.t.Helper()
	s.Service = s.newService()
	s.serving.Store(s.Service)
	if err := s.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	svc := s.Service
	s.t.Cleanup(func() {
		if err := svc.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
	})
}

func (s *shop) current() *checkout.Service { return s.serving.Load() }

// fail lets trouble answer the provider's requests; nil ends it.
func (s *shop) fail(trouble func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	if trouble == nil {
		s.trouble.Store(nil)
		return
	}
	s.trouble.Store(&trouble)
}

// down is a provider that answers nobody, except fans on its page.
func down(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if len(r.URL.Path) > 12 && r.URL.Path[:13] == "/sandbox/pay/" {
		next.ServeHTTP(w, r)
		return
	}
	http.Error(w, "down", http.StatusServiceUnavailable)
}

// fan is somebody with a hold.
type fan struct {
	*shop
	id   id.ID
	hold id.ID
	keys int
}

func (s *shop) fan(seats ...seatmap.Ordinal) *fan {
	s.t.Helper()
	f := &fan{shop: s, id: id.New()}
	out, err := s.inv.Do(s.t.Context(), s.event.ID, inventory.PlaceHold{
		Hold: id.New(), Account: f.id, Seats: seats, Idempotency: inventory.Idempotency{Key: id.New().String()},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	f.hold = out.Hold.ID
	return f
}

func (f *fan) key() inventory.Idempotency {
	f.keys++
	return inventory.Idempotency{Key: fmt.Sprint("key ", f.keys), BodyHash: [32]byte{byte(f.keys)}}
}

// order places the order and waits until it can be paid.
func (f *fan) order() order.Order {
	f.t.Helper()
	o, err := f.Place(f.t.Context(), f.id, f.hold, f.key())
	if err != nil {
		f.t.Fatal(err)
	}
	if o.Status != order.PendingPayment {
		f.t.Fatalf("placed as %s", o.Status)
	}
	return o
}

// press waits for the newest attempt's pay page and presses a button there.
func (f *fan) press(o order.Order, outcome string) payment.Attempt {
	f.t.Helper()
	var a payment.Attempt
	eventually(f.t, "the payment can be made", func() bool {
		a = f.attempt(o)
		return a.Status == payment.Pending
	})
	if outcome != "nothing yet" {
		f.pressOn(a.ActionURL, outcome)
	}
	return a
}

func (s *shop) pressOn(actionURL, outcome string) {
	s.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.PostForm(s.front.URL+actionURL, map[string][]string{"decision": {outcome}})
	if err != nil {
		s.t.Error(err)
		return
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		s.t.Errorf("pressing %s answered %s", outcome, resp.Status)
	}
}

func (f *fan) attempt(o order.Order) payment.Attempt {
	f.t.Helper()
	d, err := f.Find(f.t.Context(), f.id, o.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	return *d.Attempt
}

// becomes waits for the order's status and checks that money, tickets and seats agree with it.
func (f *fan) becomes(o order.Order, want order.Status) checkout.Details {
	f.t.Helper()
	var d checkout.Details
	eventually(f.t, fmt.Sprintf("the order is %s", want), func() bool {
		var err error
		if d, err = f.Find(f.t.Context(), f.id, o.ID); err != nil {
			f.t.Fatal(err)
		}
		return d.Order.Status == want
	})
	f.balanced()
	return d
}

func moneyBRL(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "BRL"} }

// listStart asks for the newest orders.
var listStart checkout.Position

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
