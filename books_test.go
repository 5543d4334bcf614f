package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/db/dbtest"
	"plateia/edge/payments/sandbox"
)

// Money that only the provider knows of is a difference, unless it may be on its way to us.
func TestCompareBooks(t *testing.T) {
	d := dbtest.New(t)
	ours, theirs, order := id.New(), id.New(), id.New()
	for account, amount := range map[string]int64{"provider:sandbox": 36000, "deposits": -36000, "provider:other": 5} {
		if _, err := d.Pool().Exec(t.Context(), `insert into ledger_entry (source, kind, account, order_id, amount, currency, at)
			values ($1, 'capture', $2, $3, $4, 'BRL', now())`, [16]byte(ours), account, [16]byte(order), amount); err != nil {
			t.Fatal(err)
		}
	}
	capture := func(key string, amount int64, age time.Duration) sandbox.Entry {
		return sandbox.Entry{Key: key, Order: order, Kind: sandbox.EntryCapture, Amount: amount, Currency: "BRL", At: time.Now().Add(-age)}
	}
	same := capture(ours.String(), 36000, time.Hour)
	for _, c := range []struct {
		what     string
		there    []sandbox.Entry
		stopped  bool
		want     string
		onTheWay int
	}{
		{"equal", []sandbox.Entry{same}, false, "", 0},
		{"nothing there", nil, false, "missing there", 0},
		{"other amount", []sandbox.Entry{capture(ours.String(), 36100, 0)}, false, "other amount", 0},
		{"old", []sandbox.Entry{same, capture(theirs.String(), 1, time.Hour)}, false, "missing here", 0},
		{"new", []sandbox.Entry{same, capture(theirs.String(), 1, time.Second)}, false, "", 1},
		{"new, and nothing runs", []sandbox.Entry{same, capture(theirs.String(), 1, time.Second)}, true, "missing here", 0},
	} {
		source := bookSource{"sandbox", func(context.Context) ([]sandbox.Entry, error) { return c.there, nil }}
		v, err := compareBooks(t.Context(), d, source, c.stopped)
		if err != nil || v.OnTheWay != c.onTheWay || (c.want == "") != (len(v.Differences) == 0) ||
			c.want != "" && !slices.ContainsFunc(v.Differences, func(d string) bool { return strings.HasPrefix(d, c.want) }) {
			t.Errorf("%s: %+v, %v", c.what, v, err)
		}
		if err := (verdict{Providers: []bookVerdict{v}}).print(testEnv(nil), false); errors.Is(err, errFailed) != (c.want != "") {
			t.Errorf("%s ended with %v", c.what, err)
		}
	}
}
