package problem

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"plateia/core/fault"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, code := range Codes() {
		if status := Status(code); status < 400 || status == 500 && code != fault.Internal {
			t.Errorf("%s: %d", code, status)
		}
	}
	if Status("NO_SUCH_CODE") != http.StatusInternalServerError {
		t.Error("an unknown code is our fault")
	}
}

func TestDetailsNeverReplaceWhatTheDocumentSays(t *testing.T) {
	f := fault.New(fault.Waiting, "not yet").With("status", 200).With("reason", "moment").After(1200 * time.Millisecond)
	var p map[string]any
	if err := json.Unmarshal(Render(f, "r1"), &p); err != nil {
		t.Fatal(err)
	}
	if p["status"] != 409.0 || p["reason"] != "moment" || p["retryAfterSeconds"] != 2.0 || p["requestId"] != "r1" || p["retryable"] != true {
		t.Errorf("%v", p)
	}
	if err := json.Unmarshal(Render(f.With("bad", func() {}), "r1"), &p); err != nil || p["detail"] != "not yet" {
		t.Errorf("%v %v", p, err)
	}
}
