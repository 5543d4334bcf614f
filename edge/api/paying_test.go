package api

import (
	"net/http"
	"testing"

	"plateia/core/id"
)

// A hold that is being paid for names its order, so that another tab leads on to the payment.
func TestPayingHoldNamesItsOrder(t *testing.T) {
	k := openTill(t)
	fan := id.New()
	hold := k.hold(fan, 2)
	paths := []string{"/v1/holds/" + hold.String(), "/v1/events/" + k.event.ID.String() + "/holds/mine"}
	named := func(path string) any {
		status, body, raw := k.ask(fan, http.MethodGet, path, "", "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, raw)
		}
		if inner, ok := body["hold"].(map[string]any); ok {
			body = inner
		}
		return body["orderId"]
	}
	for _, path := range paths {
		if got := named(path); got != nil {
			t.Errorf("%s before the order names %v", path, got)
		}
	}
	_, made := k.place(fan, hold, "k1")
	for _, path := range paths {
		if got := named(path); got != made["orderId"] {
			t.Errorf("%s names order %v, want %v", path, got, made["orderId"])
		}
	}
	k.press(fan, made["orderId"].(string), "decline")
	k.until(fan, made["orderId"].(string), statusIs("FAILED"))
	if got := named(paths[0]); got != nil {
		t.Errorf("a hold that is free again names %v", got)
	}
}
