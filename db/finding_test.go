package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

// places are shows on consecutive evenings, at nine by the clocks of their places.
var places = []struct {
	title, venue, city, country, genre, zone, currency string
	lat, lon                                           float64
	price                                              int64
}{
	{"Aurora", "Arena", "São Paulo", "BR", "Rock", "America/Sao_Paulo", "BRL", -23.53, -46.68, 9000},
	{"Aurora – Second night", "Arena", "São Paulo", "BR", "Rock", "America/Sao_Paulo", "BRL", -23.53, -46.68, 8000},
	{"Quartet", "Old Hall", "Campinas", "BR", "Chamber", "America/Sao_Paulo", "BRL", -22.91, -47.06, 5000},
	{"Samba", "Old Hall", "Rio de Janeiro", "BR", "Samba", "America/Sao_Paulo", "BRL", -22.91, -43.17, 4000},
	{"Kiwi", "Dome", "Auckland", "NZ", "Rock", "Pacific/Auckland", "USD", -36.85, 174.76, 100},
	{"Island", "Beach", "Taveuni", "FJ", "Reggae", "Pacific/Fiji", "GBP", -16.85, -179.97, 3000},
	{"Island again", "Beach", "Suva", "FJ", "Reggae", "Pacific/Fiji", "GBP", -16.85, 179.95, 2000},
	{"Somewhere", "Tent", "Nowhere", "", "Rock", "Etc/UTC", "EUR", 0, 0, 7000},
}

func listPlaces(t *testing.T, c *db.Catalog) (day event.Day) {
	t.Helper()
	chart := hall(t, id.New(), 1, 1, 2)
	if err := c.PutChart(t.Context(), chart); err != nil {
		t.Fatal(err)
	}
	first := time.Now().UTC().AddDate(0, 2, 0).Truncate(24 * time.Hour)
	for n, p := range places {
		zone, err := time.LoadLocation(p.zone)
		if err != nil {
			t.Fatal(err)
		}
		on := first.AddDate(0, 0, n)
		_, err = c.CreateEvent(t.Context(), event.Event{
			ID: id.New(), Title: p.title, Genre: p.genre, TimeZone: p.zone, Currency: p.currency, State: event.OnSale, Rules: event.DefaultRules(),
			Venue:    event.Venue{Name: p.venue, City: p.city, Country: p.country, Latitude: p.lat, Longitude: p.lon},
			StartsAt: time.Date(on.Year(), on.Month(), on.Day(), 21, 0, 0, 0, zone), OnSaleAt: time.Now().Add(-time.Hour),
			ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{p.price, p.price * 2}[:len(chart.Categories())],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	day, _ = event.ParseDay(first.Format(time.DateOnly))
	return day
}

func titles(events []event.Event) (out []string) {
	for _, e := range events {
		out = append(out, e.Title)
	}
	return out
}

func TestListsAreNarrowedAndSorted(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	day := listPlaces(t, c)
	saoPaulo := event.Area{Latitude: -23.55, Longitude: -46.63, Km: 100}
	for name, want := range map[string]struct {
		q      event.Query
		titles []string
	}{
		"city":                 {event.Query{City: " SAO  paulo"}, []string{"Aurora", "Aurora – Second night"}},
		"accents apart":        {event.Query{City: "Sa\u0303o Paulo", Genre: "rock"}, []string{"Aurora", "Aurora – Second night"}},
		"venue in two cities":  {event.Query{Venue: "old hall"}, []string{"Quartet", "Samba"}},
		"venue in a city":      {event.Query{Venue: "old hall", City: "campinas"}, []string{"Quartet"}},
		"genre":                {event.Query{Genre: "ROCK"}, []string{"Aurora", "Aurora – Second night", "Kiwi", "Somewhere"}},
		"a word of a genre":    {event.Query{Genre: "rock", Text: "second"}, []string{"Aurora – Second night"}},
		"part of a name":       {event.Query{City: "sao"}, nil},
		"near":                 {event.Query{Near: saoPaulo}, []string{"Aurora", "Aurora – Second night", "Quartet"}},
		"nearer":               {event.Query{Near: event.Area{Latitude: -23.55, Longitude: -46.63, Km: 50}}, []string{"Aurora", "Aurora – Second night"}},
		"near, a word":         {event.Query{Near: saoPaulo, Text: "quartet"}, []string{"Quartet"}},
		"near and in a city":   {event.Query{Near: saoPaulo, City: "Campinas"}, []string{"Quartet"}},
		"near, a genre":        {event.Query{Near: saoPaulo, Genre: "chamber"}, []string{"Quartet"}},
		"by distance":          {event.Query{Near: event.Area{Latitude: -22.9, Longitude: -47, Km: 300}, Sort: event.ByDistance}, []string{"Quartet", "Aurora", "Aurora – Second night"}},
		"across the date line": {event.Query{Near: event.Area{Latitude: -16.85, Longitude: 179.9, Km: 20}, Sort: event.ByDistance}, []string{"Island again", "Island"}},
		"cheapest":             {event.Query{Near: saoPaulo, Sort: event.ByPrice}, []string{"Quartet", "Aurora – Second night", "Aurora"}},
		"cheapest by currency": {event.Query{Genre: "rock", Sort: event.ByPrice}, []string{"Aurora – Second night", "Aurora", "Somewhere", "Kiwi"}},
		"cheapest with a word": {event.Query{Text: "aurora", Sort: event.ByPrice}, []string{"Aurora – Second night", "Aurora"}},
		"from a day":           {event.Query{From: day + 6}, []string{"Island again", "Somewhere"}},
		"until a day":          {event.Query{To: day + 1}, []string{"Aurora", "Aurora – Second night"}},
		"one day":              {event.Query{From: day + 4, To: day + 4}, []string{"Kiwi"}},
		"days of a genre":      {event.Query{From: day + 1, To: day + 4, Genre: "rock"}, []string{"Aurora – Second night", "Kiwi"}},
		"nothing":              {event.Query{City: "Recife"}, nil},
	} {
		for _, limit := range []int{1, 2, 20} { // pages of every length are the same list
			want.q.Limit = limit
			if got := titles(listPages(t, c, want.q)); !slices.Equal(got, want.titles) {
				t.Errorf("%s, %d a page: %q, want %q", name, limit, got, want.titles)
			}
		}
	}
}

func TestListsRefuseWhatCannotBeAsked(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	for field, q := range map[string]event.Query{
		"limit": {}, "sort": {Limit: 1, Sort: event.ByDistance}, "from": {Limit: 1, From: 5, To: 4}, "km": {Limit: 1, Near: event.Area{Km: event.MaxKm + 1}},
		"near": {Limit: 1, Near: event.Area{Latitude: 91, Km: 1}},
	} {
		_, err := c.List(t.Context(), q)
		var refused *fault.Error
		if !errors.As(err, &refused) || refused.Code != fault.Invalid || refused.Details["field"] != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestSimilarEvents(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	listPlaces(t, c)
	for title, want := range map[string][]string{
		"Aurora": {"Aurora – Second night", "Quartet", "Kiwi"}, "Samba": nil, "Island": {"Island again"},
	} {
		page, err := c.List(t.Context(), event.Query{Text: title, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Similar(t.Context(), page.Events[0], 3)
		if err != nil || len(got) < len(want) || len(want) > 0 && got[0].Title != want[0] {
			t.Errorf("like %s: %q, %v; want %q", title, titles(got), err, want)
		}
	}
}

func TestDirectoryCountsWhatIsListed(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	listPlaces(t, c)
	dir, err := c.Directory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(dir.Cities) != 7 || dir.Cities[0] != (event.Entry{Name: "São Paulo", Country: "BR", Events: 2, Key: "sao paulo"}) {
		t.Errorf("cities %+v", dir.Cities)
	}
	if len(dir.Genres) != 4 || dir.Genres[0] != (event.Entry{Name: "Rock", Events: 4, Key: "rock"}) {
		t.Errorf("genres %+v", dir.Genres)
	}
	if found := dir.Suggest("HÁLL", 5).Venues; len(found) != 1 || found[0].Events != 2 {
		t.Errorf("venues %+v", found)
	}
}

// What an older program made is filed by the next migration, as a newer one would have done it.
func TestOlderEventsAreFiled(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	listPlaces(t, c)
	const all = `select string_agg(concat_ws(' ', title, city_key, genre_key, venue_key, latitude, longitude, cell, local_day, low_price, search), '|' order by title) from event`
	read := func() (text string) {
		if err := d.Pool().QueryRow(t.Context(), all).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := read()
	exec(t, d, `update event set city_key = null, genre_key = null, venue_key = null, latitude = null, longitude = null, cell = null,
		local_day = null, low_price = null, search = ''`)
	if got := listPages(t, c, event.Query{City: "campinas", Limit: 5}); len(got) != 0 {
		t.Errorf("found %q", titles(got))
	}
	if _, err := d.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := read(); after != before {
		t.Errorf("filed %s\nwant  %s", after, before)
	}
	if n, err := d.FileEvents(t.Context()); n != 0 || err != nil {
		t.Error(fmt.Sprint("filed again: ", n), err)
	}
}

// Whoever asks for another list while all turns are taken is told to come again; what was read a moment ago is there for everybody.
func TestListsAreReadByAFewAtOnce(t *testing.T) {
	t.Parallel()
	c := db.NewCatalog(dbtest.New(t))
	listPlaces(t, c)
	done := c.TakeWalks(time.Millisecond)
	if _, err := c.List(t.Context(), event.Query{Text: "aurora", Limit: 5}); fault.CodeOf(err) != fault.Busy {
		t.Errorf("with all turns taken: %v", err)
	}
	done()
	page, err := c.List(t.Context(), event.Query{Text: "aurora", Limit: 5})
	if err != nil || len(page.Events) != 2 {
		t.Errorf("after it: %d events, %v", len(page.Events), err)
	}
}
