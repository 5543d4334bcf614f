package db_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

func hall(t testing.TB, chart id.ID, version, rows, seats int) *seatmap.Chart {
	t.Helper()
	return dbtest.Hall(t, chart, version, rows, seats)
}

func onSale(t testing.TB, c *db.Catalog, rows, seats int) event.Event {
	t.Helper()
	return dbtest.OnSale(t, c, hall(t, id.New(), 1, rows, seats))
}

func TestCreateEventFillsItsSeats(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	e := onSale(t, c, 50, 51)
	got, err := c.Event(t.Context(), e.ID)
	if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", e) {
		t.Fatalf("Event = %+v, %v\nwant %+v", got, err, e)
	}
	var seats, free, front int
	err = d.Pool().QueryRow(t.Context(), `select count(*), count(*) filter (where status = 0 and version = 1),
		count(*) filter (where category = 0) from seat where event_id = $1`, [16]byte(e.ID)).Scan(&seats, &free, &front)
	if err != nil || seats != 2550 || free != 2550 || front != 1275 {
		t.Errorf("%d seats, %d free, %d in front, %v", seats, free, front, err)
	}
	chart, err := c.Chart(t.Context(), e.ChartID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if o, ok := chart.Find("A-50-51"); !ok || o != 2549 {
		t.Errorf("last seat is %d, %v", o, ok)
	}
}

func TestCreateEventRefuses(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	good := onSale(t, c, 2, 2)
	for name, spoil := range map[string]func(*event.Event){
		"the same id":     func(e *event.Event) { e.ID = good.ID },
		"no id":           func(e *event.Event) { e.ID = id.ID{} },
		"no title":        func(e *event.Event) { e.Title = "" },
		"currency":        func(e *event.Event) { e.Currency = "XXX" },
		"zone":            func(e *event.Event) { e.TimeZone = "Mars/Olympus" },
		"too few prices":  func(e *event.Event) { e.Prices = e.Prices[:1] },
		"negative price":  func(e *event.Event) { e.Prices = []int64{1, -1} },
		"born cancelled":  func(e *event.Event) { e.State = event.Cancelled },
		"unknown chart":   func(e *event.Event) { e.ChartID = id.New() },
		"unknown version": func(e *event.Event) { e.ChartVersion = 2 },
	} {
		e := good
		e.ID, e.Prices = id.New(), slices.Clone(good.Prices)
		spoil(&e)
		_, err := c.CreateEvent(t.Context(), e)
		if code := fault.CodeOf(err); code != fault.Invalid && code != fault.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownEventAndChart(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	if _, err := c.Event(t.Context(), id.New()); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	if _, err := c.Chart(t.Context(), id.New(), 1); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestListPagesAndSearches(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	first := onSale(t, c, 1, 2)
	var want []id.ID
	for i := range 25 { // five share each start
		e := first
		e.ID, e.Title = id.New(), fmt.Sprintf("Night %d", i)
		e.StartsAt = first.StartsAt.Add(time.Duration(1+i/5)*time.Hour + 123*time.Microsecond) // finer than a cursor
		if _, err := c.CreateEvent(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		want = append(want, e.ID)
	}
	got := listAll(t, c, "", 7)
	if len(got) != 26 || got[0].ID != first.ID {
		t.Fatalf("%d events listed", len(got))
	}
	for i, e := range got {
		if i > 0 && e.StartsAt.Before(got[i-1].StartsAt) || i > 0 && !slices.Contains(want, e.ID) {
			t.Errorf("event %d is out of place", i)
		}
	}
	for text, n := range map[string]int{
		"sao joao": 1, "SÃO JOÃO": 1, "joão show": 1, "show nowhere": 0, "recife": 26, "forro": 26, "hal": 26, "night 24": 1, "%": 26, "_": 26,
	} {
		if got := listAll(t, c, text, 100); len(got) != n {
			t.Errorf("search %q finds %d, want %d", text, len(got), n)
		}
	}
	for _, limit := range []int{0, -1, 101} {
		if _, err := c.List(t.Context(), event.Query{Limit: limit}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	exec(t, d, "update event set starts_at = now() - interval '2 days' where title = 'Night 3'", "update event set state = 'closed' where title = 'Night 4'")
	if got := listAll(t, db.NewCatalog(d), "", 100); len(got) != 24 {
		t.Errorf("%d events listed, want those to come that are not closed", len(got))
	}
}

func listAll(t *testing.T, c *db.Catalog, text string, limit int) []event.Event {
	t.Helper()
	return listPages(t, c, event.Query{Text: text, Limit: limit})
}

func listPages(t *testing.T, c *db.Catalog, q event.Query) (out []event.Event) {
	t.Helper()
	for {
		page, err := c.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, page.Events...)
		if !page.More {
			return out
		}
		q.After = page.Next
	}
}

func TestChartVersionsAreImmutableAndFollowEachOther(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	chart := id.New()
	for _, step := range []struct {
		version, rows int
		ok            bool
	}{{2, 2, false}, {1, 2, true}, {1, 2, true}, {1, 3, false}, {3, 2, false}, {2, 3, true}} {
		err := c.PutChart(t.Context(), hall(t, chart, step.version, step.rows, 2))
		if (err == nil) != step.ok || err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("version %d with %d rows: %v", step.version, step.rows, err)
		}
	}
}

// Case 34: a new version of a plan that lacks a sold seat is refused, naming the seat.
func TestAPlanThatLacksASoldSeatIsRefused(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	e := onSale(t, c, 3, 2)
	exec(t, d, "update seat set status = 2, owner = gen_random_uuid() where ordinal = 5")
	err := c.PutChart(t.Context(), hall(t, e.ChartID, 2, 2, 2))
	if fault.CodeOf(err) != fault.Invalid || fmt.Sprint(fault.From(err).Details["seats"]) != "[A-3-2]" {
		t.Errorf("PutChart = %v", err)
	}
	if err := c.PutChart(t.Context(), hall(t, e.ChartID, 2, 4, 2)); err != nil {
		t.Errorf("a version that keeps the seat: %v", err)
	}
	if err := c.SetState(t.Context(), e.ID, event.Cancelled); err != nil {
		t.Fatal(err)
	}
	if err := c.PutChart(t.Context(), hall(t, e.ChartID, 3, 2, 2)); err != nil {
		t.Errorf("the event is cancelled: %v", err)
	}
}

func TestStatesFollowEachOther(t *testing.T) {
	c := db.NewCatalog(dbtest.New(t))
	e := onSale(t, c, 1, 1)
	for _, step := range []struct {
		to event.State
		ok bool
	}{{event.Paused, true}, {event.Paused, true}, {event.OnSale, true}, {event.Scheduled, false}, {event.Closed, true}, {event.OnSale, false}, {event.Cancelled, true}, {event.Closed, false}} {
		err := c.SetState(t.Context(), e.ID, step.to)
		if (err == nil) != step.ok || err != nil && fault.CodeOf(err) != fault.EventState {
			t.Errorf("to %s: %v", step.to, err)
		}
		if got, err := c.Event(t.Context(), e.ID); step.ok && (err != nil || got.State != step.to) {
			t.Errorf("Event says %s, %v after SetState(%s)", got.State, err, step.to)
		}
	}
	if err := c.SetState(t.Context(), id.New(), event.Closed); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestScheduledEventsOpenAtTheirInstantAndNotBefore(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	due, early, paused := onSale(t, c, 1, 1), onSale(t, c, 1, 1), onSale(t, c, 1, 1)
	set := "update event set state = '%s', on_sale_at = now() + interval '%s' where event_id = '%s'"
	exec(t, d, fmt.Sprintf(set, event.Scheduled, "-1 second", due.ID), fmt.Sprintf(set, event.Scheduled, "1 hour", early.ID),
		fmt.Sprintf(set, event.Paused, "-1 second", paused.ID))
	if soon, err := c.Opening(t.Context(), time.Minute, 10); len(soon) != 1 || err != nil {
		t.Errorf("%d events go on sale within a minute, want the one that is due: %v", len(soon), err)
	}
	if soon, err := c.Opening(t.Context(), 2*time.Hour, 10); len(soon) != 2 || err != nil {
		t.Errorf("%d events go on sale within two hours: %v", len(soon), err)
	}
	if opened, err := c.OpenDue(t.Context()); len(opened) != 1 || opened[0] != due.ID || err != nil {
		t.Fatalf("opened %v, %v", opened, err)
	}
	for which, want := range map[id.ID]event.State{due.ID: event.OnSale, early.ID: event.Scheduled, paused.ID: event.Paused} {
		if got, err := c.Event(t.Context(), which); err != nil || got.State != want {
			t.Errorf("event %s is %s, %v; want %s", which, got.State, err, want)
		}
	}
	if opened, err := c.OpenDue(t.Context()); len(opened) != 0 || err != nil {
		t.Errorf("opened %v again, %v", opened, err)
	}
}
