package event

import (
	"slices"
	"testing"
	"time"

	"plateia/core/id"
)

func TestArtist(t *testing.T) {
	for title, want := range map[string]string{
		"Aurora – Noite de Abertura": "aurora", "Quarteto do Porto": "quarteto do porto", "Björk: Cornucopia (live)": "bjork", "AC-DC | Tour": "ac dc",
		"– odd": "odd", "": "", "(x)": "x",
	} {
		if got := Artist(title); got != want {
			t.Errorf("Artist(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestMostLike(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	made := func(title, genre, city string, days int, change ...func(*Event)) Event {
		e := Event{
			ID: id.New(), Title: title, Genre: genre, Venue: Venue{Name: "Hall", City: city, Country: "BR"}, State: OnSale,
			StartsAt: now.AddDate(0, 0, days), OnSaleAt: now.AddDate(0, 0, -1), Capacity: 100, Free: 100,
		}
		for _, c := range change {
			c(&e)
		}
		return e
	}
	at := func(lat, lon float64) func(*Event) {
		return func(e *Event) { e.Venue.Latitude, e.Venue.Longitude = lat, lon }
	}
	e := made("Aurora – Opening", "Rock", "São Paulo", 30, at(-23.55, -46.63))
	list := []Event{
		e,
		made("Another city", "Rock", "Recife", 30),
		made("Same town", "Rock", "Sao Paulo", 31),
		made("Same town, later", "Rock", "São Paulo", 300),
		made("Next town", "Rock", "Santos", 31, at(-23.96, -46.33)),
		made("Aurora – Farewell", "Pop", "Lisboa", 90),
		made("Of nothing", "Jazz", "Recife", 30),
		made("Gone", "Rock", "São Paulo", 30, func(e *Event) { e.Free = 0 }),
		made("Off", "Rock", "São Paulo", 30, func(e *Event) { e.State = Cancelled }),
		made("Begun", "Rock", "São Paulo", -1),
	}
	list = append(list, list[2]) // found by two questions
	var got []string
	for _, other := range e.MostLike(list, 5, now) {
		got = append(got, other.Title)
	}
	if want := []string{"Same town", "Same town, later", "Next town", "Aurora – Farewell", "Another city"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(e.MostLike(list, 2, now)); n != 2 {
		t.Errorf("%d of two", n)
	}
}

func TestSuggestions(t *testing.T) {
	d := Directory{Cities: []Entry{{Name: "São Paulo", Key: "sao paulo"}, {Name: "Salvador", Key: "salvador"}, {Name: "Paulínia", Key: "paulinia"}}}
	for text, want := range map[string]int{"sá": 2, "paul": 2, "sao pau": 1, "alva": 0, "": 3, "!": 3} {
		if got := d.Suggest(text, 3).Cities; len(got) != want {
			t.Errorf("%q suggests %d, want %d", text, len(got), want)
		}
	}
	if got := d.Suggest("", 1); len(got.Cities) != 1 || got.Genres == nil {
		t.Errorf("%+v", got)
	}
}
