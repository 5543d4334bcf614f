package api

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/secret"
)

// deliver posts a webhook with a signature header ("" for none).
func (k *till) deliver(body, signature string) (int, map[string]any) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, k.url+"/v1/webhooks/payments/sandbox", strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if signature != "" {
		req.Header.Set("Sandbox-Signature", signature)
	}
	status, parsed, _ := k.do(req)
	return status, parsed
}

func signed(with, version, body string, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return "t=" + stamp + "," + version + "=" + hex.EncodeToString(secret.New(with).HMAC([]byte(stamp), []byte("."), []byte(body)))
}

func (k *till) count(query string, args ...any) (n int) {
	k.t.Helper()
	if err := k.db.Pool().QueryRow(k.t.Context(), query, args...).Scan(&n); err != nil {
		k.t.Fatal(err)
	}
	return n
}

// Nothing that is not signed by the provider, now, over these very bytes is kept.
func TestForgedDeliveriesAreRefused(t *testing.T) {
	k := openTill(t)
	body := fmt.Sprintf(`{"id":"evt_1","type":"intent.captured","data":{"reference":"pi_1","order":%q},"newerField":{"a":[1]}}`, id.New())
	now := time.Now()
	for name, signature := range map[string]string{
		"missing":       "",
		"nonsense":      "v1",
		"wrong secret":  signed("wx", "v1", body, now),
		"old":           signed("wh", "v1", body, now.Add(-10*time.Minute)),
		"future":        signed("wh", "v1", body, now.Add(10*time.Minute)),
		"only v0":       signed("wh", "v0", body, now),
		"re-serialised": signed("wh", "v1", strings.ReplaceAll(body, ",", ", "), now),
	} {
		if status, answer := k.deliver(body, signature); status != http.StatusUnauthorized || answer["code"] != "UNAUTHENTICATED" {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	if n := k.count(`select count(*) from webhook_delivery`); n != 0 {
		t.Fatalf("%d forged deliveries are kept", n)
	}
	// The genuine one, of a newer version than we know and about an order that is not ours: kept, 2xx, flagged.
	two := signed("wh", "v1", body, now) + ",v1=" + strings.Repeat("0", 64)
	if status, answer := k.deliver(body, two); status != http.StatusNoContent {
		t.Fatalf("the genuine one: %d %v", status, answer)
	}
	deadline := time.Now().Add(time.Minute)
	for k.count(`select count(*) from webhook_delivery where state = 'FLAGGED' and note = 'unknown order'`) != 1 {
		if time.Now().After(deadline) {
			t.Fatal("a delivery about an unknown order is not flagged")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// An order needs a hold that lives, is one's own and is not paid; two tabs, a reload and the way back make one charge.
func TestOrdersOnOtherHolds(t *testing.T) {
	k := openTill(t)
	fan := id.New()
	gone := k.hold(fan, 0)
	hold := k.hold(fan, 1) // replaces the first
	if status, answer := k.place(fan, gone, "a"); status != http.StatusConflict || answer["code"] != "HOLD_GONE" {
		t.Errorf("on a dead hold: %d %v", status, answer)
	}
	status, made := k.place(fan, hold, "b")
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, made)
	}
	orderID := made["orderId"].(string)
	for _, key := range []string{"b", "another tab", "back"} {
		if status, again := k.place(fan, hold, key); status != http.StatusAccepted || again["orderId"] != orderID {
			t.Errorf("%s: %d %v", key, status, again)
		}
	}
	k.press(fan, orderID, "approve")
	k.until(fan, orderID, statusIs("CONFIRMED"))
	if status, again := k.place(fan, hold, "b"); status != http.StatusAccepted || again["orderId"] != orderID {
		t.Errorf("reloaded after paying: %d %v", status, again)
	}
	if status, answer := k.place(fan, hold, "c"); status != http.StatusConflict || answer["code"] != "ORDER_STATE" {
		t.Errorf("on a paid hold: %d %v", status, answer)
	}
	if status, answer, _ := k.ask(fan, "POST", "/v1/orders", "b", `{"holdId":"`+gone.String()+`"}`); status != http.StatusUnprocessableEntity || answer["code"] != "KEY_REUSED" {
		t.Errorf("a key used for another hold: %d %v", status, answer)
	}
	if n := k.count(`select count(*) from attempt`); n != 1 {
		t.Errorf("%d attempts", n)
	}
}

func TestReturnOverHTTP(t *testing.T) {
	k := openTill(t)
	fan := id.New()
	_, made := k.place(fan, k.hold(fan, 0, 1), "k1")
	path := "/v1/orders/" + made["orderId"].(string)
	k.press(fan, made["orderId"].(string), "approve")
	o := k.until(fan, made["orderId"].(string), statusIs("CONFIRMED"))
	back := o["refundable"].(map[string]any)
	if fmt.Sprint(o["next"]) != "[refund]" || fmt.Sprint(back["amount"]) != "map[amount:36000 currency:BRL]" || len(back["ticketIds"].([]any)) != 2 || back["until"] == nil {
		t.Errorf("offered: %v, next %v", back, o["next"])
	}
	first := o["tickets"].([]any)[0].(map[string]any)["ticketId"].(string)
	one := `{"ticketIds":["` + first + `"]}`
	for _, bad := range []string{`{"ticketIds":[]}`, `{"ticketIds":["x"]}`, `{"ticketIds":["00000000-0000-0000-0000-000000000000"]}`, `{"tickets":1}`, `[`} {
		if status, answer, _ := k.ask(fan, "POST", path+"/cancel", "bad", bad); status != http.StatusBadRequest || answer["code"] != "INVALID" {
			t.Errorf("%s: %d %v", bad, status, answer)
		}
	}
	for range 2 {
		status, o, raw := k.ask(fan, "POST", path+"/cancel", "r1", one)
		refunds, _ := o["refunds"].([]any)
		if status != http.StatusAccepted || o["status"] != "PARTLY_REFUNDED" || len(refunds) != 1 || fmt.Sprint(refunds[0].(map[string]any)["ticketIds"]) != "["+first+"]" {
			t.Fatalf("given back: %d %s", status, raw)
		}
	}
	if status, answer, _ := k.ask(fan, "GET", "/v1/tickets/"+first+".png", "", ""); status != http.StatusConflict || answer["code"] != "ORDER_STATE" {
		t.Errorf("the code of a ticket that was given back: %d %v", status, answer)
	}
	if status, answer, _ := k.ask(fan, "POST", path+"/cancel", "r1", `{}`); status != http.StatusUnprocessableEntity || answer["code"] != "KEY_REUSED" {
		t.Errorf("the key for something else: %d %v", status, answer)
	}
	status, answer, _ := k.ask(fan, "POST", path+"/cancel", "r2", one)
	if left, _ := answer["left"].(map[string]any); status != http.StatusConflict || answer["code"] != "REFUND_TOO_MUCH" || left["amount"] != float64(18000) {
		t.Errorf("the same ticket again: %d %v", status, answer)
	}
	if status, o, raw := k.ask(fan, "POST", path+"/cancel", "r3", ""); status != http.StatusAccepted || o["refundable"] != nil {
		t.Errorf("the rest: %d %s", status, raw)
	}
	o = k.until(fan, made["orderId"].(string), statusIs("REFUNDED"))
	if len(o["refunds"].([]any)) != 2 || fmt.Sprint(o["next"]) != "[]" {
		t.Errorf("ended as %v", o)
	}
	if free, err := k.inv.Availability(t.Context(), k.event.ID); err != nil || free.Free[0] != 8 {
		t.Errorf("free: %v, %v", free.Free, err)
	}
}

func TestReturnTooLate(t *testing.T) {
	k := openTill(t)
	fan := id.New()
	_, made := k.place(fan, k.hold(fan, 0), "k1")
	k.press(fan, made["orderId"].(string), "approve")
	k.until(fan, made["orderId"].(string), statusIs("CONFIRMED"))
	if _, err := k.db.Pool().Exec(t.Context(), `update event set starts_at = now() + interval '47 hours', version = version + 1`); err != nil {
		t.Fatal(err)
	}
	status, answer, _ := k.ask(fan, "POST", "/v1/orders/"+made["orderId"].(string)+"/cancel", "k2", "")
	if status != http.StatusConflict || answer["code"] != "REFUND_CLOSED" || answer["until"] == nil {
		t.Errorf("%d %v", status, answer)
	}
}
