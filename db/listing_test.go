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
			chart_id, chart_version, capacity, prices, rules, search)
		select gen_random_uuid(), 'Show ' || n::text, venue, genre, time_zone, currency, home_region, starts_at + n * interval '1 hour', on_sale_at, state,
			chart_id, chart_version, capacity, prices, rules,
			' show ' || case when n %% 500 = 7 then 'rare' else 'usual' end || case when n > %d then ' late' else '' end || ' number' || n::text
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
		q.After = event.Cursor{StartsAt: last.UnixMilli(), ID: page.Events[99].ID}
	}
	if page, _ := c.List(t.Context(), event.Query{Text: "late", Limit: 1}); page.Events[0].Title != fmt.Sprintf("Show %d", 2*many/3+1) {
		t.Errorf("the first is %s", page.Events[0].Title)
	}
}

// TestListsReadByIndex reads the plans of the three ways: none may read the event table whole, sort what
// it walks, or look at a seat; and how many events the bounded ones read does not grow with the list.
func TestListsReadByIndex(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect != db.Postgres {
		t.Skip("the plans of PostgreSQL")
	}
	manyEvents(t, d, 30_000)
	indexes := map[string]string{"nearby": "event_listed", "rare": "event_search", "walk": "event_listed"}
	for text, patterns := range map[string][]string{"no word": nil, "a word": event.Patterns("zzyzx"), "words": event.Patterns("show zzyzx"), "short": event.Patterns("yq")} {
		statements, most := db.ListingSQL(patterns)
		for way, sql := range statements {
			if way == "rare" && patterns == nil {
				continue // the whole list is walked
			}
			args := []any{time.Now(), [16]byte{}, 21}
			for _, pattern := range patterns {
				args = append(args, pattern)
			}
			plan := explainListing(t, d, sql, args)
			var used, tables []string
			most := most[way]
			plan.walk(func(n planNode) {
				used, tables = append(used, n.Index), append(tables, n.Relation)
				if strings.Contains(n.Type, "Seq Scan") && n.Relation != "" && n.Relation != "event_stock" { // which is empty here
					t.Errorf("%s, %s: %s on %s", text, way, n.Type, n.Relation)
				}
				if n.Index == "event_listed" && most > 0 && n.Rows > float64(most) {
					t.Errorf("%s, %s: %.0f events read, at most %d", text, way, n.Rows, most)
				}
			})
			if !strings.Contains(strings.Join(used, " "), indexes[way]) || strings.Contains(strings.Join(tables, " "), "seat") {
				t.Errorf("%s, %s: indexes %q, tables %q", text, way, used, tables)
			}
		}
	}
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
