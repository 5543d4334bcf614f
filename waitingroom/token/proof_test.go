package token

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crypto/sha256"

	"plateia/core/id"
)

const path = "/v1/queue/claim"

func TestProof(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	d := newDevice(t)
	ath := sha256.Sum256([]byte("bearer"))
	type change = func(h, cl map[string]any)
	for name, tt := range map[string]struct {
		url    string
		change change
		ok     bool
	}{
		"good":             {"https://tickets.example" + path, nil, true},
		"query is ignored": {"https://tickets.example" + path + "?x=1#y", nil, true},
		"any host":         {"http://127.0.0.1:8080" + path, nil, true},
		"with ath":         {path, func(_, cl map[string]any) { cl["ath"] = b64.EncodeToString(ath[:]) }, true},
		"a little early":   {path, func(_, cl map[string]any) { cl["iat"] = c.t.Add(59 * time.Second).Unix() }, true},
		"another path":     {"https://tickets.example/v1/queue", nil, false},
		"path encoded":     {"https://tickets.example/v1/queue/cl%61im", nil, false},
		"broken url":       {"://", nil, false},
		"another method":   {path, func(_, cl map[string]any) { cl["htm"] = "GET" }, false},
		"method in lower":  {path, func(_, cl map[string]any) { cl["htm"] = "post" }, false},
		"early":            {path, func(_, cl map[string]any) { cl["iat"] = c.t.Add(61 * time.Second).Unix() }, false},
		"late":             {path, func(_, cl map[string]any) { cl["iat"] = c.t.Add(-61 * time.Second).Unix() }, false},
		"no iat":           {path, func(_, cl map[string]any) { delete(cl, "iat") }, false},
		"no jti":           {path, func(_, cl map[string]any) { delete(cl, "jti") }, false},
		"long jti":         {path, func(_, cl map[string]any) { cl["jti"] = strings.Repeat("x", 200) }, false},
		"ath of another":   {path, func(_, cl map[string]any) { cl["ath"] = "AAAA" }, false},
		"typ":              {path, func(h, _ map[string]any) { h["typ"] = "JWT" }, false},
		"crit":             {path, func(h, _ map[string]any) { h["crit"] = []string{"x"} }, false},
		"no jwk":           {path, func(h, _ map[string]any) { delete(h, "jwk") }, false},
		"jwk is text":      {path, func(h, _ map[string]any) { h["jwk"] = "x" }, false},
		"private jwk":      {path, func(h, _ map[string]any) { h["jwk"].(map[string]any)["d"] = "AAAA" }, false},
		"another's jwk":    {path, func(h, _ map[string]any) { h["jwk"] = newDevice(t).jwk(t) }, false},
		"off the curve":    {path, func(h, _ map[string]any) { h["jwk"].(map[string]any)["x"] = strings.Repeat("A", 43) }, false},
		"another curve":    {path, func(h, _ map[string]any) { h["jwk"].(map[string]any)["crv"] = "P-384" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			proof := d.proof(t, c.t, "POST", tt.url, tt.change)
			thumb, err := a.Proof(proof, "POST", path, "bearer")
			if !tt.ok {
				checkRefused(t, err, "%s", name)
				return
			}
			if err != nil || len(thumb) != 43 {
				t.Fatalf("%q %v", thumb, err)
			}
			_, err = a.Proof(proof, "POST", path, "bearer")
			checkRefused(t, err, "shown twice")
		})
	}
	same := func(at time.Time) string {
		thumb, err := a.Proof(d.proof(t, at, "POST", path, nil), "POST", path, "")
		if err != nil {
			t.Fatal(err)
		}
		return thumb
	}
	if first, again := same(c.t), same(c.t); first != again {
		t.Error("a key has one thumbprint")
	}
}

func TestProofEveryByteCounts(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	proof := newDevice(t).proof(t, c.t, "POST", path, nil)
	for i := range len(proof) {
		spoiled := []byte(proof)
		spoiled[i] ^= 1
		_, err := a.Proof(string(spoiled), "POST", path, "")
		checkRefused(t, err, "byte %d", i)
	}
	for _, other := range mintAll(t, a) {
		_, err := a.Proof(other, "POST", path, "")
		checkRefused(t, err, "a credential as proof")
	}
}

// The example of RFC 9449, section 4.1, and its key's thumbprint, section 6.1.
func TestPublishedVectors(t *testing.T) {
	c := &clock{time.Unix(1562262616, 0)}
	const proof = "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19" +
		".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ" +
		".2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
	thumb, err := newAuthority(t, c, 1).Proof(proof, "POST", "/token", "")
	if err != nil || thumb != "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" {
		t.Errorf("RFC 9449: %q %v", thumb, err)
	}
	// RFC 8037, appendix A.3.
	if got := (jwk{Kty: "OKP", Crv: "Ed25519", X: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}).thumbprint(); got != "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" {
		t.Errorf("RFC 8037: %q", got)
	}
}

func TestReplayMemory(t *testing.T) {
	start := newClock().t
	m := &replayMemory{half: 10, life: 2 * proofWindow}
	for at := time.Duration(0); at < 10*time.Minute; at += 20 * time.Second {
		jti := id.New().String()
		if !m.first("k", jti, start.Add(at)) || m.first("k", jti, start.Add(at+2*proofWindow)) {
			t.Fatalf("at %v: a proof works once for as long as it could be shown", at)
		}
	}
	for range 1000 {
		m.first("k", id.New().String(), start)
		if len(m.current)+len(m.previous) > 20 {
			t.Fatalf("%d proofs remembered, 20 allowed", len(m.current)+len(m.previous))
		}
	}
}

func TestOneOfManyParallelShowingsWins(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	proof := newDevice(t).proof(t, c.t, "POST", path, nil)
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := a.Proof(proof, "POST", path, ""); err == nil {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d showings of one proof worked", won.Load())
	}
}
