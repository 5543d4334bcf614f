package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/queue"
	"plateia/core/seatmap"
	"plateia/core/secret"
	"plateia/db/dbtest"
	"plateia/edge/payments/sandbox"
	"plateia/realtime/natsd"
	"plateia/waitingroom/frontier"
)

// bankFront is a sandbox provider that can be slow or dead.
type bankFront struct {
	*httptest.Server
	bank *sandbox.Server
	dead atomic.Bool
	slow atomic.Int64 // nanoseconds before each answer, by the pulse
}

const (
	bankKey  = "a secret of the bank's API"
	bankHook = "a secret of the bank's hooks"
)

// refuse closes its port for good.
func (b *bankFront) refuse() {
	_ = b.Listener.Close()
	b.CloseClientConnections()
}

func openBank(t *testing.T, p *pulse, name, api string) *bankFront {
	t.Helper()
	b := &bankFront{}
	var err error
	b.bank, err = sandbox.NewServer(sandbox.Options{
		Name: name, WebhookURL: "http://" + api + "/v1/webhooks/payments/" + name,
		Secrets: sandbox.Secrets{API: secret.New(bankKey), Webhook: []secret.Text{secret.New(bankHook)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.bank.Start(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	b.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.dead.Load() {
			panic(http.ErrAbortHandler) // the line is cut
		}
		for began := p.now(); p.since(began) < time.Duration(b.slow.Load()); { // no longer than the weather lasts
			time.Sleep(beat)
		}
		b.bank.Handler().ServeHTTP(w, r)
	}))
	b.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	_ = b.Listener.Close()
	if b.Listener, err = net.Listen("tcp", freeAddr(t)); err != nil { // where nobody else listens once it refuses
		t.Fatal(err)
	}
	b.Start()
	t.Cleanup(func() {
		b.slow.Store(0)
		b.Close()
		if err := b.bank.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// sale is two processes and two providers: one sells, the other only runs the door.
type sale struct {
	t             *testing.T
	seller, door  *house // door leads the waiting rooms
	first, second *bankFront
	event         event.Event
	seat          atomic.Int64
	pulse         *pulse // by which promises are measured
}

func openSale(t *testing.T, change ...func(*event.Rules)) *sale {
	t.Helper()
	return openSaleAt(t, 0, change...)
}

// openSaleAt is a sale whose calls to providers are given up after so long; 0: as by default.
func openSaleAt(t *testing.T, timeout time.Duration, change ...func(*event.Rules)) *sale {
	t.Helper()
	if testing.Short() {
		t.Skip("runs two processes' worth of the program")
	}
	s := &sale{t: t, pulse: takePulse(t)}
	databaseURL, nats := dbtest.URL(t), natsConfig{urls: openNATS(t)}
	api := freeAddr(t) // that the banks can be told beforehand
	s.first, s.second = openBank(t, s.pulse, "sandbox", api), openBank(t, s.pulse, "sandbox2", api)
	at := func(name string, b *bankFront) providerConfig {
		return providerConfig{name: name, url: b.URL, key: secret.New(bankKey), webhooks: []secret.Text{secret.New(bankHook)}}
	}
	s.seller = s.open(config{
		roles: []string{"api", "sweeper"}, apiAddr: api, databaseURL: databaseURL, nats: nats, paymentTimeout: timeout,
		providers: []providerConfig{at("sandbox", s.first), at("sandbox2", s.second)},
	})
	s.door = s.open(config{roles: []string{"admitter"}, databaseURL: databaseURL, nats: nats})
	s.sell(change)
	return s
}

// freeAddr is an address that nobody else is given, and no outgoing connection takes.
func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := natsd.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// openNATS starts a server for several processes.
func openNATS(t *testing.T) (url string) {
	t.Helper()
	server, err := natsd.Start(t.Context(), natsd.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", MaxStore: 8 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return server.URL()
}

func (s *sale) open(cfg config) *house {
	s.t.Helper()
	cfg.data, cfg.stopTimeout = s.t.TempDir(), 30*time.Second
	level := slog.LevelError + 8
	if testing.Verbose() {
		level = slog.LevelInfo
	}
	h, err := open(s.t.Context(), cfg, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := h.close(); err != nil {
			s.t.Error(err)
		}
	})
	return h
}

// hallRows, of 1,000 seats each, are more than a crowd takes while a slow machine takes a minute for each step of a test.
const hallRows = 6

// sell puts a hall on sale, with room for one fan at a time.
func (s *sale) sell(change []func(*event.Rules)) {
	s.t.Helper()
	section := seatmap.SectionSpec{Label: "A"}
	for r := range hallRows {
		row := seatmap.RowSpec{Label: fmt.Sprint(r + 1)}
		for n := range 1000 {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(n + 1), X: float32(n), Y: float32(r)})
		}
		section.Rows = append(section.Rows, row)
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}},
		Sections: []seatmap.SectionSpec{section},
	})
	if err == nil {
		err = s.seller.catalog.PutChart(s.t.Context(), chart)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	rules := event.DefaultRules()
	rules.Inside, rules.OrphanMode = 1, event.OrphanOff
	for _, c := range change {
		c(&rules)
	}
	start := time.Now().Add(240 * time.Hour).UTC().Truncate(time.Millisecond)
	s.event, err = s.seller.catalog.CreateEvent(s.t.Context(), event.Event{
		ID: id.New(), Title: "Show", Venue: event.Venue{Name: "Hall", City: "Recife", Country: "BR"}, Genre: "forró", TimeZone: "America/Recife",
		Currency: "BRL", HomeRegion: "sa-east", StartsAt: start, OnSaleAt: start.Add(-264 * time.Hour), State: event.OnSale,
		ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{18000}, Rules: rules,
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// buyer is a fan with a hold and an order.
type buyer struct {
	s           *sale
	account     id.ID
	token       string
	hold, order id.ID
}

// hold takes the next free seat for somebody new.
func (s *sale) hold() *buyer {
	s.t.Helper()
	b := &buyer{s: s, account: id.New()}
	s.holdFor(b)
	return b
}

func (s *sale) holdFor(b *buyer) {
	s.t.Helper()
	var err error
	if b.token, _, err = s.seller.tokens.MintSession(b.account); err != nil {
		s.t.Fatal(err)
	}
	out, err := s.seller.inventory.Do(s.t.Context(), s.event.ID, inventory.PlaceHold{
		Hold: id.New(), Account: b.account, Seats: []seatmap.Ordinal{seatmap.Ordinal(s.seat.Add(1) - 1)},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	b.hold = out.Hold.ID
}

// ask makes a request as the buyer and returns status, body and how long it took by the pulse.
func (b *buyer) ask(method, path, body string) (int, map[string]any, time.Duration) {
	req, err := http.NewRequestWithContext(b.s.t.Context(), method, "http://"+b.s.seller.apiListener.Addr().String()+path, strings.NewReader(body))
	if err != nil {
		b.s.t.Error(err)
		return 0, nil, 0
	}
	req.Header.Set("Authorization", "Bearer "+b.token)
	req.Header.Set("Idempotency-Key", id.New().String())
	began := b.s.pulse.now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.s.t.Error(err)
		return 0, nil, 0
	}
	defer resp.Body.Close()
	var out map[string]any
	_ = json.NewDecoder(resp.Body).Decode(&out)
	return resp.StatusCode, out, b.s.pulse.since(began)
}

// place orders the hold; the answer must be 202 whatever the providers do.
func (b *buyer) place() time.Duration {
	status, out, took := b.ask(http.MethodPost, "/v1/orders", `{"holdId":"`+b.hold.String()+`"}`)
	text, _ := out["orderId"].(string)
	order, err := id.Parse(text)
	if status != http.StatusAccepted || err != nil {
		b.s.t.Errorf("an order answered %d %v", status, out)
	}
	b.order = order
	return took
}

func (b *buyer) look() map[string]any {
	_, out, _ := b.ask(http.MethodGet, "/v1/orders/"+b.order.String(), "")
	return out
}

// page is where the order can be paid, when it can be, and whose page that is.
func (b *buyer) page() (provider, action string) { return pageOf(b.look()) }

func pageOf(order map[string]any) (provider, action string) {
	p, _ := order["payment"].(map[string]any)
	action, _ = p["actionUrl"].(string)
	provider, _ = p["provider"].(string)
	return provider, action
}

// approve presses the button on a provider's page.
func (b *buyer) approve(provider, action string) error {
	front := map[string]*bankFront{"sandbox": b.s.first, "sandbox2": b.s.second}[provider]
	client := &http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.PostForm(front.URL+action, url.Values{"decision": {"approve"}})
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 3 && resp.StatusCode/100 != 2 {
		return fmt.Errorf("the pay page answered %s", resp.Status)
	}
	return nil
}

// pay waits for the provider's page and approves there. It returns whose page it was.
func (b *buyer) pay() (provider string) {
	var action string
	within(b.s.t, 2*time.Minute, "there is a page to pay on", func() bool {
		provider, action = b.page()
		return action != ""
	})
	if err := b.approve(provider, action); err != nil {
		b.s.t.Error(err)
	}
	return provider
}

func (b *buyer) confirmed() bool { return b.look()["status"] == "CONFIRMED" }

func within(t *testing.T, patience time.Duration, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) && !is() { // the last look is one after the deadline
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// enter puts a fan into the line.
func (s *sale) enter() account.Place {
	s.t.Helper()
	_, ticket, err := s.seller.mint.Enter(s.t.Context(), s.event.ID, account.Session{Account: id.New(), IssuedAt: time.Now()}, id.New().String(), queue.Asked{})
	if err != nil {
		s.t.Fatal(err)
	}
	place, err := s.seller.room.Status(s.t.Context(), ticket)
	if err != nil {
		s.t.Fatal(err)
	}
	return place
}

// phase is what the line is doing.
func (s *sale) phase() frontier.Phase {
	s.t.Helper()
	phase, err := s.phaseNow()
	if err != nil {
		s.t.Fatal(err)
	}
	return phase
}

func (s *sale) phaseNow() (frontier.Phase, error) {
	d, err := s.seller.room.Frontier(s.t.Context(), s.event.ID)
	if err != nil {
		return "", err
	}
	return d.Phase, nil
}
