package api_test

import (
	"strings"
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatview"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/edge/api"
)

func TestViewsOfAChart(t *testing.T) {
	t.Parallel()
	w := &world{t: t, db: dbtest.New(t), log: &safeLog{}, doc: describe(t)}
	w.catalog = db.NewCatalog(w.db)
	views := db.NewViews(w.catalog)
	w.serve(api.New(api.Deps{Events: w.catalog, Views: views}, api.Options{}))
	_, e := w.sell("Recife", event.DefaultRules())
	base := "/v1/charts/" + e.ChartID.String() + "/views"
	if got := w.do("GET", base, "").must(200); string(got.raw) != `{"views":[]}` || !strings.HasPrefix(got.header.Get("Cache-Control"), "public, max-age=60") {
		t.Errorf("none: %s %v", got.raw, got.header)
	}
	p := seatview.Picture{Kind: seatview.WebP, Width: 800, Height: 450, Digest: strings.Repeat("ab", 16), Body: []byte("RIFF")}
	if err := views.Act(t.Context(), seatview.Order{Chart: e.ChartID, Section: "A", Picture: &p, Who: "Ana", Why: "x"}); err != nil {
		t.Fatal(err)
	}
	url := base + "/" + p.Digest
	want := `{"views":[{"section":"A","url":"` + url + `","type":"image/webp","width":800,"height":450}]}`
	if got := w.do("GET", base, "").must(200); string(got.raw) != want {
		t.Errorf("lists %s, want %s", got.raw, want)
	}
	picture := w.do("GET", url, "").must(200)
	h := picture.header
	if string(picture.raw) != "RIFF" || h.Get("Content-Type") != "image/webp" || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Content-Disposition") != "inline" {
		t.Errorf("the picture: %q %v", picture.raw, h)
	}
	w.do("GET", url, "", "If-None-Match", h.Get("ETag")).must(304)
	w.do("GET", base+"/"+strings.Repeat("cd", 16), "").refused(404, fault.NotFound)
	w.do("GET", base+"/short", "").refused(404, fault.NotFound)
	w.do("GET", "/v1/charts/"+id.New().String()+"/views/"+p.Digest, "").refused(404, fault.NotFound)
}
