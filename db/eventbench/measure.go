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

	"plateia/db"
)

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
		report.Searches = append(report.Searches, Search{k.name, k.example, k.odd, found, at(took, 0.50), at(took, 0.99)})
	}
	report.P99Ms = at(all, 0.99)
	return nil
}

// ask turns to the page and measures reading it.
func ask(ctx context.Context, catalog *db.Catalog, k kind, n int) (took time.Duration, found int, err error) {
	q := k.ask(n)
	q.Limit = 20
	for turned := 0; ; turned++ {
		began := time.Now()
		page, err := catalog.ListNow(ctx, q)
		took = time.Since(began)
		if err != nil || turned == k.deep || !page.More {
			return took, len(page.Events), err
		}
		q.After = page.Next
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
