package api

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"image/png"
	"net/http"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

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
		"unknown hold":       {fan, "POST", "/v1/orders", "a", `{"holdId":"` + id.New().String() + `"}`, 409, "HOLD_GONE"},
		"foreign hold":       {fan, "POST", "/v1/orders", "a", `{"holdId":"` + foreign.String() + `"}`, 409, "HOLD_GONE"},
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
