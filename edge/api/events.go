package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// How long answers may be kept. Never s-maxage: it switches stale-while-revalidate off.
const (
	cacheEvent        = "public, max-age=1, stale-while-revalidate=30, stale-if-error=300"
	cacheAvailability = "public, max-age=1, stale-while-revalidate=2, stale-if-error=10"
	cacheForever      = "public, max-age=31536000, immutable"
)

const binary8 = "application/octet-stream"

func (a *API) eventRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/events/:eventId", do: a.getEvent},
		{method: http.MethodGet, path: "/v1/events/:eventId/availability", do: a.getAvailability},
		{method: http.MethodGet, path: "/v1/events/:eventId/availability/:section", do: a.getSectionAvailability},
		{method: http.MethodGet, path: "/v1/charts/:chartId/:version", do: a.getChart},
	}
}

func (a *API) getEvent(c *call) error {
	which, err := c.paramID("eventId")
	if err != nil {
		return err
	}
	e, err := a.Events.Shown(c.ctx, which)
	if err != nil {
		return err
	}
	chart, err := a.Events.Chart(c.ctx, e.ChartID, e.ChartVersion)
	if err != nil {
		return err
	}
	if e.HomeRegion != "" { // for the edge, which sends the event's changes there
		c.fc.Set("Plateia-Home", e.HomeRegion)
	}
	return c.cachedJSON(detailOf(e, chart, c.now), cacheEvent)
}

// eventAndChart is the event that the path names, and its chart.
func (a *API) eventAndChart(c *call) (event.Event, *seatmap.Chart, error) {
	which, err := c.paramID("eventId")
	if err != nil {
		return event.Event{}, nil, err
	}
	return a.eventOf(c, which)
}

// eventOf is an event and its chart.
func (a *API) eventOf(c *call, which id.ID) (event.Event, *seatmap.Chart, error) {
	e, err := a.Events.Event(c.ctx, which)
	if err != nil {
		return e, nil, err
	}
	chart, err := a.Events.Chart(c.ctx, e.ChartID, e.ChartVersion)
	return e, chart, err
}

func chartURL(chart id.ID, version int) string {
	return "/v1/charts/" + chart.String() + "/" + strconv.Itoa(version)
}

func (a *API) getChart(c *call) error {
	which, err := c.paramID("chartId")
	if err != nil {
		return err
	}
	version, found := c.paramNumber("version")
	if !found {
		return fault.New(fault.NotFound, "no such chart")
	}
	chart, err := a.Events.Chart(c.ctx, which, version)
	if err != nil {
		return err
	}
	c.set("Vary", "Accept, Accept-Encoding")
	form := formOf(c.wantsBinary(), c.acceptsGzip())
	if c.cache(which.String()+"-"+strconv.Itoa(version)+form.suffix(), cacheForever) {
		return nil
	}
	if form.gzip {
		c.set("Content-Encoding", "gzip")
	}
	return c.send(http.StatusOK, form.contentType(), a.charts.render(chart, form))
}

// cachedJSON answers with v under an ETag of its content.
func (c *call) cachedJSON(v any, control string) error {
	out, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.cachedBytes(out, control)
}

// cachedBytes is cachedJSON for what is encoded already.
func (c *call) cachedBytes(out []byte, control string) error {
	sum := sha256.Sum256(out)
	if c.cache(hex.EncodeToString(sum[:12]), control) {
		return nil
	}
	return c.send(http.StatusOK, "application/json", out)
}
