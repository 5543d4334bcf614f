package api

import (
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

// jwks is the public keys, current and next, that anyone may verify our tokens with.
func (a *API) jwks(c *call) error {
	c.set("Cache-Control", "public, max-age=300")
	return c.send(http.StatusOK, "application/jwk-set+json", a.Tokens.JWKS())
}
