package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/edge/api"
)

// show lists another event with the chart of w's.
func (w *world) show(change func(*event.Event)) event.Event {
	w.t.Helper()
	e := w.event
	e.ID, e.ChartVersion, e.State = id.New(), 1, event.OnSale
	change(&e)
	e, err := w.catalog.CreateEvent(w.t.Context(), e)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func found(a answer) (titles []string) {
	for _, e := range a.json["events"].([]any) {
		titles = append(titles, e.(map[string]any)["title"].(string))
	}
	return titles
}

// Every part of a question narrows or orders, and answers are what openapi.yaml says.
func TestEventsAreFound(t *testing.T) {
	w := open(t, api.Options{})
	base := w.event.StartsAt.Truncate(24*time.Hour).AddDate(0, 1, 0)
	w.show(func(e *event.Event) {
		e.Title, e.Venue, e.Genre = "Noite", event.Venue{Name: "Sala", City: "Ólinda", Country: "BR", Latitude: -8.01, Longitude: -34.85}, "Jazz"
		e.TimeZone, e.StartsAt = "America/Recife", base.Add(time.Hour) // at ten in the evening before, there
	})
	w.show(func(e *event.Event) {
		e.Title, e.Venue, e.Genre = "Tarde", event.Venue{Name: "Arena", City: "Recife", Country: "BR", Latitude: -8.06, Longitude: -34.88}, "Jazz"
		e.Prices, e.StartsAt, e.Rules.Fees = []int64{1000, 1000}, base.Add(40*time.Hour), []event.Fee{{Name: "rate", Percent: 1000}, {Name: "order", PerOrder: 500}}
	})
	eve := base.AddDate(0, 0, -1).Format(time.DateOnly)
	for query, want := range map[string]string{
		"city=olinda&genre=jazz":                "Noite",
		"genre=JAZZ&sort=price":                 "Tarde,Noite",
		"venue=arena":                           "Tarde",
		"near=-8.06,-34.88&km=20&sort=distance": "Tarde,Noite",
		"near=-8.0,-34.85&km=20&sort=distance":  "Noite,Tarde",
		"near=-8.06,-34.88&km=2":                "Tarde",
		"from=" + eve + "&to=" + eve:            "Noite",
		"q=noi&genre=jazz&sort=date&limit=1":    "Noite",
		"city=Recife&venue=sala":                "",
		"near=60,10":                            "",
	} {
		if got := strings.Join(found(w.do("GET", "/v1/events?"+query, "").must(200)), ","); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	tarde := w.do("GET", "/v1/events?venue=arena&near=-8.01,-34.85", "").must(200).json["events"].([]any)[0].(map[string]any)
	if price := fmt.Sprint(tarde["priceRange"].(map[string]any)["min"]); price != "map[amount:1100 currency:BRL]" || tarde["distanceKm"] != 6.5 {
		t.Errorf("%s, %v km", price, tarde["distanceKm"])
	}
}

func TestPagesOfEveryOrder(t *testing.T) {
	w := open(t, api.Options{})
	for n := range 5 {
		w.show(func(e *event.Event) {
			e.Title, e.Genre, e.Venue.Latitude, e.Venue.Longitude = fmt.Sprint("Show ", n), "Jazz", -8-float64(n)/10, -34.9
			e.Prices, e.StartsAt = []int64{int64(1000 - n*100), 5000}, e.StartsAt.Add(time.Duration(n)*time.Hour)
		})
	}
	for order, want := range map[string]string{"sort=date": "01234", "sort=price": "43210", "sort=distance&near=-8.4,-34.9&km=100": "43210"} {
		got, cursor := "", ""
		for range 4 {
			a := w.do("GET", "/v1/events?genre=jazz&limit=2&"+order+cursor, "").must(200)
			for _, title := range found(a) {
				got += title[len("Show "):]
			}
			if a.json["nextCursor"] == nil {
				break
			}
			cursor = "&cursor=" + a.text("nextCursor")
		}
		if got != want {
			t.Errorf("%s lists %s, want %s", order, got, want)
		}
	}
	byDate := w.do("GET", "/v1/events?limit=1", "").must(200).text("nextCursor")
	w.do("GET", "/v1/events?sort=price&cursor="+byDate, "").refused(400, fault.Invalid)
}

// A cursor is anybody's bytes: of those that we never wrote none comes to the database, which refuses some of them.
func TestCursorsThatWeDidNotWrite(t *testing.T) {
	w := open(t, api.Options{})
	zeros, early, late := strings.Repeat("\x00", 8), "\xff\xfe"+strings.Repeat("\x00", 6), "\x7f"+strings.Repeat("\xff", 7)
	for name, c := range map[string]struct{ query, raw string }{
		"zero bytes for a currency": {"sort=price", "pr" + zeros + "\x00\x00\x00" + zeros},
		"letters of no currency":    {"sort=price", "pr" + zeros + "b\xc3\xa9" + zeros},
		"before all calendars":      {"sort=price", "pr" + zeros + "BRL" + early},
		"after them":                {"sort=distance&near=-8,-34", "di" + zeros + late},
		"after them, by date":       {"sort=date", "da" + late},
	} {
		cursor := base64.RawURLEncoding.EncodeToString([]byte(c.raw + strings.Repeat("\x01", 16)))
		if a := w.do("GET", "/v1/events?"+c.query+"&cursor="+cursor, "").refused(400, fault.Invalid); a.json["field"] != "cursor" {
			t.Errorf("%s: %s", name, a.raw)
		}
	}
}

// Whatever cannot be asked is refused with the name of what is wrong.
func TestQuestionsThatCannotBeAsked(t *testing.T) {
	w := open(t, api.Options{})
	for query, field := range map[string]string{
		"utm_source=x": "utm_source", "q=a&q=b": "q", "genre=" + strings.Repeat("a", 201): "genre", "city=%ff": "city", "genre=%21%21": "genre", "sort=size": "sort", "sort=distance": "sort",
		"near=1": "near", "near=a,b": "near", "near=91,0": "near", "near=0,181": "near", "near=NaN,0": "near", "near=1,2,3": "near", "km=5": "km",
		"near=1,2&km=0": "km", "near=1,2&km=301": "km", "from=2026-02-30": "from", "from=yesterday": "from", "to=1969-01-01": "to",
		"from=2026-12-02&to=2026-12-01": "from", "limit=0": "limit", "cursor=x": "cursor",
	} {
		if a := w.do("GET", "/v1/events?"+query, "").refused(400, fault.Invalid); a.json["field"] != field {
			t.Errorf("%s: %s", query, a.raw)
		}
	}
	w.do("GET", "/v1/suggestions?x=1", "").refused(400, fault.Invalid)
	w.do("GET", "/v1/events/"+id.New().String()+"/similar", "").refused(404, fault.NotFound)
}

func TestSimilarEventsAndSuggestions(t *testing.T) {
	w := open(t, api.Options{})
	w.show(func(e *event.Event) { e.Title, e.Genre = "São João 山田 🎉 – again", "Rock" })
	if got := found(w.do("GET", "/v1/events/"+w.event.ID.String()+"/similar", "").must(200)); len(got) != 1 || got[0] != "São João 山田 🎉 – again" {
		t.Errorf("similar: %q", got)
	}
	a := w.do("GET", "/v1/suggestions?q=FORRO", "").must(200)
	if got := fmt.Sprint(a.json["genres"]); got != "[map[events:1 name:forró]]" || fmt.Sprint(a.json["cities"]) != "[]" {
		t.Errorf("%s", a.raw)
	}
	if a := w.do("GET", "/v1/suggestions", "").must(200); len(a.json["genres"].([]any)) != 2 || !strings.HasPrefix(a.header.Get("Cache-Control"), "public, max-age=60") {
		t.Errorf("%s", a.raw)
	}
}

// Case 34: a name is answered as it was written, and found however its accents are written.
func TestNamesOfEveryAlphabet(t *testing.T) {
	w := open(t, api.Options{})
	for _, c := range []struct{ name, search string }{
		{"Ção", "c\u0327a\u0303o"}, {"C\u0327a\u0303o apart", "ção APART"}, {"Дмитрий Ёлкин", "дмитрии\u0306 е\u0308лкин"}, {"山田太郎", "山田"}, {"ガンバ大阪", "カ\u3099ンハ\u3099"},
		{"فيروز آمال", "ا\u0653مال"}, {"한국 밴드", "한국"}, {"Nguyễn Thị", "nguyen thi"}, {"🎉 Łódź 🎉", "lodz"}, {"İstanbul Çağla", "istanbul cagla"}, {"<b>&\"'", "b"},
	} {
		e := w.show(func(e *event.Event) { e.Title, e.Venue.Name, e.Venue.City, e.Genre = c.name, c.name, c.name, c.name })
		for _, query := range []string{"q=" + url.QueryEscape(c.search), "city=" + url.QueryEscape(c.name), "genre=" + url.QueryEscape(c.name)} {
			a := w.do("GET", "/v1/events?"+query, "").must(200)
			ids, _ := json.Marshal(a.json["events"])
			if !strings.Contains(string(ids), e.ID.String()) {
				t.Errorf("%q is not found by %s", c.name, query)
			}
		}
		said := w.do("GET", "/v1/events/"+e.ID.String(), "").must(200)
		if venue := said.json["venue"].(map[string]any); said.text("title") != c.name || venue["name"] != c.name || venue["city"] != c.name {
			t.Errorf("%q is said as %s", c.name, said.raw)
		}
	}
}

// Case 35: a day is the place's, on both sides of a change of clocks, in whatever zone the server is.
func TestDaysAcrossAChangeOfClocks(t *testing.T) {
	w := open(t, api.Options{})
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	year := time.Now().Year() + 1
	change := time.Date(year, time.November, 1, 0, 0, 0, 0, zone)
	for change.Weekday() != time.Sunday { // the first Sunday of November: this day has 25 hours
		change = change.AddDate(0, 0, 1)
	}
	late := time.Date(year, time.November, change.Day(), 23, 30, 0, 0, zone)
	for title, starts := range map[string]time.Time{"before": late.AddDate(0, 0, -1), "on": late, "twice": change.Add(90 * time.Minute), "again": change.Add(150 * time.Minute), "after": late.AddDate(0, 0, 1)} {
		w.show(func(e *event.Event) {
			e.Title, e.TimeZone, e.Genre, e.StartsAt = title, "America/New_York", "clocks", starts.UTC()
		})
	}
	day := change.Format(time.DateOnly)
	if got := strings.Join(found(w.do("GET", "/v1/events?genre=clocks&from="+day+"&to="+day, "").must(200)), ","); got != "twice,again,on" {
		t.Errorf("on %s: %s", day, got)
	}
	if got := found(w.do("GET", "/v1/events?genre=clocks&from="+change.AddDate(0, 0, 1).Format(time.DateOnly), "").must(200)); len(got) != 1 || got[0] != "after" {
		t.Errorf("from the next day: %s", got)
	}
}
