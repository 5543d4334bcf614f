package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHandlerShowsSamplesOfNow(t *testing.T) {
	viewers := 3.0
	h := Handler(func() []Sample {
		return []Sample{
			{Name: "plateia_viewers", Help: "Connections now.", Kind: Gauge, Number: viewers},
			{Name: "plateia_byes_total", Help: "Connections ended, by reason.", Kind: Counter, Number: 2, Labels: []Label{{"code", "1"}}},
			{Name: "plateia_byes_total", Help: "Connections ended, by reason.", Kind: Counter, Number: 5, Labels: []Label{{"code", "2"}}},
			{Name: "plateia_call_seconds", Help: "Calls.", Labels: []Label{{"provider", "a"}, {"operation", "fetch"}},
				Histogram: &Histogram{Count: 3, Sum: 4.5, Buckets: map[float64]uint64{1: 1, 2: 3}}},
		}
	})
	for _, want := range []string{"plateia_viewers 3\n", `plateia_byes_total{code="2"} 5`, "# TYPE plateia_byes_total counter", "go_goroutines",
		`plateia_call_seconds_bucket{operation="fetch",provider="a",le="1"} 1`, `plateia_call_seconds_count{operation="fetch",provider="a"} 3`} {
		if text := get(h); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	viewers = 4
	if text := get(h); !strings.Contains(text, "plateia_viewers 4\n") {
		t.Error("the second answer shows the numbers of the first")
	}
}

func get(h http.Handler) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}
