package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// lotteryAfter is when the demo's lottery is drawn after the first start, to the nearest whole minute, because pages show
// no seconds: time to find the event and to enter.
const lotteryAfter = 3 * time.Minute

// demoStadium is the event that the demo shows first.
const demoStadium = "5ad10000-0000-4000-8000-000000000001"

// demoEvents are what `plateia dev` has on sale: a stadium and a theatre, and a night at the theatre that goes on sale soon, so that
// somebody who has just started it can stand in a line. Their ids never change, so that addresses survive a new data folder.
func demoEvents(now time.Time) []demoEvent {
	weeks := func(n, hour int) time.Time {
		day := now.UTC().AddDate(0, 0, 7*n).Truncate(24 * time.Hour)
		return day.Add(time.Duration(hour) * time.Hour)
	}
	stadium := event.Event{
		ID: mustID(demoStadium), Title: "Aurora – Noite de Abertura", Genre: "Rock",
		Venue:    event.Venue{Name: "Arena Plateia", City: "São Paulo", Country: "BR", Latitude: -23.5275, Longitude: -46.6784},
		TimeZone: "America/Sao_Paulo", Currency: "BRL", HomeRegion: "sa-east", State: event.OnSale,
		StartsAt: weeks(12, 23), OnSaleAt: now.UTC().Add(-time.Hour).Truncate(time.Minute), Rules: event.DefaultRules(),
	}
	stadium.Rules.Fees, stadium.Rules.TaxPercent = []event.Fee{{Name: "Service fee", Percent: 1000}}, 500
	theatre := event.Event{
		ID: mustID("5ad10000-0000-4000-8000-000000000002"), Title: "Quarteto do Porto", Genre: "Chamber music",
		Venue:    event.Venue{Name: "Teatro das Artes", City: "Porto Alegre", Country: "BR", Latitude: -30.0331, Longitude: -51.2300},
		TimeZone: "America/Sao_Paulo", Currency: "BRL", HomeRegion: "sa-east", State: event.OnSale,
		StartsAt: weeks(6, 22), OnSaleAt: now.UTC().Add(-time.Hour).Truncate(time.Minute), Rules: event.DefaultRules(),
	}
	theatre.Rules.OrphanMode = event.OrphanStrict
	released := theatre.StartsAt.AddDate(0, 0, -2) // who needs an accessible seat decides until two days before
	theatre.Rules.AccessibleRelease = &released
	night := theatre
	night.ID, night.Title, night.Genre = mustID("5ad10000-0000-4000-8000-000000000003"), "Quarteto do Porto – Segunda noite", "Chamber music"
	night.State, night.StartsAt, night.OnSaleAt = event.Scheduled, weeks(7, 22), now.UTC().Add(lotteryAfter).Round(time.Minute)
	openRelease := night.StartsAt.AddDate(0, 0, -2)
	night.Rules.AccessibleRelease = &openRelease
	bowl, hall := seatmap.Stadium(), demoHall()
	bowl.ID = mustID("5ad10000-0000-4000-8000-00000000c001")
	return []demoEvent{
		{stadium, bowl, []int64{69000, 48000, 32000, 22000, 14000}},
		{theatre, hall, []int64{18000, 12000, 8000, 4000}},
		{night, hall, []int64{18000, 12000, 8000, 4000}},
	}
}

func demoHall() seatmap.Spec {
	hall := seatmap.Theatre()
	hall.ID = mustID("5ad10000-0000-4000-8000-00000000c002")
	return hall
}

type demoEvent struct {
	event  event.Event
	spec   seatmap.Spec
	prices []int64 // minor units by category; the last one serves further categories
}

// seedDemo puts the demo events and the program on sale where they are not yet.
func seedDemo(ctx context.Context, catalog *db.Catalog) error {
	now := time.Now()
	for _, demo := range slices.Concat(demoEvents(now), demoProgram(now)) {
		if _, err := catalog.Event(ctx, demo.event.ID); err == nil {
			continue
		} else if fault.CodeOf(err) != fault.NotFound {
			return err
		}
		if _, err := sellChart(ctx, catalog, demo.event, demo.spec, demo.prices); err != nil {
			return fmt.Errorf("demo event %q: %w", demo.event.Title, err)
		}
	}
	return cancelDemo(ctx, catalog)
}

func cancelDemo(ctx context.Context, catalog *db.Catalog) error {
	for _, s := range demoShows() {
		if !s.cancelled {
			continue
		}
		if err := catalog.SetState(ctx, s.eventID(), event.Cancelled); err != nil {
			return fmt.Errorf("demo event %q: %w", s.title, err)
		}
	}
	return nil
}

// sellChart stores a chart and puts an event with it on sale.
func sellChart(ctx context.Context, catalog *db.Catalog, e event.Event, spec seatmap.Spec, prices []int64) (event.Event, error) {
	chart, err := seatmap.Build(spec)
	if err != nil {
		return e, err
	}
	if err := catalog.PutChart(ctx, chart); err != nil {
		return e, err
	}
	e.ChartID, e.ChartVersion = chart.ID(), chart.Version()
	e.Prices = nil
	for i := range chart.Categories() {
		e.Prices = append(e.Prices, prices[min(i, len(prices)-1)])
	}
	return catalog.CreateEvent(ctx, e)
}

func mustID(text string) id.ID {
	v, err := id.Parse(text)
	if err != nil {
		panic(err) // a constant of this file is wrong
	}
	return v
}
