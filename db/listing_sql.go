package db

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"plateia/core/event"
)

// listing writes the statements that find a page.
//
// An entry is what enters an index: the venue, the city, the square degrees around a point, the genre, or nothing.
// The limit inside keeps the planner from another way than along the entry's index, whatever it thinks of the
// conditions, which are looked at in what the index has. The events of a page are looked up by id afterwards, one by
// one because they are few.
type listing struct {
	q       event.Query
	now     time.Time
	args    []any
	columns []string // that the conditions and the order need
}

func newListing(q event.Query, now time.Time) *listing { return &listing{q: q, now: now} }

// arg adds an argument and returns its placeholder.
func (l *listing) arg(v any) string {
	l.args = append(l.args, v)
	return "$" + strconv.Itoa(len(l.args))
}

// column notes that a column is needed.
func (l *listing) column(name string) string {
	if !slices.Contains(l.columns, name) {
		l.columns = append(l.columns, name)
	}
	return name
}

// statement finds a page in the given way. asOf is DB.stale's.
func (l *listing) statement(how step, asOf string) (sql string, args []any) {
	enter := l.entry()
	listed, conditions, chosen := l.listed(), l.conditions(), l.choice()
	columns := strings.Join(append([]string{"starts_at", "event_id"}, l.columns...), ", ")
	walk := func(entry string) string {
		return fmt.Sprintf("(select * from (select %s from event where %s order by starts_at, event_id limit %d) w where true%s) m",
			columns, listed+entry, how.most, conditions)
	}
	switch {
	case how.collect:
		sql = fmt.Sprintf("with found as materialized (select %s from event where %s limit %d), hit as (%s)",
			columns, listed+enter.any+conditions, how.most+1, chosen("(select count(*) from found)", "found"))
	case enter.each != "":
		sql = fmt.Sprintf("with hit as (select h.* from unnest(%s::int8[]) as c (cell) cross join lateral (%s) h order by %s limit %d)",
			enter.cells, chosen("0", walk(enter.each)), l.order("h."), l.q.Limit+1)
	default:
		sql = "with hit as (" + chosen("0", walk(enter.any)) + ")"
	}
	return sql + " select " + eventColumns + `, hit.matches, hit.sort_key from hit
		join event e on e.event_id = hit.event_id left join event_stock s on s.event_id = e.event_id ` + asOf + " order by " + l.order("hit."), l.args
}

// choice is the page of what is found somewhere.
func (l *listing) choice() func(matches, from string) string {
	key, within, beyond := l.key(), l.within(), l.beyond()
	columns := "starts_at, event_id, sort_key"
	if l.q.Sort == event.ByPrice {
		columns += ", currency"
	}
	return func(matches, from string) string {
		return fmt.Sprintf("select %s, %s as matches from (select *, %s as sort_key from %s) k where true%s%s order by %s limit %d",
			columns, matches, key, from, within, beyond, l.order(""), l.q.Limit+1)
	}
}

// key is what the list is sorted by before the start.
func (l *listing) key() string {
	switch l.q.Sort {
	case event.ByPrice:
		l.column("currency")
		return "coalesce(" + l.column("low_price") + ", 0)"
	case event.ByDistance:
		return l.metres()
	case event.ByDate:
	}
	return "0::int8"
}

func (l *listing) order(table string) string {
	soonest := table + "starts_at, " + table + "event_id"
	switch l.q.Sort {
	case event.ByPrice:
		return table + "currency, " + table + "sort_key, " + soonest
	case event.ByDistance:
		return table + "sort_key, " + soonest
	case event.ByDate:
	}
	return soonest
}

// beyond is what comes after the cursor, where the walk does not begin with it.
func (l *listing) beyond() string {
	after := l.q.After
	if l.q.Sort == event.ByDate || after == (event.Cursor{}) {
		return ""
	}
	last := []string{l.arg(after.Key) + "::int8", l.arg(time.UnixMilli(after.StartsAt)) + "::timestamptz", l.arg([16]byte(after.ID)) + "::uuid"}
	if l.q.Sort == event.ByPrice {
		last = slices.Insert(last, 0, l.arg(after.Currency)+"::text")
	}
	return " and (" + l.order("") + ") > (" + strings.Join(last, ", ") + ")"
}

// within is the radius around a point.
func (l *listing) within() string {
	if l.q.Near.Anywhere() {
		return ""
	}
	return " and " + l.metres() + " <= " + l.arg(int64(l.q.Near.Km)*1000)
}

// metres is the distance from the point, on a plane that is right to a few thousandths within event.MaxKm. The
// great circle has five more functions for each event of a city.
func (l *listing) metres() string {
	lat, lon := l.column("latitude"), l.column("longitude")
	here, there := l.arg(l.q.Near.Latitude)+"::float8", l.arg(l.q.Near.Longitude)+"::float8"
	sin, cos := math.Sincos(l.q.Near.Latitude * math.Pi / 180)
	up := fmt.Sprintf("(%s - %s)", lat, here)
	aside := fmt.Sprintf("least(abs(%[1]s - %[2]s), 360.0::float8 - abs(%[1]s - %[2]s))", lon, there)
	// A degree of longitude is as long as the cosine of the latitude half-way, which is nearly a straight line.
	shrink := fmt.Sprintf("(%s::float8 - %s::float8 * %s)", l.arg(cos), l.arg(sin*math.Pi/360), up)
	return fmt.Sprintf("(111195.0::float8 * sqrt(%[1]s * %[1]s + %[2]s * %[2]s * %[3]s * %[3]s))::int8", up, aside, shrink)
}

// entry is what enters an index: a condition on it, or for square degrees also one on each alone.
type entry struct{ any, each, cells string }

func (l *listing) entry() entry {
	q := &l.q
	switch {
	case q.Venue != "":
		return entry{any: l.equal("venue_key", &q.Venue)}
	case q.City != "":
		return entry{any: l.equal("city_key", &q.City)}
	case !q.Near.Anywhere():
		cells := l.arg(q.Near.Cells())
		return entry{any: " and cell = any(" + cells + "::int8[])", each: " and cell = c.cell", cells: cells}
	case q.Genre != "":
		return entry{any: l.equal("genre_key", &q.Genre)}
	}
	return entry{}
}

// equal is a condition that is said once: what it asks for is taken out of the query.
func (l *listing) equal(column string, value *string) string {
	wanted := *value
	*value = ""
	return " and " + column + " = " + l.arg(wanted)
}

// listed is what all lists have in common: where the page begins and ends in time.
func (l *listing) listed() string {
	first := l.now.Add(-listedFor)
	earliest, before := l.q.Bounds()
	if earliest.After(first) {
		first = earliest
	}
	cursor := event.Cursor{}
	if l.q.Sort == event.ByDate {
		cursor = l.q.After
	}
	at, id := listedAfter(cursor, first)
	sql := fmt.Sprintf("state <> 'closed' and (starts_at, event_id) > (%s::timestamptz, %s::uuid)", l.arg(at), l.arg(id))
	if !before.IsZero() {
		sql += " and starts_at < " + l.arg(before) + "::timestamptz"
	}
	return sql
}

// conditions are those that no index is entered by.
func (l *listing) conditions() string {
	var b strings.Builder
	for _, pattern := range event.Patterns(l.q.Text) {
		fmt.Fprintf(&b, " and %s like %s", l.column("search"), l.arg(pattern))
	}
	if l.q.City != "" {
		b.WriteString(l.equal(l.column("city_key"), &l.q.City))
	}
	if l.q.Genre != "" {
		b.WriteString(l.equal(l.column("genre_key"), &l.q.Genre))
	}
	if l.q.From > 0 {
		fmt.Fprintf(&b, " and %s >= %s", l.column("local_day"), l.arg(int64(l.q.From)))
	}
	if l.q.To > 0 {
		fmt.Fprintf(&b, " and %s <= %s", l.column("local_day"), l.arg(int64(l.q.To)))
	}
	return b.String()
}
