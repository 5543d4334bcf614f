package db

import (
	"context"
	"slices"
	"strings"
	"time"

	"plateia/core/event"
)

// similarAmong is how many events each of Similar's questions looks at, the soonest.
const similarAmong = 40

// Similar are events to come that are like one, the most alike first: of the same artist, or of its genre
// or its city. Its questions are lists that everybody asks, and as old.
func (c *Catalog) Similar(ctx context.Context, e event.Event, limit int) ([]event.Event, error) {
	var found []event.Event
	for _, q := range likeQueries(e) {
		page, err := c.List(ctx, q)
		if err != nil {
			return nil, err
		}
		found = slices.Concat(found, page.Events)
	}
	return e.MostLike(found, limit, time.Now()), nil
}

func likeQueries(e event.Event) (ask []event.Query) {
	here := event.Query{City: e.Venue.City}
	if e.Venue.Located() {
		here = event.Query{Near: event.Area{Latitude: e.Venue.Latitude, Longitude: e.Venue.Longitude, Km: event.NearbyKm}}
	}
	if artist := event.Artist(e.Title); artist != "" {
		ask = append(ask, event.Query{Text: artist})
	}
	if here.City != "" || !here.Near.Anywhere() {
		ask = append(ask, here)
	}
	if genre := strings.TrimSpace(e.Genre); genre != "" {
		here.Genre = genre
		ask = append(ask, here, event.Query{Genre: genre})
	}
	for i := range ask {
		ask[i].Limit = similarAmong
	}
	return ask
}
