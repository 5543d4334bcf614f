package local

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/token"
)

// vectorSeed is the seed of a key of edge/vectors.
func vectorSeed(name byte) []byte { sum := sha256.Sum256([]byte{name}); return sum[:] }

// Every vector of edge/vectors is answered as every edge must answer it, and nothing that is refused reaches the API.
func TestVectorsOfCredentials(t *testing.T) {
	text, err := os.ReadFile("../vectors/credentials.json")
	if err != nil {
		t.Fatal(err)
	}
	type vector struct {
		Name, Kind, Token string
		Times             int
		Now               int64
		Good              bool
		Claims            struct{ Event id.ID }
	}
	var file struct {
		Credentials []vector
		Mutated     []struct {
			Of, From, To int
			Put          string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var now time.Time
	tokens, err := token.New(token.Options{Current: vectorSeed(1), Others: [][]byte{vectorSeed(2)}, PseudonymKey: vectorSeed(99), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	reached := false
	w := open(t, func(o *Options) { o.Tokens = tokens })
	w.api = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })
	check := func(v vector, credential string) {
		if strings.ContainsAny(credential, "\r\n") { // no header can hold it
			return
		}
		event := v.Claims.Event
		if event.IsZero() {
			event = file.Credentials[2].Claims.Event
		}
		method, path := "GET", map[string]string{"session": "/v1/me", "ticket": "/v1/queue"}[v.Kind]
		if v.Kind == "access" {
			method, path = "POST", "/v1/events/"+event.String()+"/holds"
		}
		r := httptest.NewRequest(method, path, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+credential)
		answer := httptest.NewRecorder()
		reached, now = false, time.Unix(v.Now, 0)
		w.ServeHTTP(answer, r)
		if reached != v.Good || !v.Good && (answer.Code != http.StatusUnauthorized || answer.Header().Get("Content-Type") != "application/problem+json") {
			t.Errorf("%s %s: %d, reached the API: %v", v.Kind, v.Name, answer.Code, reached)
		}
	}
	for _, v := range file.Credentials {
		check(v, strings.Repeat(v.Token, max(v.Times, 1)))
	}
	for _, m := range file.Mutated {
		v := file.Credentials[m.Of]
		spoilt := v.Token[:m.From] + m.Put + v.Token[m.To:]
		v.Good = strings.TrimSpace(spoilt) == v.Token // what a header loses at its ends is no change
		check(v, spoilt)
	}
	if len(file.Credentials) < 60 || len(file.Mutated) != 1000 {
		t.Errorf("%d credentials, %d mutated", len(file.Credentials), len(file.Mutated))
	}
}
