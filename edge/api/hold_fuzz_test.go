package api

import (
	"encoding/json"
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/edge/decode"
)

// FuzzHoldBody reads any body as a hold request. What is accepted is a command that makes sense: seats of the chart,
// each once, or a party of one to ten; never a panic, never our fault.
func FuzzHoldBody(f *testing.F) {
	for _, seed := range []string{
		`{"seatIds":["A-1-1","A-1-2"]}`, `{"seatIds":["A-1-1","A-1-1"]}`, `{"seatIds":[]}`, `{"seatIds":null}`, `{"seatIds":["",1]}`,
		`{"seatIds":["A-1-1"],"expectedTotal":{"amount":18000,"currency":"BRL"}}`, `{"seatIds":["A-1-1"],"expectedTotal":{"amount":-1}}`,
		`{"bestAvailable":{"quantity":2}}`, `{"bestAvailable":{"quantity":2,"sections":["A"],"maxPrice":{"amount":1,"currency":"BRL"},"accessible":true}}`,
		`{"bestAvailable":{"quantity":-1}}`, `{"bestAvailable":{"quantity":1e99}}`, `{"bestAvailable":{"quantity":600,"sections":["B",""]}}`,
		`{"seatIds":["A-1-1"],"bestAvailable":{"quantity":2}}`, `{}`, `[]`, `{"seatIds":["A-1-1"]`, `{"seatids":["A-1-2"],"seatIds":[]}`,
		`{"seatIds":["A-1-1"],"areas":[{"section":"A","quantity":-3}],"accessible":true}`, `{"areas":[{"section":"FLOOR","quantity":9223372036854775807}]}`,
		`{"seatIds":["A-1-1"],"areas":[{"section":"FLOOR","quantity":2}]}`, `{"areas":[{"section":"FLOOR","quantity":2},{"section":"FLOOR","quantity":2}]}`,
	} {
		f.Add([]byte(seed))
	}
	chart := fuzzHall(f)
	e := event.Event{ID: id.New(), Currency: "BRL", Prices: []int64{18000}, Rules: event.DefaultRules()}
	f.Fuzz(func(t *testing.T, data []byte) {
		var body holdRequest
		cmd := inventory.PlaceHold{Hold: id.New(), Account: id.New()}
		err := decode.Object(data, &body)
		if err == nil {
			err = body.into(&cmd, e, chart)
		}
		switch fault.CodeOf(err) {
		case fault.Invalid, fault.NotFound, fault.LimitExceeded, fault.NoSeats:
			if _, err := json.Marshal(fault.From(err).Details); err != nil {
				t.Fatalf("a refusal that cannot be told: %v", err)
			}
			return
		case "":
		default:
			t.Fatalf("%v for %q", err, data)
		}
		wantSensible(t, cmd, chart)
	})
}

func wantSensible(t *testing.T, cmd inventory.PlaceHold, chart *seatmap.Chart) {
	t.Helper()
	seen := map[seatmap.Ordinal]bool{}
	for _, o := range cmd.Seats {
		if !chart.Has(o) || seen[o] {
			t.Fatalf("seats %v", cmd.Seats)
		}
		seen[o] = true
	}
	if len(cmd.Seats) > maxWish || len(cmd.Seats)+len(cmd.Areas) == 0 && cmd.Best == nil {
		t.Fatalf("%d seats", len(cmd.Seats))
	}
	for i, area := range cmd.Areas {
		if i > 0 && area.Section <= cmd.Areas[i-1].Section || !chart.Sections()[area.Section].General || area.Quantity < 1 || area.Quantity > 2*maxWish {
			t.Fatalf("areas %+v", cmd.Areas)
		}
	}
	if q := cmd.Best; q != nil && (q.Quantity < 1 || q.Quantity > 10 || len(cmd.Seats) > 0 || q.MaxPrice != nil && *q.MaxPrice < 0) {
		t.Fatalf("best available %+v", q)
	}
	if cmd.ExpectedTotal != nil && *cmd.ExpectedTotal < 0 {
		t.Fatalf("expected total %d", *cmd.ExpectedTotal)
	}
}

// fuzzHall is a section A of two rows of four, and a floor for twenty.
func fuzzHall(t testing.TB) *seatmap.Chart {
	t.Helper()
	section := seatmap.SectionSpec{Label: "A"}
	for _, label := range []string{"1", "2"} {
		row := seatmap.RowSpec{Label: label}
		for n := range 4 {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: string(rune('1' + n)), X: float32(n), Y: float32(len(section.Rows))})
		}
		section.Rows = append(section.Rows, row)
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Sections: []seatmap.SectionSpec{section, {
			Label: "FLOOR", Places: 20, Outline: []seatmap.Point{{X: 0, Y: 5}, {X: 4, Y: 5}, {X: 4, Y: 9}},
		}},
		Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return chart
}
