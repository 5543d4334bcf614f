package eventbench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// The words that titles and places are made of. Artists are made of syllables, so that there
// are thousands, each in a few dozen events.
var (
	kinds     = []string{"Tour", "Live", "Festival", "Acústico", "Sinfônica", "Night", "Experience", "Unplugged", "Ao Vivo", "Gala"}
	genres    = []string{"Rock", "Pop", "Samba", "Forró", "Jazz", "Classical", "Sertanejo", "Hip hop", "Teatro", "Comedy"}
	houses    = []string{"Arena", "Estádio", "Teatro", "Ginásio", "Clube", "Parque", "Concha", "Casa"}
	cities    = []string{"São Paulo", "Rio de Janeiro", "Belo Horizonte", "Brasília", "Fortaleza", "Curitiba", "Recife", "Porto Alegre", "Belém", "Goiânia", "Florianópolis", "Maceió", "Łódź", "Reykjavík", "東京"}
	positions = [][2]float64{{-23.6, -46.7}, {-23, -43.3}, {-20, -44}, {-15.9, -48}, {-3.8, -38.6}, {-25.5, -49.4}, {-8.1, -35}, {-30.1, -51.3}, {-1.5, -48.6}, {-16.8, -49.4}, {-27.7, -48.6}, {-9.7, -35.8}, {51.7, 19.4}, {64, -22}, {35.6, 139.6}}
	syllables = []string{"ba", "co", "du", "fe", "gi", "jo", "ka", "lu", "me", "no", "pe", "qui", "ra", "so", "ti", "ve", "xa", "zo"}
)

const (
	artists    = 20_000
	listedDays = 540
	lateDays   = 400 // from then on every second event has lateWord, before it none
	lateWord   = "Carnaval"
)

func artist(n int) string {
	name := ""
	for range 4 {
		name += syllables[n%len(syllables)]
		n /= len(syllables)
	}
	return name
}

// invent makes the n-th event: the same one in every run, except for its id.
func invent(rng *rand.Rand, now time.Time) event.Event {
	title := fmt.Sprintf("%s %s %d", artist(rng.IntN(artists)), kinds[rng.IntN(len(kinds))], 2026+rng.IntN(3))
	if rng.IntN(3) == 0 {
		title = artist(rng.IntN(artists)) + " & " + title
	}
	city := rng.IntN(300)
	place := fmt.Sprintf("Vila %s", artist(7*city))
	latitude, longitude := -3-float64(city%20)*1.3, -36-float64(city/20)*0.7 // towns, a hundred kilometres from each other
	if city < 10*len(cities) {
		city %= len(cities)
		place, latitude, longitude = cities[city], positions[city][0], positions[city][1]
	}
	starts := now.Add(time.Duration(rng.Int64N(int64(listedDays * 24 * time.Hour)))).Truncate(15 * time.Minute)
	if starts.After(now.Add(lateDays*24*time.Hour)) && rng.IntN(2) == 0 {
		title += " " + lateWord
	}
	return event.Event{
		ID: id.New(), Title: title, Genre: genres[rng.IntN(len(genres))], TimeZone: "America/Sao_Paulo", Currency: "BRL", HomeRegion: "sa-east",
		Venue:    event.Venue{Name: fmt.Sprintf("%s %s", houses[rng.IntN(len(houses))], artist(13*rng.IntN(2000))), City: place, Country: "BR", Latitude: latitude + rng.Float64()/5, Longitude: longitude + rng.Float64()/5},
		StartsAt: starts, OnSaleAt: now.Add(-time.Hour), State: event.OnSale, Prices: []int64{18000, 9000}, Rules: event.DefaultRules(), Epoch: 1, Version: 1,
	}
}

// hall is a chart of one section with that many seats, in rows of fifty.
func hall(seats int) (*seatmap.Chart, error) {
	section := seatmap.SectionSpec{Label: "A"}
	for from := 0; from < seats; from += 50 {
		row := seatmap.RowSpec{Label: fmt.Sprint(1 + from/50)}
		for s := range min(50, seats-from) {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(s + 1), X: float32(s), Y: float32(from / 50), Category: from / 50 % 2})
		}
		section.Rows = append(section.Rows, row)
	}
	return seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Hall", Sections: []seatmap.SectionSpec{section},
		Categories: []seatmap.Category{{Key: "front", Name: "Front", Color: "#aa0000"}, {Key: "back", Name: "Back", Color: "#0000aa"}},
	})
}

// fill loads the events, all in one chart, and returns those that have seats.
func fill(ctx context.Context, d *db.DB, opts Options) (warm []id.ID, err error) {
	chart, err := hall(opts.Seats)
	if err != nil {
		return nil, err
	}
	if err := db.NewCatalog(d).PutChart(ctx, chart); err != nil {
		return nil, err
	}
	ids := make([]id.ID, opts.Events)
	indexes, err := dropIndexes(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := fillEvents(ctx, d, chart, ids); err != nil {
		return nil, err
	}
	for _, create := range indexes {
		if _, err := d.Pool().Exec(ctx, create); err != nil {
			return nil, fmt.Errorf("eventbench: %w", err)
		}
	}
	for n := range opts.Warm { // spread over the list
		warm = append(warm, ids[n*(opts.Events/opts.Warm)])
	}
	if err := fillSeats(ctx, d, chart, warm); err != nil {
		return nil, err
	}
	for _, table := range []string{"event", "event_stock", "seat"} {
		statement := "vacuum analyze "
		if d.Dialect == db.Cockroach {
			statement = "analyze "
		}
		if _, err := d.Pool().Exec(ctx, statement+table); err != nil {
			return nil, fmt.Errorf("eventbench: %w", err)
		}
	}
	return warm, nil
}

// dropIndexes takes the indexes of events away and returns how they are made again, which is several times quicker
// after filling than while.
func dropIndexes(ctx context.Context, d *db.DB) (create []string, err error) {
	if d.Dialect != db.Postgres {
		return nil, nil
	}
	rows, err := d.Pool().Query(ctx, "select indexname, indexdef from pg_indexes where tablename = 'event' and indexname <> 'event_pkey'")
	if err != nil {
		return nil, fmt.Errorf("eventbench: %w", err)
	}
	var name, definition string
	var names []string
	_, err = pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		names, create = append(names, name), append(create, definition)
		return nil
	})
	for _, name := range names {
		if err == nil {
			_, err = d.Pool().Exec(ctx, "drop index "+name)
		}
	}
	return create, err
}

func fillEvents(ctx context.Context, d *db.DB, chart *seatmap.Chart, ids []id.ID) error {
	rng, now := rand.New(rand.NewPCG(1, 2)), time.Now().UTC() //nolint:gosec // the same events every time
	rules, err := json.Marshal(event.DefaultRules())
	if err != nil {
		return err
	}
	columns := []string{"event_id", "title", "venue", "genre", "time_zone", "currency", "home_region", "starts_at", "on_sale_at", "state",
		"chart_id", "chart_version", "capacity", "prices", "rules"}
	columns = append(columns, db.FilingColumns()...)
	_, err = d.Pool().CopyFrom(ctx, pgx.Identifier{"event"}, columns, pgx.CopyFromSlice(len(ids), func(n int) ([]any, error) {
		e := invent(rng, now)
		ids[n] = e.ID
		venue, err := json.Marshal(e.Venue)
		return append([]any{[16]byte(e.ID), e.Title, string(venue), e.Genre, e.TimeZone, e.Currency, e.HomeRegion, e.StartsAt, e.OnSaleAt, string(e.State),
			[16]byte(chart.ID()), int64(1), int64(chart.Seats()), "[18000,9000]", string(rules)}, db.Filing(e)...), err
	}))
	if err != nil {
		return fmt.Errorf("eventbench: events: %w", err)
	}
	_, err = d.Pool().CopyFrom(ctx, pgx.Identifier{"event_stock"}, []string{"event_id", "available", "held", "sold", "blocked", "counted_at"},
		pgx.CopyFromSlice(len(ids), func(n int) ([]any, error) {
			return []any{[16]byte(ids[n]), int64(chart.Seats()), int64(0), int64(0), int64(0), now}, nil
		}))
	if err != nil {
		return fmt.Errorf("eventbench: stock: %w", err)
	}
	return nil
}

func fillSeats(ctx context.Context, d *db.DB, chart *seatmap.Chart, warm []id.ID) error {
	seats := chart.Seats()
	_, err := d.Pool().CopyFrom(ctx, pgx.Identifier{"seat"}, []string{"event_id", "ordinal", "category"},
		pgx.CopyFromSlice(len(warm)*seats, func(n int) ([]any, error) {
			return []any{[16]byte(warm[n/seats]), int64(n % seats), int64(chart.Category(seatmap.Ordinal(n % seats)))}, nil
		}))
	if err != nil {
		return fmt.Errorf("eventbench: seats: %w", err)
	}
	return nil
}
