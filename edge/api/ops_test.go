package api

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/secret"
)

var operatorKey = secret.New("a key that operators know")

// operate makes a request with the operators' key.
func (k *till) operate(method, path, body string) (int, map[string]any) {
	k.t.Helper()
	return k.operateAs(operatorKey.Reveal(), method, path, body)
}

func (k *till) operateAs(key, method, path, body string) (int, map[string]any) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), method, k.url+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Plateia-Operator", "Ana")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	var parsed map[string]any
	_ = json.Unmarshal(raw, &parsed)
	return resp.StatusCode, parsed
}

// tell sends a signed delivery as the sandbox does.
func (k *till) tell(event, reference string, order id.ID) int {
	k.t.Helper()
	body := fmt.Sprintf(`{"id":%q,"type":"payment.captured","fromTheFuture":{"a":1},"data":{"reference":%q,"order":%q}}`, event, reference, order)
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := secret.New("wh").HMAC([]byte(at), []byte("."), []byte(body))
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, k.url+"/v1/webhooks/payments/sandbox", strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Sandbox-Signature", "t="+at+",v1="+hex.EncodeToString(mac))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		k.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func (k *till) deliveries(query string) (list []map[string]any, next any) {
	k.t.Helper()
	status, page := k.operate(http.MethodGet, "/v1/ops/deliveries"+query, "")
	if status != http.StatusOK {
		k.t.Fatalf("deliveries answered %d %v", status, page)
	}
	for _, d := range page["deliveries"].([]any) {
		list = append(list, d.(map[string]any))
	}
	return list, page["nextCursor"]
}

// A delivery about nothing of ours is stored, answered 2xx and flagged; an operator finds it and may replay it, as often as they like.
func TestFlaggedDeliveriesAreListedAndReplayed(t *testing.T) {
	t.Parallel()
	k := openTill(t)
	for n := range 3 {
		if status := k.tell(fmt.Sprintf("evt_%d", n), "pay_nobody", id.New()); status != http.StatusNoContent {
			t.Fatalf("a webhook for an unknown order answered %d", status)
		}
	}
	var flagged []map[string]any
	eventuallyTrue(t, "all are flagged", func() bool { flagged, _ = k.deliveries("?state=FLAGGED"); return len(flagged) == 3 })
	if d := flagged[0]; d["note"] != "unknown order" || d["tries"] != 1.0 || d["nextTryAt"] != nil || d["reference"] != "pay_nobody" {
		t.Errorf("a flagged delivery is shown as %v", d)
	}
	first, cursor := k.deliveries("?limit=2")
	rest, end := k.deliveries("?limit=2&cursor=" + fmt.Sprint(cursor))
	if len(first) != 2 || len(rest) != 1 || end != nil || rest[0]["deliveryId"] == first[1]["deliveryId"] {
		t.Errorf("pages of %d and %d, then %v", len(first), len(rest), end)
	}
	for range 2 {
		status, d := k.operate(http.MethodPost, "/v1/ops/deliveries/"+flagged[0]["deliveryId"].(string)+"/replay", "")
		if status != http.StatusAccepted || d["state"] != "RECEIVED" || d["nextTryAt"] == nil {
			t.Fatalf("replay answered %d %v", status, d)
		}
		eventuallyTrue(t, "it is flagged again", func() bool { flagged, _ := k.deliveries("?state=FLAGGED"); return len(flagged) == 3 })
	}
	if status, _ := k.operate(http.MethodPost, "/v1/ops/deliveries/"+id.New().String()+"/replay", ""); status != http.StatusNotFound {
		t.Errorf("a delivery that never was: %d", status)
	}
	if status, _ := k.operate(http.MethodGet, "/v1/ops/deliveries?state=LOST", ""); status != http.StatusBadRequest {
		t.Errorf("an unknown state: %d", status)
	}
}

// Replaying what was processed changes nothing: the provider is asked, and says what it said.
func TestReplayOfASaleChangesNothing(t *testing.T) {
	t.Parallel()
	k := openTill(t)
	fan := id.New()
	_, started := k.place(fan, k.hold(fan, 0, 1), "k")
	orderID := started["orderId"].(string)
	k.press(fan, orderID, "approve")
	before := k.until(fan, orderID, statusIs("CONFIRMED"))
	var done []map[string]any
	eventuallyTrue(t, "the webhook is processed", func() bool { done, _ = k.deliveries("?state=PROCESSED"); return len(done) > 0 })
	if status, _ := k.operate(http.MethodPost, "/v1/ops/deliveries/"+done[0]["deliveryId"].(string)+"/replay", ""); status != http.StatusAccepted {
		t.Fatalf("replay answered %d", status)
	}
	eventuallyTrue(t, "it is processed again", func() bool { again, _ := k.deliveries("?state=PROCESSED"); return len(again) == len(done) })
	after := k.until(fan, orderID, statusIs("CONFIRMED"))
	if fmt.Sprint(before["tickets"]) != fmt.Sprint(after["tickets"]) || len(after["refunds"].([]any)) != 0 {
		t.Errorf("a replay turned %v into %v", before["tickets"], after["tickets"])
	}
}

// An order in REVIEW is found and decided, with the decider's name; only operators see any of it.
func TestReviewIsListedAndResolved(t *testing.T) {
	t.Parallel()
	k := openTill(t)
	fan := id.New()
	_, started := k.place(fan, k.hold(fan, 2), "k")
	orderID := started["orderId"].(string)
	k.press(fan, orderID, "approve")
	k.until(fan, orderID, statusIs("CONFIRMED"))
	err := k.db.Tx(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update orders set status = 'REVIEW', reason = 'a person must look' where order_id = $1::uuid`, orderID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	status, page := k.operate(http.MethodGet, "/v1/ops/orders?status=REVIEW", "")
	list := page["orders"].([]any)
	if status != http.StatusOK || len(list) != 1 || list[0].(map[string]any)["accountId"] != fan.String() {
		t.Fatalf("reviews answered %d %v", status, page)
	}
	path := "/v1/ops/orders/" + orderID + "/resolve"
	for name, body := range map[string]string{"no note": `{"action":"confirm","note":" "}`, "no action": `{"action":"dance","note":"x"}`} {
		if status, _ := k.operate(http.MethodPost, path, body); status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, o := k.operate(http.MethodPost, path, `{"action":"confirm","note":"the bank says it is fine"}`); status != http.StatusOK || o["status"] != "CONFIRMED" {
		t.Errorf("resolve answered %d %v", status, o)
	}
	if status, _ := k.operate(http.MethodPost, path, `{"action":"confirm","note":"again"}`); status != http.StatusConflict {
		t.Errorf("a decision about an order that is not in review: %d", status)
	}
	for _, key := range []string{"", "s:" + fan.String(), operatorKey.Reveal() + "x"} {
		for _, route := range []string{"GET /v1/ops/deliveries", "GET /v1/ops/orders", "POST " + path, "POST /v1/ops/deliveries/" + orderID + "/replay"} {
			method, path, _ := strings.Cut(route, " ")
			if status, _ := k.operateAs(key, method, path, "{}"); status != http.StatusUnauthorized {
				t.Errorf("%s with key %q: %d", route, key, status)
			}
		}
	}
}

// Without a configured key the routes are closed, also to an empty one.
func TestNoOperatorKeyNoOperators(t *testing.T) {
	a := New(Deps{Tokens: oneSession{}}, Options{})
	c := &call{}
	if a.opts.OperatorKey.Is("") {
		t.Errorf("an empty key opens %v", c)
	}
}

func eventuallyTrue(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in a minute: %s", what)
		}
	}
}
