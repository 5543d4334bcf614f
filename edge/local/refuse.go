package local

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"

	"plateia/core/fault"
	"plateia/edge/problem"
)

// refuse answers with a problem (RFC 9457), like the API does.
func refuse(w http.ResponseWriter, status int, code, detail string, members ...any) {
	requestID := named(w.Header())
	body := map[string]any{
		"requestId": requestID,
		"type":      "about:blank", "title": http.StatusText(status), "status": status, "code": code,
		"detail": detail, "retryable": status == http.StatusServiceUnavailable,
	}
	for i := 0; i+1 < len(members); i += 2 {
		body[members[i].(string)] = members[i+1]
	}
	if seconds, ok := body["retryAfterSeconds"].(int); ok {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// named gives an answer that is the edge's own an id, as every answer has one.
func named(h http.Header) string {
	requestID := rand.Text()
	h.Set("X-Request-Id", requestID)
	return requestID
}

func refuseBusy(w http.ResponseWriter) {
	refuse(w, http.StatusServiceUnavailable, "BUSY", "this part of the service does not answer right now; try again", "retryAfterSeconds", 1)
}

// refuseFault answers with a fault, as the API does.
func refuseFault(w http.ResponseWriter, err error) {
	f := fault.From(err)
	h := w.Header()
	if seconds := problem.RetrySeconds(f); seconds > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
	status := problem.Status(f.Code)
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="plateia"`)
	}
	h.Set("Content-Type", problem.Type)
	h.Set("Cache-Control", "no-store")
	body := problem.Render(f, named(h))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // JSON, and said to be
}

func refuseTooLarge(w http.ResponseWriter, limit int64) {
	w.Header().Set("Connection", "close")
	refuse(w, http.StatusRequestEntityTooLarge, "TOO_LARGE", "the request's body is larger than "+strconv.FormatInt(limit, 10)+" bytes", "limit", limit)
}
