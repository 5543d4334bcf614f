package db

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/cache"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/core/seatview"
)

const (
	viewsLife   = 10 * time.Second // how old a list of pictures may be
	viewEntries = 20_000           // pictures on all kept lists together
	viewBytes   = 16 << 20         // of kept pictures; the edge keeps them too
)

// Views keeps the pictures that organizers give of what one sees from a section. Safe for concurrent use.
type Views struct {
	c        *Catalog
	lists    *cache.Cache[id.ID, []seatview.View]
	pictures *cache.Cache[viewKey, seatview.Picture]
}

type viewKey struct {
	chart  id.ID
	digest string
}

// NewViews returns the store of pictures beside the charts of c.
func NewViews(c *Catalog) *Views {
	return &Views{
		c:        c,
		lists:    cache.New[id.ID](viewsLife, viewEntries, func(v []seatview.View) int { return len(v) + 1 }),
		pictures: cache.New[viewKey](0, viewBytes, func(p seatview.Picture) int { return len(p.Body) + 1 }),
	}
}

// Views lists a chart's pictures without their bodies, by section; none for a chart that is not there.
func (s *Views) Views(ctx context.Context, chart id.ID) ([]seatview.View, error) {
	return s.lists.Get(ctx, chart, func(ctx context.Context) ([]seatview.View, error) {
		all, err := collect(ctx, s.c.d, scanView(chart), "select section, digest, kind, width, height, set_at from chart_view where chart_id = $1", uid(chart))
		slices.SortFunc(all, func(a, b seatview.View) int { return slices.Compare([]string{a.Section}, []string{b.Section}) })
		return all, err
	})
}

func scanView(chart id.ID) func(pgx.Row) (seatview.View, error) {
	return func(row pgx.Row) (v seatview.View, err error) {
		v.Chart = chart
		err = row.Scan(&v.Section, &v.Picture.Digest, &v.Picture.Kind, &v.Picture.Width, &v.Picture.Height, &v.SetAt)
		v.SetAt = v.SetAt.UTC()
		return v, err
	}
}

// Picture is a picture of a chart by its digest, or fault.NotFound.
func (s *Views) Picture(ctx context.Context, chart id.ID, digest string) (seatview.Picture, error) {
	return s.pictures.Get(ctx, viewKey{chart, digest}, func(ctx context.Context) (p seatview.Picture, err error) {
		p.Digest = digest
		err = retry(ctx, func(ctx context.Context) error {
			return s.c.d.pool.QueryRow(ctx, "select kind, width, height, body from chart_view where chart_id = $1 and digest = $2 limit 1", uid(chart), digest).
				Scan(&p.Kind, &p.Width, &p.Height, &p.Body)
		})
		if err != nil {
			return p, notFound(err, "picture")
		}
		return p, nil
	})
}

// Act carries out an order and writes it into the audit in the same transaction. What is there already changes nothing. fault.NotFound: no
// such chart, or its newest version has no such section; fault.Invalid: nobody has signed.
func (s *Views) Act(ctx context.Context, o seatview.Order) error {
	if err := o.Check(); err != nil {
		return err
	}
	if err := s.hasSection(ctx, o.Chart, o.Section); err != nil {
		return err
	}
	err := tx(ctx, s.c.d, func(t pgx.Tx) error { return setView(ctx, t, o) })
	s.lists.Forget(o.Chart)
	return err
}

func (s *Views) hasSection(ctx context.Context, chart id.ID, section string) error {
	var newest int
	err := retry(ctx, func(ctx context.Context) error {
		return s.c.d.pool.QueryRow(ctx, "select coalesce(max(version), 0) from chart where chart_id = $1", uid(chart)).Scan(&newest)
	})
	if err != nil {
		return err
	}
	if newest == 0 {
		return fault.New(fault.NotFound, "no such chart")
	}
	c, err := s.c.Chart(ctx, chart, newest)
	if err == nil && !slices.ContainsFunc(c.Sections(), func(x seatmap.Section) bool { return x.Label == section }) {
		err = fault.New(fault.NotFound, "the chart has no section %q", section)
	}
	return err
}

func setView(ctx context.Context, t pgx.Tx, o seatview.Order) error {
	was, became := "", ""
	if o.Picture != nil {
		became = o.Picture.Digest
	}
	rows, err := t.Query(ctx, "select digest from chart_view where chart_id = $1 and section = $2", uid(o.Chart), o.Section)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(found) > 0 {
		was = found[0]
	}
	if was == became {
		return nil
	}
	var seq int64
	if err := t.QueryRow(ctx, "select coalesce(max(seq), 0) from chart_view_action where chart_id = $1", uid(o.Chart)).Scan(&seq); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	if was != "" {
		batch.Queue("delete from chart_view where chart_id = $1 and section = $2 and digest = $3", uid(o.Chart), o.Section, was)
	}
	if p := o.Picture; p != nil {
		batch.Queue(`insert into chart_view (chart_id, section, digest, kind, width, height, body, set_at) values ($1, $2, $3, $4, $5, $6, $7, now())
			on conflict (chart_id, section) do nothing`, uid(o.Chart), o.Section, p.Digest, string(p.Kind), p.Width, p.Height, p.Body)
	}
	batch.Queue(`insert into chart_view_action (chart_id, seq, at, section, who, why, was, became) values ($1, $2, now(), $3, $4, $5, $6, $7)
		on conflict (chart_id, seq) do nothing`, uid(o.Chart), seq+1, o.Section, o.Who, o.Why, was, became)
	return oneRowEach(ctx, t, batch)
}

// Actions are what operators did to a chart's pictures, newest first, at most limit.
func (s *Views) Actions(ctx context.Context, chart id.ID, limit int) ([]seatview.Action, error) {
	scan := func(row pgx.Row) (a seatview.Action, err error) {
		err = row.Scan(&a.Seq, &a.At, &a.Section, &a.Who, &a.Why, &a.Before, &a.After)
		a.At = a.At.UTC()
		return a, err
	}
	return collect(ctx, s.c.d, scan, "select seq, at, section, who, why, was, became from chart_view_action where chart_id = $1 order by seq desc limit $2", uid(chart), limit)
}
