package db

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// Chart returns a version of a chart; fault.NotFound. It is built once and shared.
func (c *Catalog) Chart(ctx context.Context, chart id.ID, version int) (*seatmap.Chart, error) {
	key := chartKey{chart, version}
	return c.charts.Get(ctx, key, func(ctx context.Context) (*seatmap.Chart, error) { return c.loadChart(ctx, key) })
}

func (c *Catalog) loadChart(ctx context.Context, key chartKey) (*seatmap.Chart, error) {
	document, err := chartDocument(ctx, c.d.pool, key)
	if err != nil {
		return nil, err
	}
	chart, err := seatmap.ParseJSON(document)
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "the stored chart %s version %d cannot be read", key.id, key.version)
	}
	return chart, nil
}

func chartDocument(ctx context.Context, q querier, key chartKey) ([]byte, error) {
	var packed []byte
	err := q.QueryRow(ctx, "select document from chart where chart_id = $1 and version = $2", uid(key.id), key.version).Scan(&packed)
	if err != nil {
		return nil, notFound(err, "chart")
	}
	return unpack(packed)
}

// PutChart stores a version of a chart. Versions are immutable and follow each
// other: storing the same again changes nothing, another content under a known
// number is fault.Invalid. A version that lacks a seat somebody has bought or holds,
// in any event of the chart that is not over, is refused with the seats' labels in Details["seats"].
func (c *Catalog) PutChart(ctx context.Context, chart *seatmap.Chart) error {
	if chart.ID().IsZero() || chart.Version() < 1 {
		return fault.New(fault.Invalid, "a chart needs an id and a version from 1")
	}
	packed, err := pack(chart.JSON())
	if err != nil {
		return err
	}
	return tx(ctx, c.d, func(t pgx.Tx) error {
		known, err := c.isKnown(ctx, t, chart)
		if err != nil || known {
			return err
		}
		if err := c.keepsSeats(ctx, t, chart); err != nil {
			return err
		}
		_, err = t.Exec(ctx, "insert into chart (chart_id, version, name, seats, document) values ($1, $2, $3, $4, $5)",
			uid(chart.ID()), chart.Version(), chart.Name(), chart.Seats(), packed)
		if violates(err) {
			return fault.Wrap(err, fault.Busy, "this version of the chart is being stored by somebody else")
		}
		return err
	})
}

func (c *Catalog) isKnown(ctx context.Context, t pgx.Tx, chart *seatmap.Chart) (bool, error) {
	var latest int
	err := t.QueryRow(ctx, "select coalesce(max(version), 0) from chart where chart_id = $1", uid(chart.ID())).Scan(&latest)
	if err != nil {
		return false, err
	}
	if chart.Version() > latest {
		if chart.Version() != latest+1 {
			return false, fault.New(fault.Invalid, "the chart's next version is %d, not %d", latest+1, chart.Version())
		}
		return false, nil
	}
	document, err := chartDocument(ctx, t, chartKey{chart.ID(), chart.Version()})
	if err != nil {
		return false, err
	}
	if !bytes.Equal(document, chart.JSON()) {
		return false, fault.New(fault.Invalid, "version %d of the chart exists and is different; versions never change", chart.Version())
	}
	return true, nil
}

// keepsSeats compares by label: ordinals differ from version to version.
func (c *Catalog) keepsSeats(ctx context.Context, t pgx.Tx, next *seatmap.Chart) error {
	rows, err := t.Query(ctx, `select e.chart_version, s.ordinal from event e join seat s on s.event_id = e.event_id
		where e.chart_id = $1 and e.state not in ('closed', 'cancelled') and s.status in (1, 2)`, uid(next.ID()))
	if err != nil {
		return err
	}
	taken := map[chartKey][]seatmap.Ordinal{}
	var version int
	var o seatmap.Ordinal
	_, err = pgx.ForEachRow(rows, []any{&version, &o}, func() error {
		key := chartKey{next.ID(), version}
		taken[key] = append(taken[key], o)
		return nil
	})
	if err != nil {
		return err
	}
	var lost []string
	for key, ordinals := range taken {
		old, err := c.Chart(ctx, key.id, key.version)
		if err != nil {
			return err
		}
		for _, o := range ordinals {
			if _, ok := next.Find(old.Label(o)); !ok {
				lost = append(lost, old.Label(o))
			}
		}
	}
	return lostSeats(lost)
}

const maxNamed = 50 // seats or problems listed in an answer

func lostSeats(lost []string) error {
	if len(lost) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "the new version lacks seat %s, which is taken (%d such seats)", lost[0], len(lost)).
		With("seats", lost[:min(len(lost), maxNamed)])
}

func pack(document []byte) ([]byte, error) {
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	_, err := w.Write(document)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("db: pack: %w", err)
	}
	return buffer.Bytes(), nil
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("db: unpack: %w", err)
	}
	document, err := io.ReadAll(io.LimitReader(r, seatmap.MaxJSON+1))
	if err != nil {
		return nil, fmt.Errorf("db: unpack: %w", err)
	}
	return document, nil
}
