package dbtest

import (
	"fmt"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// Hall is a chart of one section "A" with rows 1.. of seats 1..; odd rows are in
// category 0, even ones in category 1.
func Hall(t testing.TB, chart id.ID, version, rows, seats int) *seatmap.Chart {
	t.Helper()
	section := seatmap.SectionSpec{Label: "A"}
	for r := range rows {
		row := seatmap.RowSpec{Label: fmt.Sprint(r + 1)}
		for s := range seats {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(s + 1), X: float32(s), Y: float32(r), Category: r % 2})
		}
		section.Rows = append(section.Rows, row)
	}
	built, err := seatmap.Build(seatmap.Spec{
		ID: chart, Version: version, Name: "Hall", Sections: []seatmap.SectionSpec{section},
		Categories: []seatmap.Category{{Key: "front", Name: "Front", Color: "#aa0000"}, {Key: "back", Name: "Back", Color: "#0000aa"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// OnSale stores a chart and puts an event with it on sale, in two days, at
// 180.00 BRL for category 0 and 90.00 BRL for every other.
func OnSale(t testing.TB, c *db.Catalog, chart *seatmap.Chart) event.Event {
	t.Helper()
	if err := c.PutChart(t.Context(), chart); err != nil {
		t.Fatal(err)
	}
	start := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Millisecond)
	e := event.Event{
		ID: id.New(), Title: "São João, the Show", Venue: event.Venue{Name: "Old Hall", City: "Recife", Country: "BR"},
		Genre: "forró", TimeZone: "America/Recife", Currency: "BRL", HomeRegion: "sa-east", StartsAt: start,
		OnSaleAt: start.Add(-72 * time.Hour), State: event.OnSale, ChartID: chart.ID(), ChartVersion: chart.Version(),
		Rules: event.DefaultRules(),
	}
	for i := range chart.Categories() {
		e.Prices = append(e.Prices, 9000)
		if i == 0 {
			e.Prices[i] = 18000
		}
	}
	e, err := c.CreateEvent(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
