package api_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"plateia/core/id"
)

// fan is a browser: a key, and what it has been given.
type fan struct {
	w       *world
	key     *ecdsa.PrivateKey
	email   string
	session string
	queue   string
	access  string
}

func (w *world) fan(email string) *fan {
	w.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	return &fan{w: w, key: key, email: email}
}

func (f *fan) signIn() *fan {
	f.w.t.Helper()
	f.session = f.w.do("POST", "/v1/dev/sessions", fmt.Sprintf(`{"email":%q}`, f.email)).must(201).text("sessionToken")
	return f
}

func (f *fan) proof(method, path string) string {
	f.w.t.Helper()
	point, err := f.key.PublicKey.Bytes()
	if err != nil {
		f.w.t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	p := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{"jti": id.New().String(), "htm": method, "htu": f.w.url + path, "iat": time.Now().Unix()})
	p.Header["typ"] = "dpop+jwt"
	p.Header["jwk"] = map[string]string{"kty": "EC", "crv": "P-256", "x": b64(point[1:33]), "y": b64(point[33:])}
	out, err := p.SignedString(f.key)
	if err != nil {
		f.w.t.Fatal(err)
	}
	return out
}

func (f *fan) enter(which id.ID) answer {
	f.w.t.Helper()
	path := "/v1/events/" + which.String() + "/queue"
	return f.w.do("POST", path, "", "Authorization", "Bearer "+f.session, "DPoP", f.proof("POST", path))
}

func (f *fan) claim() answer {
	f.w.t.Helper()
	const path = "/v1/queue/claim"
	return f.w.do("POST", path, fmt.Sprintf(`{"queueToken":%q}`, f.queue), "Authorization", "Bearer "+f.session, "DPoP", f.proof("POST", path))
}

// comeIn enters the line and claims.
func (f *fan) comeIn() *fan {
	f.w.t.Helper()
	f.queue = f.enter(f.w.event.ID).must(201).text("queueToken")
	deadline := time.Now().Add(time.Minute)
	for f.w.do("GET", "/v1/queue", "", "Authorization", "Bearer "+f.queue).must(200).text("status") != "ADMITTED" {
		if time.Now().After(deadline) {
			f.w.t.Fatal("not admitted")
		}
		time.Sleep(20 * time.Millisecond)
	}
	f.access = f.claim().must(200).text("accessToken")
	return f
}

func (w *world) holds() string { return "/v1/events/" + w.event.ID.String() + "/holds" }

// through gives the fan a token of the same session that names a channel.
func (f *fan) through(channel int) *fan {
	f.w.t.Helper()
	access, err := f.w.auth.Access(f.access)
	if err != nil {
		f.w.t.Fatal(err)
	}
	access.Channel = channel
	if f.access, _, err = f.w.auth.MintAccess(access); err != nil {
		f.w.t.Fatal(err)
	}
	return f
}

// hold presses the button under a fresh key.
func (f *fan) hold(body string) answer {
	f.w.t.Helper()
	return f.w.do("POST", f.w.holds(), body, "Authorization", "Bearer "+f.access, "Idempotency-Key", id.New().String())
}
