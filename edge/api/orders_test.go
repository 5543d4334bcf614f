package api

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

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
type openDoor struct{ Door }

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
	k.inv = inventory.New(store, catalog, nil, inventory.Options{})
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
	k.serve(New(Deps{Tokens: anySession{}, Events: catalog, Seats: k.inv, Door: openDoor{}, Checkout: service, Ops: service, Signer: k.signer}, Options{OperatorKey: operatorKey}), listener)
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

func TestBuyOverHTTP(t *testing.T) {
	k := openTill(t)
	fan, stranger := id.New(), id.New()
	hold := k.hold(fan, 1, 6)
	status, made := k.place(fan, hold, "k1")
	orderID, _ := made["orderId"].(string)
	if status != http.StatusAccepted || made["status"] != "PENDING_PAYMENT" || made["paymentUrl"] != "/pay/"+orderID {
		t.Fatalf("placed: %d %v", status, made)
	}
	k.press(fan, orderID, "decline")
	failed := k.until(fan, orderID, statusIs("FAILED"))
	if failed["reason"] != "the card was declined" || failed["hold"].(map[string]any)["state"] != "ACTIVE" || failed["payment"].(map[string]any)["actionUrl"] != nil {
		t.Fatalf("declined: %v", failed)
	}
	if status, _, raw := k.ask(fan, http.MethodPost, "/v1/orders/"+orderID+"/pay", "k2", ""); status != http.StatusAccepted {
		t.Fatalf("pay again: %d %s", status, raw)
	}
	k.press(fan, orderID, "slow")
	o := k.until(fan, orderID, statusIs("CONFIRMED"))
	if o["hold"] != nil || o["reason"] != nil || fmt.Sprint(o["total"]) != "map[amount:36000 currency:BRL]" || o["event"].(map[string]any)["title"] != "São João" {
		t.Errorf("confirmed: %v", o)
	}
	tickets := o["tickets"].([]any)
	if len(tickets) != 2 {
		t.Fatalf("%d tickets", len(tickets))
	}
	k.checkTicket(fan, stranger, tickets[1].(map[string]any), 6, "A-8-3")
	k.checkKeySet()
	if status, body, _ := k.ask(fan, http.MethodPost, "/v1/orders/"+orderID+"/pay", "k3", ""); status != http.StatusConflict || body["code"] != "ORDER_STATE" {
		t.Errorf("paying a paid order: %d %v", status, body)
	}
}

func (k *till) checkTicket(fan, stranger id.ID, listed map[string]any, ordinal seatmap.Ordinal, seatID string) {
	k.t.Helper()
	path := "/v1/tickets/" + listed["ticketId"].(string)
	_, one, _ := k.ask(fan, http.MethodGet, path, "", "")
	if one["seatId"] != seatID || one["section"] != "A" || one["row"] != "8" || one["seat"] != "3" || one["code"] != listed["code"] || one["state"] != "VALID" {
		k.t.Errorf("ticket: %v", one)
	}
	claims, err := ticket.NewKeySet(k.signer.Public()).Verify(one["code"].(string))
	if err != nil || claims.Ordinal != ordinal || claims.Event != k.event.ID || claims.Ticket.String() != one["ticketId"] {
		k.t.Errorf("code says %+v, %v", claims, err)
	}
	status, _, raw := k.ask(fan, http.MethodGet, path+".png", "", "")
	if got := readQR(k.t, raw); status != http.StatusOK || got != one["code"] {
		k.t.Errorf("the picture says %q", got)
	}
	for _, p := range []string{path, path + ".png"} {
		if status, body, _ := k.ask(stranger, http.MethodGet, p, "", ""); status != http.StatusNotFound || body["code"] != "NOT_FOUND" {
			k.t.Errorf("a stranger gets %d %v", status, body)
		}
		if status, _, _ := k.ask(id.ID{}, http.MethodGet, p, "", ""); status != http.StatusUnauthorized {
			k.t.Errorf("nobody gets %d", status)
		}
	}
}

func readQR(t *testing.T, raw []byte) string {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.GetText()
}

func (k *till) checkKeySet() {
	k.t.Helper()
	_, set, raw := k.ask(id.ID{}, http.MethodGet, "/.well-known/jwks.json", "", "")
	for _, key := range set["keys"].([]any) {
		if key.(map[string]any)["kid"] == k.signer.KeyID().String() {
			return
		}
	}
	k.t.Errorf("the tickets' key is not published: %s", raw)
}

// QR version 8 is 49 modules; more would be hard to scan from a phone.
func TestPictureIsSmall(t *testing.T) {
	signer := ticket.NewSigner(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	raw, err := qrPNG(signer.Sign(ticket.Ticket{ID: id.New(), Event: id.New(), Ordinal: 59_999, IssuedAt: time.Now()}))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil || picture.Bounds().Dx() != (49+2*quietModules)*modulePixels || len(raw) > 8<<10 {
		t.Errorf("%v pixels, %d bytes, %v", picture.Bounds(), len(raw), err)
	}
}

func TestOrdersAreRefused(t *testing.T) {
	k := openTill(t)
	fan, other := id.New(), id.New()
	hold, foreign := k.hold(fan, 0), k.hold(other, 1)
	_, made := k.place(fan, hold, "k1")
	orderID := made["orderId"].(string)
	path := "/v1/orders/" + orderID
	for name, c := range map[string]struct {
		who                     id.ID
		method, path, key, body string
		status                  int
		code                    string
	}{
		"no key":             {fan, "POST", "/v1/orders", "", `{"holdId":"` + hold.String() + `"}`, 400, "KEY_MISSING"},
		"no body":            {fan, "POST", "/v1/orders", "a", ``, 400, "INVALID"},
		"truncated":          {fan, "POST", "/v1/orders", "a", `{"holdId":"`, 400, "INVALID"},
		"no hold":            {fan, "POST", "/v1/orders", "a", `{}`, 400, "INVALID"},
		"not an id":          {fan, "POST", "/v1/orders", "a", `{"holdId":"7"}`, 400, "INVALID"},
		"unknown hold":       {fan, "POST", "/v1/orders", "a", `{"holdId":"` + id.New().String() + `"}`, 404, "NOT_FOUND"},
		"foreign hold":       {fan, "POST", "/v1/orders", "a", `{"holdId":"` + foreign.String() + `"}`, 404, "NOT_FOUND"},
		"key, other body":    {fan, "POST", "/v1/orders", "k1", `{"holdId":"` + hold.String() + `" }`, 422, "KEY_REUSED"},
		"nobody":             {id.ID{}, "POST", "/v1/orders", "a", `{}`, 401, "UNAUTHENTICATED"},
		"foreign order":      {other, "GET", path, "", "", 404, "NOT_FOUND"},
		"foreign pay":        {other, "POST", path + "/pay", "a", "", 404, "NOT_FOUND"},
		"foreign cancel":     {other, "POST", path + "/cancel", "a", "", 404, "NOT_FOUND"},
		"unknown order":      {fan, "GET", "/v1/orders/" + id.New().String(), "", "", 404, "NOT_FOUND"},
		"order without a id": {fan, "GET", "/v1/orders/x", "", "", 404, "NOT_FOUND"},
		"pay without key":    {fan, "POST", path + "/pay", "", "", 400, "KEY_MISSING"},
		"cancel without key": {fan, "POST", path + "/cancel", "", "", 400, "KEY_MISSING"},
		"unknown ticket":     {fan, "GET", "/v1/tickets/" + id.New().String(), "", "", 404, "NOT_FOUND"},
		"unknown picture":    {fan, "GET", "/v1/tickets/" + id.New().String() + ".png", "", "", 404, "NOT_FOUND"},
		"bad cursor":         {fan, "GET", "/v1/orders?cursor=zzz", "", "", 400, "INVALID"},
		"bad limit":          {fan, "GET", "/v1/orders?limit=0", "", "", 400, "INVALID"},
		"unsigned webhook":   {id.ID{}, "POST", "/v1/webhooks/payments/sandbox", "", `{"id":"e"}`, 401, "UNAUTHENTICATED"},
		"unknown provider":   {id.ID{}, "POST", "/v1/webhooks/payments/nobody", "", `{"id":"e"}`, 404, "NOT_FOUND"},
	} {
		if status, body, raw := k.ask(c.who, c.method, c.path, c.key, c.body); status != c.status || body["code"] != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, status, raw, c.status, c.code)
		}
	}
	if status, again := k.place(fan, hold, "k1"); status != http.StatusAccepted || again["orderId"] != orderID {
		t.Errorf("repeated: %d %v", status, again)
	}
}

func TestCancelOverHTTP(t *testing.T) {
	k := openTill(t)
	fan := id.New()
	_, made := k.place(fan, k.hold(fan, 0, 1), "k1")
	path := "/v1/orders/" + made["orderId"].(string)
	for range 2 {
		status, o, raw := k.ask(fan, http.MethodPost, path+"/cancel", "k2", "")
		if status != http.StatusOK || o["status"] != "CANCELLED" || o["hold"] != nil || o["cancelling"] != false {
			t.Errorf("cancelled: %d %s", status, raw)
		}
	}
	if free, err := k.inv.Availability(t.Context(), k.event.ID); err != nil || free.Free[0] != 8 {
		t.Errorf("free: %v, %v", free.Free, err)
	}
}

func TestOrdersAreListed(t *testing.T) {
	k := openTill(t)
	fan := id.New()
	var want []string
	for seat := range 3 {
		_, made := k.place(fan, k.hold(fan, seatmap.Ordinal(seat)), fmt.Sprint("k", seat))
		orderID := made["orderId"].(string)
		want = append([]string{orderID}, want...)
		k.press(fan, orderID, "approve")
		k.until(fan, orderID, statusIs("CONFIRMED"))
	}
	var got []string
	for path := "/v1/orders?limit=2"; path != ""; {
		status, page, raw := k.ask(fan, http.MethodGet, path, "", "")
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, raw)
		}
		for _, o := range page["orders"].([]any) {
			got = append(got, o.(map[string]any)["orderId"].(string))
		}
		path = ""
		if next, ok := page["nextCursor"].(string); ok {
			path = "/v1/orders?limit=2&cursor=" + next
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}

func FuzzOrderCursor(f *testing.F) {
	f.Add("")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := readOrderCursor(text); ok && (at.At.Year() < 1970 || at.At.Year() > 2300) {
			t.Fatalf("%q is %v", text, at.At)
		}
	})
}
