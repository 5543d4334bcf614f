package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/edge/api"
)

// sellHouse puts a house on sale that has everything: row A-1 with ten seats (the last ones an
// accessible seat and its companion), ten standing places in PIT; 180.00 and 90.00 BRL.
func (w *world) sellHouse(rules event.Rules) {
	w.t.Helper()
	row := seatmap.RowSpec{Label: "1"}
	for s := range 10 {
		row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(s + 1), X: float32(s), Accessible: s == 8, Companion: s == 9})
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "House",
		Sections: []seatmap.SectionSpec{
			{Label: "A", Rows: []seatmap.RowSpec{row}},
			{Label: "PIT", Name: "The pit", Places: 10, Category: 1, Outline: []seatmap.Point{{X: 0, Y: 5}, {X: 9, Y: 5}, {X: 5, Y: 9}}},
		},
		Categories: []seatmap.Category{{Key: "front", Name: "Front", Color: "#aa0000"}, {Key: "pit", Name: "Pit", Color: "#0000aa"}},
	})
	if err == nil {
		err = w.catalog.PutChart(w.t.Context(), chart)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	start := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Millisecond)
	w.event, err = w.catalog.CreateEvent(w.t.Context(), event.Event{
		ID: id.New(), Title: "House night", Venue: event.Venue{Name: "House", City: "Recife", Country: "BR"}, Genre: "forró",
		TimeZone: "America/Recife", Currency: "BRL", HomeRegion: "sa-east", StartsAt: start, OnSaleAt: start.Add(-72 * time.Hour),
		State: event.OnSale, ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{18000, 9000}, Rules: rules,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.chart = chart
}

func openHouse(t *testing.T) (*world, *fan) {
	t.Helper()
	w := open(t, api.Options{DevSessions: true})
	rules := event.DefaultRules()
	rules.PressesPerMinute = 1000
	w.sellHouse(rules)
	return w, w.fan("ana@example.com").signIn().comeIn()
}

func members(a answer, list, member string) string {
	var out []string
	for _, x := range a.json[list].([]any) {
		out = append(out, fmt.Sprint(x.(map[string]any)[member]))
	}
	return strings.Join(out, " ")
}

func TestAreasOverHTTP(t *testing.T) {
	w, f := openHouse(t)
	detail := w.do("GET", "/v1/events/"+w.event.ID.String(), "").must(200)
	if got := members(detail, "sections", "area") + " " + members(detail, "sections", "capacity") + " " + members(detail, "sections", "category"); got != "false true 10 10 front pit" {
		t.Errorf("sections %s: %s", got, detail.raw)
	}
	h := f.hold(`{"seatIds":["A-1-3"],"areas":[{"section":"PIT","quantity":3}],"expectedTotal":{"amount":45000,"currency":"BRL"}}`).must(201)
	if got := members(h, "seats", "section") + " " + members(h, "seats", "area"); got != "A PIT PIT PIT <nil> true true true" {
		t.Errorf("seats %s: %s", got, h.raw)
	}
	place := strings.Fields(members(h, "seats", "seatId"))[1]
	for name, tt := range map[string]struct {
		body   string
		status int
		code   fault.Code
	}{
		"none":                {`{"areas":[{"section":"PIT","quantity":0}]}`, 400, fault.Invalid},
		"negative":            {`{"areas":[{"section":"PIT","quantity":-3}]}`, 400, fault.Invalid},
		"no quantity":         {`{"areas":[{"section":"PIT"}]}`, 400, fault.Invalid},
		"half a person":       {`{"areas":[{"section":"PIT","quantity":1.5}]}`, 400, fault.Invalid},
		"not a number":        {`{"areas":[{"section":"PIT","quantity":NaN}]}`, 400, fault.Invalid},
		"1e400":               {`{"areas":[{"section":"PIT","quantity":1e400}]}`, 400, fault.Invalid},
		"2^64":                {`{"areas":[{"section":"PIT","quantity":18446744073709551617}]}`, 400, fault.Invalid},
		"text":                {`{"areas":[{"section":"PIT","quantity":"2"}]}`, 400, fault.Invalid},
		"a million":           {`{"areas":[{"section":"PIT","quantity":1000000}]}`, 409, fault.LimitExceeded},
		"over the limit":      {`{"areas":[{"section":"PIT","quantity":7}]}`, 409, fault.LimitExceeded},
		"over it together":    {`{"seatIds":["A-1-1","A-1-2"],"areas":[{"section":"PIT","quantity":5}]}`, 409, fault.LimitExceeded},
		"empty":               {`{"areas":[]}`, 400, fault.Invalid},
		"both empty":          {`{"seatIds":[],"areas":[]}`, 400, fault.Invalid},
		"null":                {`{"areas":null}`, 400, fault.Invalid},
		"with best available": {`{"areas":[{"section":"PIT","quantity":1}],"bestAvailable":{"quantity":1}}`, 400, fault.Invalid},
		"unknown":             {`{"areas":[{"section":"Z","quantity":1}]}`, 404, fault.NotFound},
		"numbered":            {`{"areas":[{"section":"A","quantity":1}]}`, 400, fault.Invalid},
		"twice":               {`{"areas":[{"section":"PIT","quantity":1},{"section":"PIT","quantity":1}]}`, 400, fault.Invalid},
		"price":               {`{"areas":[{"section":"PIT","quantity":1}],"expectedTotal":{"amount":1,"currency":"BRL"}}`, 409, fault.PriceChanged},
		"best 1e400":          {`{"bestAvailable":{"quantity":1e400}}`, 400, fault.Invalid},
		"best NaN":            {`{"bestAvailable":{"quantity":NaN}}`, 400, fault.Invalid},
		"best 2.5":            {`{"bestAvailable":{"quantity":2.5}}`, 400, fault.Invalid},
	} {
		got := f.hold(tt.body)
		if got.status != tt.status || got.json["code"] != string(tt.code) {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}
	session := []string{"Authorization", "Bearer " + f.session}
	if mine := w.do("GET", w.holds()+"/mine", "", session...).must(200); mine.json["hold"].(map[string]any)["holdId"] != h.text("holdId") {
		t.Errorf("a refused replacement changed the hold: %s", mine.raw)
	}
	bob := w.fan("bob@example.com").signIn().comeIn()
	bob.hold(`{"areas":[{"section":"PIT","quantity":6}]}`).must(201)
	eve := w.fan("eve@example.com").signIn().comeIn()
	few := eve.hold(`{"areas":[{"section":"PIT","quantity":2}]}`).refused(409, fault.NoSeats)
	if few.text("reason") != "quantity" || few.text("section") != "PIT" {
		t.Errorf("%s", few.raw)
	}
	eve.hold(`{"areas":[{"section":"PIT","quantity":1}]}`).must(201)
	// a place's name stands for any place of the area; ana's own are used again
	again := f.hold(`{"seatIds":["` + place + `","A-1-3"]}`).must(201)
	if got := members(again, "seats", "section"); got != "A PIT" || again.text("hardExpiresAt") != h.text("hardExpiresAt") {
		t.Errorf("%s", again.raw)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	w, f := openHouse(t)
	want := func(body string, code fault.Code, reason, seats string) answer {
		t.Helper()
		got := f.hold(body).refused(409, code)
		if got.text("reason") != reason || seats != "" && fmt.Sprint(got.json["seats"]) != seats {
			t.Errorf("%s: %s", body, got.raw)
		}
		return got
	}
	want(`{"seatIds":["A-1-9","A-1-10"]}`, fault.SeatBlocked, "accessible", "[A-1-9 A-1-10]")
	want(`{"seatIds":["A-1-10","A-1-1"],"accessible":true}`, fault.SeatBlocked, "accessible", "[A-1-10]")
	f.hold(`{"seatIds":["A-1-9","A-1-10"],"accessible":true}`).must(201)
	bob := w.fan("bob@example.com").signIn().comeIn()
	if got := bob.hold(`{"bestAvailable":{"quantity":1,"accessible":true}}`).refused(409, fault.NoSeats); got.text("reason") != "accessible" {
		t.Errorf("%s", got.raw)
	}
	want(`{"bestAvailable":{"quantity":2,"maxPrice":{"amount":1,"currency":"BRL"}}}`, fault.NoSeats, "price", "")
	want(`{"bestAvailable":{"quantity":9,"sections":["A"]}}`, fault.NoSeats, "sections", "") // of ten places in the pit all are free

	release := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	if _, err := w.catalog.PutChannel(t.Context(), w.event.ID, "Fan club", &release); err != nil {
		t.Fatal(err)
	}
	w.exec("update seat set channel = 1, version = version + 1 where event_id = $1 and ordinal in (0, 1)", [16]byte(w.event.ID))
	w.exec("update seat set status = 3, version = version + 1 where event_id = $1 and ordinal = 2", [16]byte(w.event.ID))
	channel := want(`{"seatIds":["A-1-1","A-1-2","A-1-5"]}`, fault.SeatBlocked, "channel", "[A-1-1 A-1-2]")
	if at, err := time.Parse(time.RFC3339, channel.text("releaseAt")); err != nil || !at.Equal(release) {
		t.Errorf("%s", channel.raw)
	}
	want(`{"seatIds":["A-1-3","A-1-5"]}`, fault.SeatBlocked, "blocked", "[A-1-3]")
	member := w.fan("eva@example.com").signIn().comeIn().through(1)
	member.hold(`{"seatIds":["A-1-1","A-1-2"]}`).must(201)
	w.do("DELETE", "/v1/holds/"+member.hold(`{"seatIds":["A-1-1"]}`).must(201).text("holdId"), "", "Authorization", "Bearer "+member.session).must(204)
	past := time.Now().Add(-time.Second)
	if _, err := w.catalog.PutChannel(t.Context(), w.event.ID, "Fan club", &past); err != nil {
		t.Fatal(err)
	}
	f.hold(`{"seatIds":["A-1-1","A-1-2"]}`).must(201) // released, by the database's clock

	hundred := make([]string, 100)
	for i := range hundred {
		hundred[i] = fmt.Sprintf("%q", w.chart.Label(seatmap.Ordinal(i%w.chart.Seats())))
	}
	limit := f.hold(`{"seatIds":[`+strings.Join(hundred[:20], ",")+`]}`).refused(409, fault.LimitExceeded)
	if limit.json["limit"] != 6.0 || limit.json["have"] != 0.0 {
		t.Errorf("%s", limit.raw)
	}
	_, other := w.sell("Olinda", event.DefaultRules()) // its A-2-1 is no seat of this house
	mixed := f.hold(`{"seatIds":["A-1-5","A-2-1"]}`).refused(404, fault.NotFound)
	if fmt.Sprint(mixed.json["seats"]) != "[A-2-1]" || other.ID == w.event.ID {
		t.Errorf("%s", mixed.raw)
	}
}

// A hundred seats that all exist: refused with the limit.
func TestHundredSeats(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	row := seatmap.RowSpec{Label: "1"}
	names := make([]string, 100)
	for s := range 100 {
		row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(s + 1), X: float32(s)})
		names[s] = fmt.Sprintf(`"A-1-%d"`, s+1)
	}
	chart, err := seatmap.Build(seatmap.Spec{ID: id.New(), Version: 1, Name: "Row", Sections: []seatmap.SectionSpec{{Label: "A", Rows: []seatmap.RowSpec{row}}},
		Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}}})
	if err == nil {
		err = w.catalog.PutChart(t.Context(), chart)
	}
	if err == nil {
		e := w.event
		e.ID, e.ChartID, e.Prices = id.New(), chart.ID(), []int64{100}
		w.event, err = w.catalog.CreateEvent(t.Context(), e)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := w.fan("ana@example.com").signIn().comeIn().hold(`{"seatIds":[`+strings.Join(names, ",")+`]}`).refused(409, fault.LimitExceeded)
	if got.json["limit"] != 6.0 || got.json["have"] != 0.0 {
		t.Errorf("%s", got.raw)
	}
}

func TestLimitsOfTimeOverHTTP(t *testing.T) {
	w, f := openHouse(t)
	session := []string{"Authorization", "Bearer " + f.session}
	h := f.hold(`{"seatIds":["A-1-1"]}`).must(201)
	one := "/v1/holds/" + h.text("holdId")
	w.exec("update hold set expires_at = hard_expires_at where hold_id = $1", h.text("holdId"))
	late := w.do("POST", one+"/extend", "", append([]string{"Idempotency-Key", "e1"}, session...)...).refused(409, fault.HoldLimit)
	if late.text("hardExpiresAt") == "" {
		t.Errorf("%s", late.raw)
	}
	w.exec("update hold set state = 2 where hold_id = $1", h.text("holdId")) // a payment runs
	for _, got := range []answer{
		f.hold(`{"seatIds":["A-1-2"]}`),
		f.hold(`{"areas":[{"section":"PIT","quantity":1}]}`),
		f.hold(`{"bestAvailable":{"quantity":1}}`),
		w.do("DELETE", one, "", session...),
		w.do("POST", one+"/extend", "", append([]string{"Idempotency-Key", "e2"}, session...)...),
	} {
		if got.refused(409, fault.PaymentInProgress).text("holdId") != h.text("holdId") {
			t.Errorf("%s", got.raw)
		}
	}
}

// Two bodies in flight under one key: one gets its hold, the other 422, whichever is first.
func TestTwoBodiesInFlight(t *testing.T) {
	w, f := openHouse(t)
	for round := range 10 {
		var all sync.WaitGroup
		answers := make([]answer, 2)
		for i, body := range []string{`{"seatIds":["A-1-1"]}`, `{"areas":[{"section":"PIT","quantity":2}]}`} {
			all.Go(func() {
				answers[i] = w.do("POST", w.holds(), body, "Authorization", "Bearer "+f.access, "Idempotency-Key", fmt.Sprint("round-", round))
			})
		}
		all.Wait()
		if answers[0].status > answers[1].status {
			answers[0], answers[1] = answers[1], answers[0]
		}
		answers[0].must(201)
		answers[1].refused(422, fault.KeyReused)
	}
}
