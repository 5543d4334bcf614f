package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

// manyEvents lists n events after the first, an hour apart in no order of ids: one in five
// hundred is "rare", those of the last third are "late", everything is a "show". Only the first has seats.
func manyEvents(t *testing.T, d *db.DB, n int) event.Event {
	t.Helper()
	first := onSale(t, db.NewCatalog(d), 1, 2)
	exec(t, d, fmt.Sprintf(`insert into event (event_id, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at, state,
			chart_id, chart_version, capacity, prices, rules, search, city_key, genre_key, venue_key, latitude, longitude, cell, local_day, low_price)
		select gen_random_uuid(), 'Show ' || n::text, venue, genre, time_zone, currency, home_region, starts_at + n * interval '1 hour', on_sale_at, state,
			chart_id, chart_version, capacity, prices, rules,
			' show ' || case when n %% 500 = 7 then 'rare' else 'usual' end || case when n > %d then ' late' else '' end || ' number' || n::text,
			'town ' || (n %% 40)::text, case when n %% 8 = 0 then 'forro' else 'samba' end, 'hall ' || (n %% 900)::text, -8.05 - (n %% 7), -34.9, (81 - (n %% 7)) * 360 + 145, 22000 + n / 24, 9000 + n %% 100
		from event cross join generate_series(1, %d) as g (n)`, 2*n/3, n))
	if d.Dialect == db.Postgres {
		exec(t, d, "vacuum analyze event")
	}
	return first
}

// What people search for is found whichever way finds it, all of it, in order, page by page.
func TestEveryWayOfSearchingFindsTheSame(t *testing.T) {
	d := dbtest.New(t)
	const many = 18_000
	manyEvents(t, d, many)
	c := db.NewCatalog(d)
	for text, want := range map[string]int{"rare": 36, "show rare late": 12, "number17999": 1, "are": 36, "nowhere": 0, "late nowhere": 0, "17999 show": 1} {
		if got := listAll(t, c, text, 7); len(got) != want {
			t.Errorf("%q finds %d, want %d", text, len(got), want)
		}
	}
	// Six thousand are late, none of them soon: too many to collect, too far to be near.
	seen := map[id.ID]bool{}
	q := event.Query{Text: "late", Limit: 100}
	var last time.Time
	for range 3 {
		page, err := c.List(t.Context(), q)
		if err != nil || len(page.Events) != 100 || !page.More {
			t.Fatalf("a page of %d, %v", len(page.Events), err)
		}
		for _, e := range page.Events {
			if seen[e.ID] || e.StartsAt.Before(last) {
				t.Fatalf("%s comes twice or too late", e.Title)
			}
			seen[e.ID], last = true, e.StartsAt
		}
		q.After = page.Next
	}
	if page, _ := c.List(t.Context(), event.Query{Text: "late", Limit: 1}); page.Events[0].Title != fmt.Sprintf("Show %d", 2*many/3+1) {
		t.Errorf("the first is %s", page.Events[0].Title)
	}
}

// TestListsReadByIndex reads the plans of all the ways: none may read the event table whole, sort what it
// walks, or look at a seat; and how many events the bounded ones read does not grow with the list.
func TestListsReadByIndex(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect != db.Postgres {
		t.Skip("the plans of PostgreSQL")
	}
	manyEvents(t, d, 30_000)
	recife := event.Area{Latitude: -8.05, Longitude: -34.9, Km: 40}
	for name, c := range map[string]struct {
		q       event.Query
		indexes string // that its steps enter, in their order
	}{
		"no word":          {event.Query{}, "event_soon"},
		"a word":           {event.Query{Text: "zzyzx"}, "event_soon event_search event_soon"},
		"words":            {event.Query{Text: "show zzyzx"}, "event_soon event_search event_soon"},
		"short":            {event.Query{Text: "yq"}, "event_soon event_search event_soon"},
		"days":             {event.Query{From: 20_000, To: 40_000}, "event_soon"},
		"a city":           {event.Query{City: "Town 7"}, "event_by_city"},
		"a genre in it":    {event.Query{City: "Town 7", Genre: "forró"}, "event_by_city"},
		"a genre":          {event.Query{Genre: "forró"}, "event_by_genre"},
		"a venue":          {event.Query{Venue: "hall 7"}, "event_by_venue"},
		"cheapest":         {event.Query{Genre: "forró", Sort: event.ByPrice}, "event_by_genre"},
		"cheapest of all":  {event.Query{Sort: event.ByPrice}, "event_soon"},
		"around a point":   {event.Query{Near: recife}, "event_by_cell"},
		"nearest":          {event.Query{Near: recife, Sort: event.ByDistance}, "event_by_cell"},
		"a word around it": {event.Query{Near: recife, Text: "zzyzx"}, "event_search event_by_cell"},
	} {
		c.q.Limit = 20
		entered := strings.Fields(c.indexes)
		for i, statement := range db.ListingSQL(c.q) {
			if used := checkListing(t, fmt.Sprintf("%s, step %d", name, i), explainListing(t, d, statement.SQL, statement.Args), statement.Most); !strings.Contains(used, entered[i]) {
				t.Errorf("%s, step %d: indexes %q", name, i, used)
			}
		}
	}
}

func checkListing(t *testing.T, name string, plan planNode, most int) (indexes string) {
	t.Helper()
	plan.walk(func(n planNode) {
		indexes += n.Index + " "
		if strings.Contains(n.Type, "Seq Scan") && n.Relation != "" && n.Relation != "event_stock" { // which is empty here
			t.Errorf("%s: %s on %s", name, n.Type, n.Relation)
		}
		if strings.HasPrefix(n.Relation, "seat") {
			t.Errorf("%s: looks at %s", name, n.Relation)
		}
		if strings.HasPrefix(n.Index, "event_") && n.Rows > float64(most+1) && n.Index != "event_pkey" {
			t.Errorf("%s: %.0f events read by %s, at most %d", name, n.Rows, n.Index, most)
		}
	})
	return indexes
}

type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Rows     float64    `json:"Actual Rows"`
	Plans    []planNode `json:"Plans"`
}

func (n planNode) walk(visit func(planNode)) {
	visit(n)
	for _, child := range n.Plans {
		child.walk(visit)
	}
}

func explainListing(t *testing.T, d *db.DB, sql string, args []any) planNode {
	t.Helper()
	var text []byte
	if err := d.Pool().QueryRow(t.Context(), "explain (analyze, format json) "+sql, args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}

// A crowd that asks for the same page costs one reading, and sees what this process changed at once.
func TestAPageIsReadOnceForACrowd(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	e := onSale(t, c, 1, 2)
	before := d.Pool().Stat().AcquireCount()
	var crowd sync.WaitGroup
	for range 20 {
		crowd.Go(func() {
			for _, text := range []string{"recife", " RECIFE ", "Recífe"} {
				if page, err := c.List(context.Background(), event.Query{Text: text, Limit: 5}); err != nil || len(page.Events) != 1 {
					t.Errorf("%d events, %v", len(page.Events), err)
				}
			}
		})
	}
	crowd.Wait()
	if n := d.Pool().Stat().AcquireCount() - before; n > 10 { // two statements a second, and this may take some
		t.Errorf("60 equal questions took %d statements", n)
	}
	if err := c.SetState(t.Context(), e.ID, event.Paused); err != nil {
		t.Fatal(err)
	}
	if page, err := c.List(t.Context(), event.Query{Text: "recife", Limit: 5}); err != nil || page.Events[0].State != event.Paused {
		t.Errorf("the list says %v, %v", page.Events, err)
	}
}
