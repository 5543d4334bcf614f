package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// How long answers may be kept. Never s-maxage: it switches stale-while-revalidate off.
const (
	cacheList         = "public, max-age=10, stale-while-revalidate=60, stale-if-error=300"
	cacheEvent        = "public, max-age=1, stale-while-revalidate=30, stale-if-error=300"
	cacheAvailability = "public, max-age=1, stale-while-revalidate=2, stale-if-error=10"
	cacheForever      = "public, max-age=31536000, immutable"
)

const (
	binary8      = "application/octet-stream"
	defaultLimit = 20
	maxLimit     = 100
	maxSearch    = 200 // bytes of ?q
)

func (a *API) eventRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/v1/events", do: a.listEvents},
		{method: http.MethodGet, path: "/v1/events/:eventId", do: a.getEvent},
		{method: http.MethodGet, path: "/v1/events/:eventId/availability", do: a.getAvailability},
		{method: http.MethodGet, path: "/v1/events/:eventId/availability/:section", do: a.getSectionAvailability},
		{method: http.MethodGet, path: "/v1/charts/:chartId/:version", do: a.getChart},
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
	}{Events: make([]eventSummary, len(page.Events))}
	for i, e := range page.Events {
		out.Events[i] = summaryOf(e, c.now)
	}
	if page.More && len(page.Events) > 0 {
		last := page.Events[len(page.Events)-1]
		cursor := writeCursor(event.Cursor{StartsAt: last.StartsAt.UnixMilli(), ID: last.ID})
		out.NextCursor = &cursor
	}
	return c.cachedJSON(out, cacheList)
}

func listQuery(c *call) (event.Query, error) {
	q := event.Query{Text: c.query("q"), Limit: defaultLimit}
	if len(q.Text) > maxSearch || !utf8.ValidString(q.Text) {
		return q, fault.New(fault.Invalid, "q is text of at most %d bytes", maxSearch).With("field", "q")
	}
	if text := c.query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			return q, fault.New(fault.Invalid, "limit is a number from 1 to %d", maxLimit).With("field", "limit")
		}
		q.Limit = n
	}
	if text := c.query("cursor"); text != "" {
		after, ok := readCursor(text)
		if !ok {
			return q, fault.New(fault.Invalid, "cursor is not one that we gave out").With("field", "cursor")
		}
		q.After = after
	}
	return q, nil
}

func writeCursor(c event.Cursor) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(c.StartsAt))
	return base64.RawURLEncoding.EncodeToString(append(raw, c.ID[:]...))
}

func readCursor(text string) (event.Cursor, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != 24 {
		return event.Cursor{}, false
	}
	return event.Cursor{StartsAt: int64(binary.BigEndian.Uint64(raw)), ID: id.ID(raw[8:])}, true
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
