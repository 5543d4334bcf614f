package rehearse

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

const hall = `{"sections": [
	{"label": "PIT", "places": 3},
	{"label": "A", "rows": [
		{"label": "1", "seats": [{"number": "1"}, {"number": "2"}, {"number": "3"}, {"number": "4"}]},
		{"label": "2", "seats": [{"number": "1", "accessible": true}, {"number": "2", "companion": true}, {"number": "3", "companion": true}, {"number": "4"}]}]}]}`

func hallSeats(t *testing.T) (labels []string, groups []group) {
	t.Helper()
	var c chartJSON
	if err := json.Unmarshal([]byte(hall), &c); err != nil {
		t.Fatal(err)
	}
	return c.seats()
}

func hallLabels(t *testing.T) []string {
	labels, _ := hallSeats(t)
	return labels
}

// Ordinals count places of areas and accessible seats, which nobody chooses by name.
func TestLabelsFollowTheOrdinals(t *testing.T) {
	want := []string{"", "", "", "A-1-1", "A-1-2", "A-1-3", "A-1-4", "", "", "", "A-2-4"}
	if got := hallLabels(t); !slices.Equal(got, want) {
		t.Errorf("labels %q", got)
	}
}

// An accessible seat goes with both of its companions, or none of them is left over.
func TestGroupsStayTogether(t *testing.T) {
	_, groups := hallSeats(t)
	r := rand.New(rand.NewPCG(1, 2))
	free := count(packed(2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0), 11)
	if got := chooseGroup(r, groups, free, 6); !slices.Equal(got, []string{"A-2-1", "A-2-2", "A-2-3"}) {
		t.Errorf("chose %q", got)
	}
	if got := chooseGroup(r, groups, free, 2); got != nil {
		t.Errorf("three are more than two: %q", got)
	}
	if got := chooseGroup(r, groups, count(packed(2, 2, 2, 2, 2, 2, 2, 0, 0, 1, 0), 11), 6); got != nil {
		t.Errorf("a companion is held: %q", got)
	}
}

// A program that has just started is asked again; one that is not there, or knows no such event, is not.
func TestHouseWaitsForAProgramThatStarts(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked++; {
		case strings.HasSuffix(r.URL.Path, "/nowhere"):
			http.Error(w, `{"code":"NOT_FOUND"}`, http.StatusNotFound)
		case asked%2 == 1:
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"code":"BUSY"}`, http.StatusServiceUnavailable)
		case strings.HasPrefix(r.URL.Path, "/v1/events/"):
			_, _ = io.WriteString(w, `{"chart": {"url": "/chart"}, "rules": {"maxPerAccount": 4}}`)
		default:
			_, _ = io.WriteString(w, hall)
		}
	}))
	c := newClient(Options{URL: server.URL, Parallel: 1}, newTally())
	defer c.http.CloseIdleConnections()
	h, err := c.loadHouse(t.Context(), "x")
	if err != nil || asked != 4 || len(h.labels) != 11 || h.max != 4 {
		t.Errorf("after %d requests: %v, %v", asked, h, err)
	}
	if _, err := c.loadHouse(t.Context(), "nowhere"); err == nil || asked != 5 {
		t.Errorf("after %d requests: %v", asked, err)
	}
	server.Close()
	if _, err := c.loadHouse(t.Context(), "x"); err == nil {
		t.Error("nobody is there")
	}
}

// packed puts statuses two bits a seat, as the API does.
func packed(statuses ...byte) []byte {
	bits := make([]byte, (len(statuses)+3)/4)
	for o, s := range statuses {
		bits[o/4] |= s << (2 * (o % 4))
	}
	return bits
}

func TestCount(t *testing.T) {
	now := count(packed(0, 1, 2, 3, 0, 2), 6)
	if now.free != 2 || now.held != 1 || now.sold != 2 || now.blocked != 1 {
		t.Errorf("%+v", now)
	}
	if short := count(packed(2, 2, 2, 2), 6); short.sold != 4 || short.status(5) != 3 {
		t.Errorf("seats that were not told of are not free: %+v", short)
	}
}

func TestChooseTakesFreeNamedSeats(t *testing.T) {
	labels := hallLabels(t)
	now := count(packed(0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0), len(labels))
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for _, hot := range []bool{true, false} {
			got := choose(r, labels, now, 2, hot)
			if hot && got == nil {
				continue // it skipped past the only runs
			}
			if !slices.Equal(got, []string{"A-1-2", "A-1-3"}) && !slices.Equal(got, []string{"A-1-3", "A-1-4"}) {
				t.Fatalf("hot %v: chose %q", hot, got)
			}
		}
	}
	if got := choose(r, labels, now, 4, false); got != nil {
		t.Errorf("four together are not there: %q", got)
	}
}

// Whatever a fan begins with, they end with having asked for one seat and for an accessible pair.
func TestHumblerEndsWithTheLastSeats(t *testing.T) {
	for _, first := range []wish{{onMap, 6}, {hot, 1}, {best, 10}} {
		var asked []wish
		for w, more := first, true; more; w, more = w.humbler() {
			if asked = append(asked, w); len(asked) > 10 {
				t.Fatalf("%v never ends: %v", first, asked)
			}
		}
		for _, want := range []wish{{first.way, 1}, {accessible, 2}, {accessible, 1}} {
			if !slices.Contains(asked, want) {
				t.Errorf("from %v nobody asks for %v: %v", first, want, asked)
			}
		}
		if len(asked) > holdTries {
			t.Errorf("%d tries are not enough for %v", holdTries, asked)
		}
	}
}

func TestBarrenForgetsWhenSeatsMove(t *testing.T) {
	tally := newTally()
	tally.barren(5)
	for range 3 {
		tally.done(result{ending: refused})
	}
	if got := tally.barren(5); got != 3 {
		t.Errorf("%d fans in a row found nothing, want 3", got)
	}
	if got := tally.barren(4); got != 0 {
		t.Errorf("a seat was sold meanwhile: %d", got)
	}
	tally.done(result{ending: refused})
	tally.done(result{ending: bought, held: true})
	if got := tally.barren(4); got != 0 {
		t.Errorf("somebody found a seat: %d", got)
	}
}

func TestReportIsOnlyWellWhenAllIsSold(t *testing.T) {
	for _, c := range []struct {
		report Report
		ok     bool
	}{
		{Report{}, true},
		{Report{SeatsLeft: 3}, true},
		{Report{SellOut: true}, true},
		{Report{SellOut: true, SeatsLeft: 1}, false},
		{Report{DoubleSold: 1}, false},
		{Report{Errors5xx: 1}, false},
		{Report{Broken: 1}, false},
	} {
		if c.report.OK() != c.ok {
			t.Errorf("%+v is OK: %v", c.report, !c.ok)
		}
	}
}

func TestReportSaysWhatIsKnown(t *testing.T) {
	tally := newTally()
	tally.came.Add(2)
	tally.refusedWith(&problem{Code: "SEAT_TAKEN", Status: 409})
	tally.order(1500 * time.Millisecond)
	tally.done(result{ending: bought, held: true, seats: []string{"A-1-1", "A-1-2"}})
	tally.done(result{ending: bought, held: true, seats: []string{"A-1-2"}})
	r := tally.report()
	if r.Collisions != 1 || r.Tickets != 3 || r.DoubleSold != 1 || r.OrderP50Ms != 1500 || r.Fans != 2 {
		t.Errorf("%+v", r)
	}
	r.PeakBytes = 107_400_000
	var text bytes.Buffer
	r.Print(&text)
	for _, want := range []string{"double sold 1", "collisions 1", "SEAT_TAKEN           1", "peak memory 107 MB, of the rehearsal itself unknown"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	line := func([]byte) (LineReader, error) { return nil, nil }
	prover := func(*ecdsa.PrivateKey, string, string) (string, error) { return "", nil }
	good := Options{URL: "http://localhost:1", Event: "x", Fans: 1, Viewers: -1, Line: line, Prover: prover}.withDefaults()
	if err := good.validate(); err != nil || good.Parallel != 2000 || good.Viewers != 2000 {
		t.Errorf("%+v: %v", good, err)
	}
	selling := Options{URL: "http://localhost:1", Event: "x", SellOut: true, Line: line, Prover: prover}.withDefaults()
	if err := selling.validate(); err != nil || selling.Fans != maxFans || selling.Parallel != 100 || selling.Viewers != 0 {
		t.Errorf("%+v: %v", selling, err)
	}
	for what, bad := range map[string]Options{
		"url":         {URL: "ftp://x", Event: "x", Fans: 1},
		"event":       {URL: "http://x", Fans: 1},
		"fans":        {URL: "http://x", Event: "x", Fans: -1},
		"hot":         {URL: "http://x", Event: "x", Fans: 1, Hot: 101},
		"parallel":    {URL: "http://x", Event: "x", Fans: 1, Parallel: -1},
		"connections": {URL: "http://x", Event: "x", Fans: 1, Connected: -1},
		"lottery":     {URL: "http://x", Event: "x", SellOut: true, Lottery: true},
		"line":        {URL: "http://x", Event: "x", Fans: 1},
	} {
		if what != "line" {
			bad.Line, bad.Prover = line, prover
		}
		if err := bad.withDefaults().validate(); err == nil || !strings.HasPrefix(err.Error(), what+":") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
