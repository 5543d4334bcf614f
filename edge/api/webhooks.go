package api

import "net/http"

func (a *API) webhookRoutes() []route {
	return []route{
		{method: http.MethodPost, path: "/v1/webhooks/payments/:provider", raw: true, do: a.receiveWebhook},
	}
}

// receiveWebhook answers 2xx once the delivery is stored; what it says is worked on
// behind. Anything else makes the provider try again.
func (a *API) receiveWebhook(c *call) error {
	if err := a.Checkout.Receive(c.ctx, c.param("provider"), c.headers(), c.body); err != nil {
		return err
	}
	return c.noContent()
}

// headers is a copy of all request headers, for signatures.
func (c *call) headers() http.Header {
	out := http.Header{}
	c.fc.Request().Header.VisitAll(func(name, value []byte) { out.Add(string(name), string(value)) })
	return out
}
