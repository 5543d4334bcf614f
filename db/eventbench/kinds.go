package eventbench

import (
	"strconv"
	"time"

	"plateia/core/event"
)

// kind is a kind of search; ask is asked n times, another question each time where that is typical.
type kind struct {
	name    string
	example string
	ask     func(n int) event.Query
	deep    int  // pages turned before the one that is measured
	odd     bool // not typical: the worst there is, told apart
}

func always(text string) func(int) string { return func(int) string { return text } }

func words(name string, text func(n int) string, deep int) kind {
	return kind{name: name, example: text(0), deep: deep, ask: func(n int) event.Query { return event.Query{Text: text(n)} }}
}

func narrowed(name, example string, ask func(n int) event.Query) kind {
	return kind{name: name, example: example, ask: ask}
}

// searchKinds is what people ask for. Each must answer quickly, the common words as well as the rare.
func searchKinds() []kind { return append(typed(), chosen()...) }

// typed is what people type.
func typed() []kind {
	late := words("a word common only in a year", always(lateWord), 0)
	late.odd = true
	return []kind{
		words("the whole list", always(""), 0),
		words("the list, a later page", always(""), 20),
		words("an artist", func(n int) string { return artist(n * 97 % artists) }, 0),
		words("an artist and a kind", func(n int) string { return artist(n*89%artists) + " " + kinds[n%len(kinds)] }, 0),
		words("part of a word", func(n int) string { return artist(n * 83 % artists)[1:7] }, 0),
		words("a venue", func(n int) string { return houses[n%len(houses)] + " " + artist(13*(n*31%2000)) }, 0),
		words("a city", func(n int) string { return cities[n%len(cities)] }, 0),
		words("a small town", func(n int) string { return "vila " + artist(7*(150+n%150)) }, 0),
		words("a city without its accents", always("sao paulo"), 0),
		words("a city, a later page", always("São Paulo"), 20),
		words("two common words", func(n int) string { return kinds[n%len(kinds)] + " " + genres[n/2%len(genres)] }, 0),
		words("a genre in a town", func(n int) string { return genres[n%len(genres)] + " vila " + artist(7*(150+n%150)) }, 0),
		words("a very common word", always("tour"), 0),
		words("a very common word, a later page", always("tour"), 20),
		late,
		words("another alphabet", always("東京"), 0),
		words("two letters", func(n int) string { return syllables[n%len(syllables)][:2] }, 0),
		words("two letters nobody has", func(n int) string { return []string{"yq", "wx", "qy"}[n%3] }, 0),
		words("no hit", func(n int) string { return "zzyzx" + strconv.Itoa(n) }, 0),
		words("common words and no hit", always("tour live festival"), 0),
	}
}

// chosen is what people narrow a list to, and the orders they look at it in.
func chosen() []kind {
	city := func(n int) string { return cities[n%len(cities)] }
	genre := func(n int) string { return genres[n%len(genres)] }
	around := func(n, km int) event.Area {
		at := positions[n%len(positions)]
		return event.Area{Latitude: at[0] + float64(n%3)/10, Longitude: at[1], Km: km}
	}
	inDays := func(n int) event.Day {
		return event.Event{StartsAt: time.Now().AddDate(0, 0, n), TimeZone: "UTC"}.Day()
	}
	return []kind{
		narrowed("in a city", "São Paulo", func(n int) event.Query { return event.Query{City: city(n)} }),
		narrowed("a genre", "Rock", func(n int) event.Query { return event.Query{Genre: genre(n)} }),
		narrowed("a genre in a city", "Rock, São Paulo", func(n int) event.Query { return event.Query{City: city(n), Genre: genre(n / 3)} }),
		narrowed("in a venue", "Arena", func(n int) event.Query {
			return event.Query{Venue: houses[n%len(houses)] + " " + artist(13*(n*31%2000))}
		}),
		narrowed("a weekend a year ahead", "", func(n int) event.Query { return event.Query{From: inDays(300 + n), To: inDays(301 + n)} }),
		narrowed("a genre on a day in a city", "", func(n int) event.Query {
			return event.Query{City: city(n), Genre: genre(n), From: inDays(30 + n), To: inDays(30 + n)}
		}),
		narrowed("an artist in a genre", "", func(n int) event.Query { return event.Query{Text: artist(n * 97 % artists), Genre: genre(n)} }),
		narrowed("a common word in a city", "tour", func(n int) event.Query { return event.Query{Text: "tour", City: city(n)} }),
		narrowed("near a place", "50 km", func(n int) event.Query { return event.Query{Near: around(n, 50)} }),
		narrowed("near a place, 300 km", "300 km", func(n int) event.Query { return event.Query{Near: around(n, event.MaxKm)} }),
		narrowed("an artist near a place", "50 km", func(n int) event.Query {
			return event.Query{Text: artist(n * 97 % artists), Near: around(n, 50)}
		}),
		narrowed("a common word near a place", "tour", func(n int) event.Query { return event.Query{Text: "tour", Near: around(n, 50)} }),
		narrowed("nearest", "50 km", func(n int) event.Query { return event.Query{Near: around(n, 50), Sort: event.ByDistance} }),
		narrowed("nearest, a genre", "50 km", func(n int) event.Query {
			return event.Query{Near: around(n, 50), Genre: genre(n), Sort: event.ByDistance}
		}),
		narrowed("cheapest in a city", "São Paulo", func(n int) event.Query { return event.Query{City: city(n), Sort: event.ByPrice} }),
		narrowed("cheapest of a genre", "Rock", func(n int) event.Query { return event.Query{Genre: genre(n), Sort: event.ByPrice} }),
		narrowed("cheapest of an artist", "", func(n int) event.Query {
			return event.Query{Text: artist(n * 97 % artists), Sort: event.ByPrice}
		}),
		narrowed("cheapest of all", "", func(int) event.Query { return event.Query{Sort: event.ByPrice} }),
	}
}
