package db_test

import (
	"fmt"
	"strings"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatview"
	"plateia/db"
	"plateia/db/dbtest"
)

func pictured(digest string) *seatview.Picture {
	return &seatview.Picture{Kind: seatview.JPEG, Width: 800, Height: 450, Digest: strings.Repeat(digest, 32), Body: []byte("picture " + digest)}
}

func TestViewsAreSetWithWhoAndWhy(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	e := dbtest.OnSale(t, c, hallWithAll(t))
	ctx, s := t.Context(), db.NewViews(c)
	set := func(section string, p *seatview.Picture) error {
		return s.Act(ctx, seatview.Order{Chart: e.ChartID, Section: section, Picture: p, Who: "Ana", Why: "new photographs"})
	}
	for _, p := range []*seatview.Picture{pictured("a"), pictured("a"), pictured("b")} { // the second changes nothing
		if err := set("A", p); err != nil {
			t.Fatal(err)
		}
	}
	if err := set("GA", pictured("b")); err != nil { // one picture, two sections
		t.Fatal(err)
	}
	all, err := s.Views(ctx, e.ChartID)
	if got := fmt.Sprintf("%d %s %.1s %s %d", len(all), all[0].Section, all[0].Picture.Digest, all[1].Section, len(all[0].Picture.Body)); err != nil || got != "2 A b GA 0" {
		t.Errorf("lists %s, %v", got, err)
	}
	p, err := s.Picture(ctx, e.ChartID, pictured("b").Digest)
	if err != nil || string(p.Body) != "picture b" || p.Kind != seatview.JPEG {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.Picture(ctx, e.ChartID, pictured("a").Digest); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a picture that was replaced: %v", err)
	}
	if err := set("A", nil); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"another section": set("Z", pictured("a")),
		"another chart":   s.Act(ctx, seatview.Order{Chart: id.New(), Section: "A", Who: "Ana", Why: "x"}),
	} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Act(ctx, seatview.Order{Chart: e.ChartID, Section: "A", Who: "Ana"}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("without a reason: %v", err)
	}
	actions, err := s.Actions(ctx, e.ChartID, 10)
	var told []string
	for _, a := range actions {
		told = append(told, fmt.Sprintf("%d %s %.1s>%.1s %s", a.Seq, a.Section, a.Before, a.After, a.Who))
	}
	if want := "4 A b> Ana, 3 GA >b Ana, 2 A a>b Ana, 1 A >a Ana"; strings.Join(told, ", ") != want || err != nil {
		t.Errorf("audit %q, %v; want %q", strings.Join(told, ", "), err, want)
	}
}
