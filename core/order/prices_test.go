package order

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// The same file is read by the page's tests (web/src/event/pricing.test.ts): what a fan is shown before the hold is what the hold costs.
func TestPricesAsThePageWorksThemOut(t *testing.T) {
	raw, err := os.ReadFile("testdata/prices.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name       string
		Prices     []int64
		Fees       []event.Fee
		TaxPercent int
		Charged    []int64 // the fees
		Total, Tax int64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	for _, c := range cases {
		rules := event.Rules{Fees: c.Fees, TaxPercent: c.TaxPercent}
		var seats []Line
		for i, price := range c.Prices {
			seats = append(seats, Seat(seatmap.Ordinal(i), price))
		}
		lines := Price(&rules, seats)
		charged := []int64{}
		for _, l := range lines {
			if l.Kind == FeeLine {
				charged = append(charged, l.Amount)
			}
		}
		if Total(lines) != c.Total || Tax(lines) != c.Tax || !slices.Equal(charged, c.Charged) {
			t.Errorf("%s: total %d, tax %d, fees %v; want %d, %d, %v", c.Name, Total(lines), Tax(lines), charged, c.Total, c.Tax, c.Charged)
		}
	}
}
