package api

import (
	"math"
	"net/http"

	"plateia/core/event"
)

// How long answers may be kept that say what there is to find.
const (
	cacheList    = "public, max-age=10, stale-while-revalidate=60, stale-if-error=300"
	cacheSimilar = "public, max-age=60, stale-while-revalidate=600, stale-if-error=3600"
)

const (
	defaultLimit = 20
	defaultKm    = 50
	maxSearch    = 200 // bytes of a text
	similarShown = 6
	suggestTyped = 8 // of each kind, to who typed something
	suggestAll   = 40
)

func (a *API) findingRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/events", do: a.listEvents},
		{method: http.MethodGet, path: "/v1/events/:eventId/similar", do: a.similarEvents},
		{method: http.MethodGet, path: "/v1/suggestions", do: a.suggest},
	}
}

func (a *API) listEvents(c *call) error {
	q, err := listQuery(c)
	if err != nil {
		return err
	}
	page, err := a.Events.List(c.ctx, q)
	if err != nil {
		return err
	}
	out := struct {
		Events     []eventSummary `json:"events"`
		NextCursor *string        `json:"nextCursor"`
	}{Events: summariesOf(page.Events, q.Near, c)}
	if page.More {
		cursor := writeCursor(q.Sort, page.Next)
		out.NextCursor = &cursor
	}
	return c.cachedJSON(out, cacheList)
}

func summariesOf(events []event.Event, from event.Area, c *call) []eventSummary {
	out := make([]eventSummary, len(events))
	for i, e := range events {
		out[i] = summaryOf(e, c.now)
		if km, ok := from.Distance(e.Venue); ok && !from.Anywhere() {
			km = math.Round(km*10) / 10
			out[i].DistanceKm = &km
		}
	}
	return out
}

func (a *API) similarEvents(c *call) error {
	which, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	e, err := a.Events.Shown(c.ctx, which)
	if err != nil {
		return err
	}
	found, err := a.Events.Similar(c.ctx, e, similarShown)
	if err != nil {
		return err
	}
	return c.cachedJSON(map[string]any{"events": summariesOf(found, event.Area{}, c)}, cacheSimilar)
}

// suggestion is a city, a genre or a venue that has events.
type suggestion struct {
	Name    string `json:"name"`
	City    string `json:"city,omitempty"`
	Country string `json:"country,omitempty"`
	Events  int    `json:"events"`
}

func (a *API) suggest(c *call) error {
	if err := c.onlyQueries("q"); err != nil {
		return err
	}
	text, err := c.queryText("q")
	if err != nil {
		return err
	}
	dir, err := a.Events.Directory(c.ctx)
	if err != nil {
		return err
	}
	limit := suggestAll
	if len(event.Words(text)) > 0 {
		limit = suggestTyped
	}
	dir = dir.Suggest(text, limit)
	return c.cachedJSON(map[string][]suggestion{
		"cities": suggestionsOf(dir.Cities), "genres": suggestionsOf(dir.Genres), "venues": suggestionsOf(dir.Venues),
	}, cacheSimilar)
}

func suggestionsOf(entries []event.Entry) []suggestion {
	out := make([]suggestion, len(entries))
	for i, e := range entries {
		out[i] = suggestion{Name: e.Name, City: e.City, Country: e.Country, Events: e.Events}
	}
	return out
}
