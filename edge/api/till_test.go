package api

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/secret"
	"plateia/core/ticket"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/payments/sandbox"
)

// anySession takes "s:<account>" for a session of that account.
type anySession struct{ oneSession }

func (anySession) Session(token string) (account.Session, error) {
	who, err := id.Parse(strings.TrimPrefix(token, "s:"))
	if err != nil {
		return account.Session{}, errCredential
	}
	return account.Session{Account: who}, nil
}

// openDoor only notes signs of life.
type openDoor struct{ Room }

func (openDoor) Seen(_, _ id.ID) {}

// till is the API in front of a real checkout, database and payment provider.
type till struct {
	t      *testing.T
	url    string
	bank   string
	db     *db.DB
	inv    *inventory.Inventory
	event  event.Event
	signer *ticket.Signer
}

// part is anything with a lifecycle.
type part interface {
	Start(context.Context) error
	Stop(context.Context) error
}

func run(t *testing.T, p part) {
	t.Helper()
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func openTill(t *testing.T, change ...func(*event.Rules)) *till {
	t.Helper()
	d := dbtest.New(t)
	catalog := db.NewCatalog(d)
	k := &till{t: t, db: d, event: sellHall(t, catalog, change...), signer: ticket.NewSigner(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))}
	store, err := db.OpenInventory(t.Context(), d, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	k.inv = inventory.New(store, catalog, nil, inventory.Options{Patience: time.Minute})
	run(t, k.inv)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.url = "http://" + listener.Addr().String()
	service, err := checkout.New(db.NewOrders(d), k.inv, checkout.Options{Providers: []payment.Provider{k.openBank()}, Every: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	run(t, service)
	k.serve(New(Deps{Tokens: anySession{}, Events: catalog, Seats: k.inv, Room: openDoor{}, Checkout: service, Ops: service, Signer: k.signer}, Options{OperatorKey: operatorKey}), listener)
	return k
}

func (k *till) serve(a *API, listener net.Listener) {
	done := make(chan error, 1)
	go func() { done <- a.Serve(listener) }()
	k.t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := a.Stop(ctx); err != nil {
			k.t.Errorf("stop: %v", err)
		}
		if err := <-done; err != nil {
			k.t.Errorf("serve: %v", err)
		}
	})
}

func (k *till) openBank() payment.Provider {
	k.t.Helper()
	secrets := sandbox.Secrets{API: secret.New("sk"), Webhook: []secret.Text{secret.New("wh")}}
	bank, err := sandbox.NewServer(sandbox.Options{
		Secrets: secrets, WebhookURL: k.url + "/v1/webhooks/payments/" + sandbox.Name, SlowFor: 200 * time.Millisecond,
	})
	if err != nil {
		k.t.Fatal(err)
	}
	if err := bank.Start(k.t.Context(), "127.0.0.1:0"); err != nil {
		k.t.Fatal(err)
	}
	k.bank = "http://" + bank.Addr()
	provider := sandbox.NewProvider(sandbox.ProviderOptions{BaseURL: k.bank, Secrets: secrets})
	k.t.Cleanup(func() {
		provider.Close()
		http.DefaultClient.CloseIdleConnections()
		if err := bank.Stop(context.Background()); err != nil {
			k.t.Error(err)
		}
	})
	return provider
}

// sellHall puts a hall of one section with two rows of four on sale.
func sellHall(t *testing.T, catalog *db.Catalog, change ...func(*event.Rules)) event.Event {
	t.Helper()
	rules := event.DefaultRules()
	for _, f := range change {
		f(&rules)
	}
	section := seatmap.SectionSpec{Label: "A"}
	for _, row := range []string{"7", "8"} {
		spec := seatmap.RowSpec{Label: row}
		for n := range 4 {
			spec.Seats = append(spec.Seats, seatmap.SeatSpec{Number: fmt.Sprint(n + 1), X: float32(n), Y: float32(len(section.Rows))})
		}
		section.Rows = append(section.Rows, spec)
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}}, Sections: []seatmap.SectionSpec{section},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := catalog.PutChart(t.Context(), chart); err != nil {
		t.Fatal(err)
	}
	start := time.Now().Add(240 * time.Hour).UTC().Truncate(time.Millisecond)
	e, err := catalog.CreateEvent(t.Context(), event.Event{
		ID: id.New(), Title: "São João", Venue: event.Venue{Name: "Hall", City: "Recife", Country: "BR"}, Genre: "forró", TimeZone: "America/Recife",
		Currency: "BRL", HomeRegion: "sa-east", StartsAt: start, OnSaleAt: start.Add(-264 * time.Hour), State: event.OnSale,
		ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{18000}, Rules: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (k *till) hold(who id.ID, seats ...seatmap.Ordinal) id.ID {
	k.t.Helper()
	out, err := k.inv.Do(k.t.Context(), k.event.ID, inventory.PlaceHold{
		Hold: id.New(), Account: who, Seats: seats, Idempotency: inventory.Idempotency{Key: id.New().String()},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return out.Hold.ID
}

// ask makes a request as somebody ("" for nobody) and returns status and parsed body.
func (k *till) ask(who id.ID, method, path, key, body string) (int, map[string]any, []byte) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), method, k.url+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	if !who.IsZero() {
		req.Header.Set("Authorization", "Bearer s:"+who.String())
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return k.do(req)
}

func (k *till) do(req *http.Request) (int, map[string]any, []byte) {
	k.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	var parsed map[string]any
	_ = json.Unmarshal(raw, &parsed)
	return resp.StatusCode, parsed, raw
}

func (k *till) place(who, hold id.ID, key string) (int, map[string]any) {
	k.t.Helper()
	status, body, _ := k.ask(who, http.MethodPost, "/v1/orders", key, `{"holdId":"`+hold.String()+`"}`)
	return status, body
}

// until polls an order as its page does.
func (k *till) until(who id.ID, orderID string, done func(map[string]any) bool) map[string]any {
	k.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		status, o, raw := k.ask(who, http.MethodGet, "/v1/orders/"+orderID, "", "")
		if status != http.StatusOK {
			k.t.Fatalf("order answered %d %s", status, raw)
		}
		if done(o) {
			return o
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("order stays %s", raw)
		}
	}
}

func statusIs(want string) func(map[string]any) bool {
	return func(o map[string]any) bool { return o["status"] == want }
}

// press pays (or not) on the provider's page of an order.
func (k *till) press(who id.ID, orderID, outcome string) {
	k.t.Helper()
	o := k.until(who, orderID, func(o map[string]any) bool {
		p, _ := o["payment"].(map[string]any)
		return p["actionUrl"] != nil
	})
	page := k.bank + o["payment"].(map[string]any)["actionUrl"].(string)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.PostForm(page, map[string][]string{"decision": {outcome}})
	if err != nil {
		k.t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/pay/"+orderID {
		k.t.Errorf("pay page answered %s to %q", resp.Status, resp.Header.Get("Location"))
	}
}
