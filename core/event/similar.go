package event

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// What makes an event like another one, in points. Enough of them and it may be shown beside it.
const (
	sameArtist  = 8.0
	sameGenre   = 4.0
	sameCity    = 4.0
	nearCity    = 3.0 // within NearbyKm
	sameVenue   = 2.0
	sameMonth   = 2.0 // halved with every month between them
	notYet      = -0.5
	fewLeft     = -0.5
	likeEnough  = 4.0
	monthOfDays = 30.0
)

// NearbyKm is how far somebody goes for another event of the kind.
const NearbyKm = 100

// Artist is the folded part of a title that names who plays: what comes before a dash, a colon, a bar or a bracket.
func Artist(title string) string {
	end := len(title)
	for _, mark := range []string{" – ", " — ", " - ", ": ", " | ", " (", " [", " @ "} {
		if at := strings.Index(title, mark); at > 0 {
			end = min(end, at)
		}
	}
	return Key(title[:end])
}

// Likeness is how like e another event is, in points; the same one is not like itself.
func (e Event) Likeness(other Event, now time.Time) float64 {
	if e.ID == other.ID || !other.StartsAt.After(now) {
		return 0
	}
	points := 0.0
	if artist := Artist(e.Title); artist != "" && artist == Artist(other.Title) {
		points += sameArtist
	}
	if genre := Key(e.Genre); genre != "" && genre == Key(other.Genre) {
		points += sameGenre
	}
	points += e.Venue.likeness(other.Venue)
	if points == 0 {
		return 0
	}
	months := math.Abs(other.StartsAt.Sub(e.StartsAt).Hours()) / 24 / monthOfDays
	points += sameMonth * math.Exp2(-months)
	switch other.Availability(now) {
	case SoldOut, CalledOff:
		return 0
	case OnSaleSoon:
		points += notYet
	case Limited:
		points += fewLeft
	case Available:
	}
	return points
}

func (v Venue) likeness(other Venue) (points float64) {
	here := Area{Latitude: v.Latitude, Longitude: v.Longitude}
	km, known := here.Distance(other)
	switch {
	case Key(v.City) == Key(other.City) && v.Country == other.Country:
		if Key(v.Name) == Key(other.Name) {
			points = sameVenue
		}
		return points + sameCity
	case v.Located() && known && km <= NearbyKm:
		return nearCity
	}
	return 0
}

// MostLike are the events of a list that are most like e, at most limit, the most alike first. What
// nobody can buy is not among them.
func (e Event) MostLike(list []Event, limit int, now time.Time) []Event {
	type ranked struct {
		event  Event
		points float64
	}
	var found []ranked
	for _, other := range list {
		known := slices.ContainsFunc(found, func(r ranked) bool { return r.event.ID == other.ID })
		if points := e.Likeness(other, now); points >= likeEnough && !known {
			found = append(found, ranked{other, points})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.points, a.points), a.event.StartsAt.Compare(b.event.StartsAt), bytes.Compare(a.event.ID[:], b.event.ID[:]))
	})
	out := make([]Event, min(limit, len(found)))
	for i := range out {
		out[i] = found[i].event
	}
	return out
}
