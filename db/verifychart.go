package db

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// Rules that need the chart, whose seats the database does not know apart.

var companionRule = rule{name: "companion-alone", what: "a companion seat held or sold without its accessible seat before the release"}

// checkCompanions looks at every hold that keeps or has sold its seats, and was made while
// accessible seats were kept for those who ask.
func (v *verifier) checkCompanions(ctx context.Context) error {
	v.report.Rules++
	var rules event.Rules
	var text []byte
	err := v.tx.QueryRow(ctx, "select rules from event where event_id = $1", uid(v.report.Event)).Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &rules)
	}
	if err != nil {
		return err
	}
	companions := v.companions()
	if len(companions) == 0 {
		return nil
	}
	rows, err := v.tx.Query(ctx, `select hold_id, ordinals, created_at from hold
		where event_id = $1 and state in (1, 2, 3) and ordinals && $2::int8[]`, uid(v.report.Event), companions)
	if err != nil {
		return err
	}
	var hold [16]byte
	var ordinals []int64
	var made time.Time
	_, err = pgx.ForEachRow(rows, []any{&hold, &ordinals, &made}, func() error {
		for _, o := range ordinals {
			if rules.AccessibleKept(made) && v.alone(o, ordinals) {
				v.found(companionRule, []string{"ordinal", "hold"}, []any{o, hold})
			}
		}
		return nil
	})
	return err
}

func (v *verifier) companions() (list []int64) {
	for o := range seatmap.Ordinal(v.chart.Seats()) {
		if v.chart.Companion(o) {
			list = append(list, int64(o))
		}
	}
	return list
}

// alone reports whether o is a companion seat with none of its accessible seats among the others.
func (v *verifier) alone(o int64, others []int64) bool {
	if o < 0 || o >= int64(v.chart.Seats()) || !v.chart.Companion(seatmap.Ordinal(o)) {
		return false
	}
	return !slices.ContainsFunc(v.chart.Partners(seatmap.Ordinal(o)), func(p seatmap.Ordinal) bool {
		return slices.Contains(others, int64(p))
	})
}

var areaRule = rule{name: "area-oversold", what: "more people hold or have tickets for an area than it has places"}

// checkAreas counts people, as holds and tickets have them, against places.
func (v *verifier) checkAreas(ctx context.Context) error {
	v.report.Rules++
	for _, s := range v.chart.Sections() {
		if !s.General {
			continue
		}
		var people int64
		err := v.tx.QueryRow(ctx, `select (select count(*) from hold h, unnest(h.ordinals) as o (ordinal)
				where h.event_id = $1 and h.state in (1, 2) and o.ordinal between $2 and $3)
			+ (select count(*) from ticket where event_id = $1 and state = 'VALID' and ordinal between $2 and $3)`,
			uid(v.report.Event), int64(s.From), int64(s.To-1)).Scan(&people)
		if err != nil {
			return err
		}
		if places := int64(s.To - s.From); people > places {
			v.found(areaRule, []string{"area", "people", "places"}, []any{s.Label, people, places})
		}
	}
	return nil
}
