package event

import "time"

// Day is a day at the place of an event, in days since 1970-01-01, which is no day of any event.
type Day int

const (
	daySeconds = 24 * 60 * 60
	dayLayout  = time.DateOnly
	lastDay    = Day(73_049) // 2170-01-01: later ones are typing errors

	// The places whose day begins first and last, in the time since it began at UTC.
	firstOffset, lastOffset = 14 * time.Hour, 12 * time.Hour
)

// ParseDay reads a day as in 2026-11-30; false when there is no such day.
func ParseDay(text string) (Day, bool) {
	at, err := time.Parse(dayLayout, text)
	day := Day(at.Unix() / daySeconds)
	return day, err == nil && day > 0 && day < lastDay
}

// String is how ParseDay reads it.
func (d Day) String() string { return d.utc().Format(dayLayout) }

func (d Day) utc() time.Time { return time.Unix(int64(d)*daySeconds, 0).UTC() }

// Begins is the instant at which the day begins anywhere: nothing happens on it before.
func (d Day) Begins() time.Time { return d.utc().Add(-firstOffset) }

// Ends is the instant at which the day is over everywhere.
func (d Day) Ends() time.Time { return (d + 1).utc().Add(lastOffset) }

// Day is the day on which the event starts by the clocks of its place, summer time or not. In a
// time zone that is not known it is UTC's.
func (e Event) Day() Day {
	zone, err := time.LoadLocation(e.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	year, month, day := e.StartsAt.In(zone).Date()
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / daySeconds)
}
