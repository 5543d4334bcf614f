package eventbench

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"plateia/core/event"
	"plateia/db"
)

// kind is a kind of search; text is asked n times, another one each time where that is typical.
type kind struct {
	name string
	text func(n int) string
	deep int  // pages turned before the one that is measured
	odd  bool // not typical: the worst there is, told apart
}

func always(text string) func(int) string { return func(int) string { return text } }

// searchKinds is what people type. Each must answer quickly, the common words as well as the rare.
func searchKinds() []kind {
	return []kind{
		{"the whole list", always(""), 0, false},
		{"the list, a later page", always(""), 20, false},
		{"an artist", func(n int) string { return artist(n * 97 % artists) }, 0, false},
		{"an artist and a kind", func(n int) string { return artist(n*89%artists) + " " + kinds[n%len(kinds)] }, 0, false},
		{"part of a word", func(n int) string { return artist(n * 83 % artists)[1:7] }, 0, false},
		{"a venue", func(n int) string { return houses[n%len(houses)] + " " + artist(13*(n*31%2000)) }, 0, false},
		{"a city", func(n int) string { return cities[n%len(cities)] }, 0, false},
		{"a small town", func(n int) string { return "vila " + artist(7*(150+n%150)) }, 0, false},
		{"a city without its accents", always("sao paulo"), 0, false},
		{"a city, a later page", always("São Paulo"), 20, false},
		{"two common words", func(n int) string { return kinds[n%len(kinds)] + " " + genres[n/2%len(genres)] }, 0, false},
		{"a genre in a town", func(n int) string { return genres[n%len(genres)] + " vila " + artist(7*(150+n%150)) }, 0, false},
		{"a very common word", always("tour"), 0, false},
		{"a very common word, a later page", always("tour"), 20, false},
		{"a word common only in a year", always(lateWord), 0, true},
		{"another alphabet", always("東京"), 0, false},
		{"two letters", func(n int) string { return syllables[n%len(syllables)][:2] }, 0, false},
		{"two letters nobody has", func(n int) string { return []string{"yq", "wx", "qy"}[n%3] }, 0, false},
		{"no hit", func(n int) string { return "zzyzx" + strconv.Itoa(n) }, 0, false},
		{"common words and no hit", always("tour live festival"), 0, false},
	}
}

func searches(ctx context.Context, catalog *db.Catalog, opts Options, report *Report) error {
	var all []time.Duration
	for _, k := range searchKinds() {
		if _, _, err := ask(ctx, catalog, k, 0); err != nil { // statements are prepared, pages are read from disk
			return err
		}
		took, found := make([]time.Duration, 0, opts.Rounds), 0
		for n := range opts.Rounds {
			d, events, err := ask(ctx, catalog, k, n)
			if err != nil {
				return err
			}
			took, found = append(took, d), max(found, events)
		}
		if !k.odd {
			all = append(all, took...)
		}
		report.Searches = append(report.Searches, Search{k.name, k.text(0), k.odd, found, at(took, 0.50), at(took, 0.99)})
	}
	report.P99Ms = at(all, 0.99)
	return nil
}

// ask turns to the page and measures reading it.
func ask(ctx context.Context, catalog *db.Catalog, k kind, n int) (took time.Duration, found int, err error) {
	q := event.Query{Text: k.text(n), Limit: 20}
	for turned := 0; ; turned++ {
		began := time.Now()
		page, err := catalog.ListNow(ctx, q)
		took = time.Since(began)
		if err != nil || turned == k.deep || !page.More {
			return took, len(page.Events), err
		}
		last := page.Events[len(page.Events)-1]
		q.After = event.Cursor{StartsAt: last.StartsAt.UnixMilli(), ID: last.ID}
	}
}

// at is a quantile in milliseconds.
func at(took []time.Duration, q float64) float64 {
	sorted := slices.Sorted(slices.Values(took))
	return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Microseconds()) / 1000
}

func sizes(ctx context.Context, d *db.DB, report *Report) error {
	if d.Dialect != db.Postgres {
		return nil
	}
	var database, indexes int64
	err := d.Pool().QueryRow(ctx, "select pg_database_size(current_database()), pg_indexes_size('event')").Scan(&database, &indexes)
	report.DatabaseMB, report.IndexMB = float64(database)/1e6, float64(indexes)/1e6
	return err
}

// residentMB is what this process has in memory when no garbage is left; of the Go heap alone where /proc is missing.
func residentMB() float64 {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		if _, rest, ok := bytes.Cut(status, []byte("VmRSS:")); ok {
			if fields := bytes.Fields(rest); len(fields) > 0 {
				if kB, err := strconv.ParseFloat(string(fields[0]), 64); err == nil {
					return kB * 1024 / 1e6
				}
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse+m.StackInuse) / 1e6
}
