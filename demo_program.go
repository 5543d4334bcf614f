package main

import (
	"context"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// show is an evening of the demo's program: what a list of events has to be able to show, around the three events that are sold for real.
type show struct {
	id            string
	title, genre  string
	venue         event.Venue
	zone          string
	currency      string
	days, hour    int           // from today, by the clocks of the place
	opens         time.Duration // until it goes on sale; 0: it has
	prices        []int64
	cancelled     bool
	leaves        int // seats that are not sold elsewhere; 0: all are for sale, -1: none is
	feePercentage int // hundredths of a percent
}

func (s show) eventID() id.ID { return mustID("5ad10000-0000-4000-8000-0000000000" + s.id) }

func demoShows() []show {
	venue := func(name, city, country string, lat, lon float64) event.Venue {
		return event.Venue{Name: name, City: city, Country: country, Latitude: lat, Longitude: lon}
	}
	const day = 24 * time.Hour
	return []show{
		{id: "11", title: "Marina Tavares – Voz e Violão", genre: "MPB", venue: venue("Circo do Mar", "Rio de Janeiro", "BR", -22.9133, -43.1794),
			zone: "America/Sao_Paulo", currency: "BRL", days: 12, hour: 21, prices: []int64{16000, 12000, 9000, 6000}, leaves: 19, feePercentage: 1000},
		{id: "12", title: "Los Faroles: Noche de Tango", genre: "Tango", venue: venue("Teatro del Puerto", "Buenos Aires", "AR", -34.6118, -58.3633),
			zone: "America/Argentina/Buenos_Aires", currency: "ARS", days: 18, hour: 22, prices: []int64{4500000, 3800000, 2900000, 2000000}, leaves: -1},
		{id: "13", title: "Fado à Meia-Luz", genre: "Fado", venue: venue("Casa da Ribeira", "Lisboa", "PT", 38.7109, -9.1300),
			zone: "Europe/Lisbon", currency: "EUR", days: 25, hour: 21, prices: []int64{4200, 3400, 2600, 1800}},
		{id: "14", title: "記憶 Kioku – 冬のコンサート", genre: "J-Pop", venue: venue("月光ホール", "東京", "JP", 35.6580, 139.7016),
			zone: "Asia/Tokyo", currency: "JPY", days: 70, hour: 18, opens: 21 * day, prices: []int64{12000, 9500, 7000, 5000}},
		{id: "15", title: "Improv Sessions: The Late Show", genre: "Comedy", venue: venue("The Cellar", "New York", "US", 40.7308, -74.0002),
			zone: "America/New_York", currency: "USD", days: 33, hour: 23, opens: 2*day + 5*time.Hour, prices: []int64{5500, 4500, 3500, 2500}},
		{id: "16", title: "Dança das Águas", genre: "Dança", venue: venue("Teatro do Rio Negro", "Manaus", "BR", -3.1303, -60.0233),
			zone: "America/Manaus", currency: "BRL", days: 39, hour: 20, prices: []int64{14000, 11000, 8000, 5000}},
		{id: "17", title: "Norðurljós Tríó", genre: "Jazz", venue: venue("Salurinn við Höfnina", "Reykjavík", "IS", 64.1503, -21.9327),
			zone: "Atlantic/Reykjavik", currency: "EUR", days: 46, hour: 20, prices: []int64{5200, 4400, 3600, 2800}},
		{id: "18", title: "Orquestra Jovem – Nona de Beethoven", genre: "Clássica", venue: venue("Cine-Teatro Aurora", "Recife", "BR", -8.0589, -34.8711),
			zone: "America/Recife", currency: "BRL", days: 28, hour: 19, prices: []int64{9000, 7000, 5000, 3000}, cancelled: true},
		{id: "19", title: "Samba da Lua Cheia", genre: "Samba", venue: venue("Quadra do Morro", "Rio de Janeiro", "BR", -22.8950, -43.2400),
			zone: "America/Sao_Paulo", currency: "BRL", days: 21, hour: 20, prices: []int64{10000, 8000, 6000, 4000}, feePercentage: 1000},
	}
}

// demoProgram are the events of the program. They share the theatre's chart, which the three demo events have stored.
func demoProgram(now time.Time) []demoEvent {
	hall := demoHall()
	out := make([]demoEvent, 0, len(demoShows()))
	for _, s := range demoShows() {
		out = append(out, demoEvent{s.event(now), hall, s.prices})
	}
	return out
}

func (s show) event(now time.Time) event.Event {
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		zone = time.UTC
	}
	day := now.In(zone).AddDate(0, 0, s.days)
	e := event.Event{
		ID: s.eventID(), Title: s.title, Genre: s.genre, Venue: s.venue, TimeZone: s.zone, Currency: s.currency, HomeRegion: "sa-east", State: event.OnSale,
		StartsAt: time.Date(day.Year(), day.Month(), day.Day(), s.hour, 0, 0, 0, zone).UTC(), OnSaleAt: now.UTC().Add(s.opens - time.Hour).Truncate(time.Hour),
		Rules: event.DefaultRules(),
	}
	if s.opens > 0 {
		e.State = event.Scheduled
	}
	if s.feePercentage > 0 {
		e.Rules.Fees = []event.Fee{{Name: "Service fee", Percent: s.feePercentage}}
	}
	return e
}

// sellElsewhere takes the seats off the sale that the program's events have sold elsewhere, so that lists show events
// with few seats, and with none. It runs beside a starting program and does nothing the next time.
func (h *house) sellElsewhere(ctx context.Context) error {
	for _, s := range demoShows() {
		if s.leaves == 0 || ctx.Err() != nil {
			continue
		}
		e, err := h.catalog.Event(ctx, s.eventID())
		if err == nil && e.Free == e.Capacity {
			var seats []seatmap.Ordinal
			for o := max(0, s.leaves); o < e.Capacity; o++ {
				seats = append(seats, seatmap.Ordinal(o))
			}
			_, err = h.inventory.Do(ctx, e.ID, inventory.Block{Seats: seats, By: inventory.By{Actor: "demo", Reason: "sold elsewhere"}})
		}
		if err != nil && ctx.Err() == nil {
			h.log.Warn("the demo's program is not as it should be", "event", s.title, "error", err)
		}
	}
	return nil
}
