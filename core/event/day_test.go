package event

import (
	"testing"
	"time"
)

func TestParseDay(t *testing.T) {
	if day, ok := ParseDay("2026-11-30"); !ok || day.String() != "2026-11-30" {
		t.Error(day, ok)
	}
	for _, bad := range []string{"", "2026-02-30", "2026-1-1", "1970-01-01", "1950-01-01", "2199-01-01", "30/11/2026", "2026-11-30T00:00:00Z"} {
		if day, ok := ParseDay(bad); ok {
			t.Errorf("%q is %s", bad, day)
		}
	}
}

// Case 35: an event is on the day that the clocks of its place show, whatever summer time does and wherever the server is.
func TestAnEventsDayIsItsPlaces(t *testing.T) {
	for _, c := range []struct{ at, zone, day string }{
		{"2026-11-30T01:30:00Z", "America/Sao_Paulo", "2026-11-29"},
		{"2026-11-30T03:00:00Z", "America/Sao_Paulo", "2026-11-30"},
		{"2026-11-30T11:00:00Z", "Pacific/Kiritimati", "2026-12-01"}, // 14 hours before UTC
		{"2026-11-30T11:59:00Z", "Etc/GMT+12", "2026-11-29"},         // 12 hours behind it
		{"2026-03-08T06:59:00Z", "America/New_York", "2026-03-08"},   // a minute before the clocks go forward
		{"2026-03-09T03:59:00Z", "America/New_York", "2026-03-08"},   // 23:59 by summer time, 22:59 by winter time
		{"2026-03-09T04:00:00Z", "America/New_York", "2026-03-09"},
		{"2026-11-01T03:59:00Z", "America/New_York", "2026-10-31"},
		{"2026-11-02T04:30:00Z", "America/New_York", "2026-11-01"}, // 23:30 by winter time; it would be the 2nd by summer time
		{"2026-10-24T22:30:00Z", "Europe/Lisbon", "2026-10-24"},
		{"2026-10-24T23:30:00Z", "Europe/Lisbon", "2026-10-25"},
		{"2026-04-04T13:30:00Z", "Australia/Lord_Howe", "2026-04-05"}, // half an hour of summer time
		{"2011-12-30T10:30:00Z", "Pacific/Apia", "2011-12-31"},        // Samoa had no 30 December 2011
		{"2026-11-30T01:30:00Z", "no such zone", "2026-11-30"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		day := Event{StartsAt: at, TimeZone: c.zone}.Day()
		if day.String() != c.day {
			t.Errorf("%s in %s is on %s, want %s", c.at, c.zone, day, c.day)
		}
		if at.Before(day.Begins()) || !at.Before(day.Ends()) {
			t.Errorf("%s in %s is not between the day's beginning and end", c.at, c.zone)
		}
	}
}
