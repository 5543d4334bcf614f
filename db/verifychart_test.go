package db_test

import (
	"strings"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

// chartBreaks are the rules that TestVerifyKnowsTheChart breaks.
var chartBreaks = []string{"companion-alone", "area-oversold"}

// hallWithAll is a row of four seats, an accessible one and its companion, and an area of two.
func hallWithAll(t *testing.T) *seatmap.Chart {
	t.Helper()
	row := seatmap.RowSpec{Label: "1"}
	for i, number := range []string{"1", "2", "3", "4", "5", "6"} {
		row.Seats = append(row.Seats, seatmap.SeatSpec{Number: number, X: float32(i), Accessible: i == 4, Companion: i == 5})
	}
	c, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#000000"}},
		Sections: []seatmap.SectionSpec{
			{Label: "A", Rows: []seatmap.RowSpec{row}},
			{Label: "GA", Places: 2, Outline: []seatmap.Point{{X: 0, Y: 2}, {X: 9, Y: 2}, {X: 5, Y: 9}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestVerifyKnowsTheChart(t *testing.T) {
	d := dbtest.New(t)
	e := dbtest.OnSale(t, db.NewCatalog(d), hallWithAll(t))
	const holdOf = `insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
		values (gen_random_uuid(), '{event}', gen_random_uuid(), '{ordinals}', '{prices}', 1, now() + interval '5 min', now() + interval '5 min', 'k', '', now())`
	for _, c := range []struct{ rule, ordinals, release string }{
		{"", "{4}", ""}, {"", "{4,5}", ""}, {"", "{6,7}", ""},
		{"companion-alone", "{0,5}", ""},
		{"companion-alone", "{5}", "1 hour"},
		{"", "{5}", "-1 hour"}, // released before
		{"area-oversold", "{6,7,7}", ""},
	} {
		run(t, d, e, "delete from hold; update event set rules = rules - 'accessibleRelease'")
		if c.release != "" {
			run(t, d, e, `update event set rules = jsonb_set(rules, '{accessibleRelease}', to_jsonb(to_char(now() at time zone 'UTC' + interval '`+c.release+`', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))`)
		}
		prices := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '1'
			}
			return r
		}, c.ordinals)
		run(t, d, e, strings.NewReplacer("{ordinals}", c.ordinals, "{prices}", prices).Replace(holdOf))
		report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range chartBreaks {
			named := false
			for _, v := range report.Violations {
				named = named || v.Rule == rule
			}
			if named != (rule == c.rule) {
				t.Errorf("hold of %s, release %q: %s named %v: %v", c.ordinals, c.release, rule, named, report.Violations)
			}
		}
	}
}

// A channel is known by name, keeps its number, and is on the list of releases while it has an instant.
func TestPutChannel(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	e := dbtest.OnSale(t, c, hallWithAll(t))
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	fans, err := c.PutChannel(t.Context(), e.ID, "Fan club", nil)
	if err != nil || fans != (event.Channel{ID: 1, Name: "Fan club"}) {
		t.Fatalf("%+v %v", fans, err)
	}
	if other, err := c.PutChannel(t.Context(), e.ID, "Partner", &soon); err != nil || other.ID != 2 {
		t.Fatalf("%+v %v", other, err)
	}
	if again, err := c.PutChannel(t.Context(), e.ID, "Fan club", &soon); err != nil || again.ID != 1 {
		t.Fatalf("%+v %v", again, err)
	}
	got, err := c.Event(t.Context(), e.ID)
	if err != nil || len(got.Rules.Channels) != 2 || !got.Rules.Channels[0].ReleaseAt.Equal(soon) || got.Version != e.Version+3 {
		t.Errorf("%+v %v", got.Rules, err)
	}
	var listed int
	if err := d.Pool().QueryRow(t.Context(), "select count(*) from channel_release").Scan(&listed); err != nil || listed != 2 {
		t.Errorf("%d releases, %v", listed, err)
	}
	for _, name := range []string{"", " ", strings.Repeat("x", 61), "\xff"} {
		if _, err := c.PutChannel(t.Context(), e.ID, name, nil); err == nil {
			t.Errorf("a channel named %q", name)
		}
	}
	if _, err := c.PutChannel(t.Context(), id.New(), "x", nil); err == nil {
		t.Error("a channel of no event")
	}
}
