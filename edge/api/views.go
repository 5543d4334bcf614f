package api

import (
	"context"
	"net/http"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatview"
)

// Views are the pictures of what one sees from the sections of a chart.
type Views interface {
	Views(ctx context.Context, chart id.ID) ([]seatview.View, error) // without their bodies
	Picture(ctx context.Context, chart id.ID, digest string) (seatview.Picture, error)
}

const cacheViews = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"

func (a *API) viewRoutes() []route {
	return []route{ // before the chart's versions, one of which "views" would be
		{method: http.MethodGet, path: "/v1/charts/:chartId/views", do: a.listViews},
		{method: http.MethodGet, path: "/v1/charts/:chartId/views/:digest", do: a.getView},
	}
}

type viewJSON struct {
	Section string        `json:"section"`
	URL     string        `json:"url"`
	Type    seatview.Kind `json:"type"`
	Width   int           `json:"width"`
	Height  int           `json:"height"`
}

func (a *API) listViews(c *call) error {
	which, err := c.paramID("chartId")
	if err != nil {
		return err
	}
	out := struct {
		Views []viewJSON `json:"views"`
	}{Views: []viewJSON{}}
	if a.Views != nil {
		all, err := a.Views.Views(c.ctx, which)
		if err != nil {
			return err
		}
		for _, v := range all {
			url := "/v1/charts/" + which.String() + "/views/" + v.Picture.Digest
			out.Views = append(out.Views, viewJSON{v.Section, url, v.Picture.Kind, v.Picture.Width, v.Picture.Height})
		}
	}
	return c.cachedJSON(out, cacheViews)
}

// getView sends a picture as it came; its address is made of its content.
func (a *API) getView(c *call) error {
	which, err := c.paramID("chartId")
	if err != nil {
		return err
	}
	digest := c.param("digest")
	if a.Views == nil || len(digest) != 32 {
		return fault.New(fault.NotFound, "no such picture")
	}
	p, err := a.Views.Picture(c.ctx, which, digest)
	if err != nil {
		return err
	}
	c.set("Content-Disposition", "inline")
	if c.cache(digest, cacheForever) {
		return nil
	}
	return c.send(http.StatusOK, string(p.Kind), p.Body)
}
