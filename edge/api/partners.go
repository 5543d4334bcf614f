package api

import (
	"net/http"

	"plateia/core/id"
	"plateia/core/partner"
	"plateia/edge/embed"
)

// Partners say from memory whose pages may show what: partner.Book does.
type Partners interface {
	List() *partner.List
	Origins(event id.ID) []partner.Origin
}

func (a *API) partnerRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/events/:eventId/embed", do: a.getEmbed},
		{method: http.MethodGet, path: embed.ListPath, do: a.listGrants},
	}
}

// getEmbed asks no database, so that a flood of made-up events costs nothing: whether there is such an event is said elsewhere.
func (a *API) getEmbed(c *call) error {
	which, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	var origins []partner.Origin
	if a.Partners != nil {
		origins = a.Partners.Origins(which)
	}
	return c.cachedBytes(embed.Document(origins), embed.CacheDocument)
}

// listGrants is for edges; they pass it on to nobody.
func (a *API) listGrants(c *call) error {
	list := partner.NewList("0", nil, nil)
	if a.Partners != nil {
		list = a.Partners.List()
	}
	if c.cache(list.Version(), embed.CacheList) {
		return nil
	}
	return c.send(http.StatusOK, "application/json", embed.Encode(list.Version(), list.Grants()))
}
