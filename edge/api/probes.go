package api

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"plateia/core/fault"
)

func (a *API) probeRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/healthz", do: a.health},
		{method: http.MethodGet, path: "/readyz", do: a.ready},
		{method: http.MethodGet, path: "/.well-known/jwks.json", do: a.jwks},
	}
}

// health: the process answers. Nothing else is looked at, so that a database
// that is away does not get every process restarted.
func (a *API) health(c *call) error { return c.json(http.StatusOK, map[string]string{"status": "ok"}) }

// ready: send traffic here.
func (a *API) ready(c *call) error {
	if a.Ready != nil {
		if err := a.Ready(c.ctx); err != nil {
			return fault.Wrap(err, fault.Busy, "not ready")
		}
	}
	return c.json(http.StatusOK, map[string]string{"status": "ready"})
}

// jwks is the public keys, current and next, that anyone may verify our tokens and tickets with.
func (a *API) jwks(c *call) error {
	c.set("Cache-Control", "public, max-age=300")
	keys, err := a.keySet()
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, "application/jwk-set+json", keys)
}

// keySet is the tokens' keys and the tickets'.
func (a *API) keySet() ([]byte, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if a.Signer == nil {
		return a.Tokens.JWKS(), nil
	}
	if err := json.Unmarshal(a.Tokens.JWKS(), &set); err != nil {
		return nil, err
	}
	own, err := json.Marshal(map[string]string{
		"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": a.Signer.KeyID().String(),
		"x": base64.RawURLEncoding.EncodeToString(a.Signer.Public()),
	})
	if err != nil {
		return nil, err
	}
	set.Keys = append(set.Keys, own)
	return json.Marshal(set)
}
