package db

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/partner"
)

// Partners keeps who may show the map on pages of their own.
type Partners struct{ db *DB }

// NewPartners returns the store of partners in d.
func NewPartners(d *DB) *Partners { return &Partners{d} }

const selectPartners = `select partner_id, version, name, suspended, origins, all_events, events, created_at, changed_at from partner`

func scanPartner(row pgx.Row) (p partner.Partner, err error) {
	var events [][16]byte
	var origins []string
	err = row.Scan((*[16]byte)(&p.ID), &p.Version, &p.Name, &p.Suspended, &origins, &p.AllEvents, &events, &p.CreatedAt, &p.ChangedAt)
	for _, o := range origins {
		p.Origins = append(p.Origins, partner.Origin(o))
	}
	for _, e := range events {
		p.Events = append(p.Events, e)
	}
	p.CreatedAt, p.ChangedAt = p.CreatedAt.UTC(), p.ChangedAt.UTC()
	return p, err
}

// All partners, by name.
func (s *Partners) All(ctx context.Context) ([]partner.Partner, error) {
	all, err := collect(ctx, s.db, scanPartner, selectPartners)
	slices.SortFunc(all, func(a, b partner.Partner) int { // here, not there: collations differ
		return slices.Compare([]string{a.Name, a.ID.String()}, []string{b.Name, b.ID.String()})
	})
	return all, err
}

// Partner is one of them, or fault.NotFound.
func (s *Partners) Partner(ctx context.Context, which id.ID) (p partner.Partner, err error) {
	err = retry(ctx, func(ctx context.Context) (err error) {
		p, err = scanPartner(s.db.pool.QueryRow(ctx, selectPartners+" where partner_id = $1", uid(which)))
		return err
	})
	if err != nil {
		return p, notFound(err, "partner")
	}
	return p, nil
}

const selectListVersion = "select coalesce(max(seq), 0) from partner_action"

// List is the partner.Source of a process with a database: one small statement while nothing has changed.
func (s *Partners) List(ctx context.Context, have string) (version string, grants []partner.Grant, unchanged bool, err error) {
	err = tx(ctx, s.db, func(t pgx.Tx) error {
		var now int64
		if err := t.QueryRow(ctx, selectListVersion).Scan(&now); err != nil {
			return err
		}
		if version, unchanged = strconv.FormatInt(now, 10), false; version == have {
			unchanged = true
			return nil
		}
		all, err := allPartners(ctx, t)
		grants = partner.GrantsOf(all)
		return err
	})
	return version, grants, unchanged, err
}

func allPartners(ctx context.Context, t pgx.Tx) ([]partner.Partner, error) {
	rows, err := t.Query(ctx, selectPartners)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (partner.Partner, error) { return scanPartner(row) })
}

// Act carries out an order and writes it into the audit in the same transaction. Orders take turns, so that the bounds of all
// partners together hold. An order that asks for what is there already changes nothing, so it may be repeated. fault.EventState: somebody
// has changed the partner since; fault.Invalid, fault.LimitExceeded and fault.NotFound as their texts say.
func (s *Partners) Act(ctx context.Context, o partner.Order) (became partner.Partner, err error) {
	if o.Who == "" || o.Why == "" {
		return became, fault.New(fault.Invalid, "a change says who makes it, and why")
	}
	if !o.Remove {
		if o.Partner, err = o.Normal(); err != nil {
			return became, err
		}
	}
	err = tx(ctx, s.db, func(t pgx.Tx) (err error) {
		became, err = act(ctx, t, o)
		return err
	})
	return became, err
}

func act(ctx context.Context, t pgx.Tx, o partner.Order) (partner.Partner, error) {
	var seq int64
	var now time.Time
	if err := t.QueryRow(ctx, "select coalesce(max(seq), 0), now() from partner_action").Scan(&seq, &now); err != nil {
		return o.Partner, err
	}
	all, err := allPartners(ctx, t)
	if err != nil {
		return o.Partner, err
	}
	var was *partner.Partner
	at := slices.IndexFunc(all, func(p partner.Partner) bool { return p.ID == o.ID })
	if at >= 0 {
		was = &all[at]
	}
	a := partner.Action{Seq: seq + 1, Partner: o.ID, Who: o.Who, Why: o.Why}
	if o.Remove {
		return removePartner(ctx, t, was, o.Version, a)
	}
	return writePartner(ctx, t, all, was, o.Partner, now, a)
}

func removePartner(ctx context.Context, t pgx.Tx, was *partner.Partner, version int64, a partner.Action) (p partner.Partner, err error) {
	switch {
	case was == nil:
		return p, fault.New(fault.NotFound, "no such partner")
	case was.Version != version:
		return p, changedSince(was.Version)
	}
	a.Verb, a.Before = partner.Remove, partnerText(*was)
	batch := &pgx.Batch{}
	batch.Queue("delete from partner where partner_id = $1 and version = $2", uid(was.ID), version)
	queueAction(batch, a)
	return *was, oneRowEach(ctx, t, batch)
}

func writePartner(ctx context.Context, t pgx.Tx, all []partner.Partner, was *partner.Partner, p partner.Partner, now time.Time, a partner.Action) (partner.Partner, error) {
	from := p.Version
	p.Version, p.CreatedAt, p.ChangedAt, a.Verb = from+1, now.UTC(), now.UTC(), partner.Add
	if was != nil {
		p.CreatedAt, a.Verb, a.Before = was.CreatedAt, partner.Change, partnerText(*was)
		if partnerText(*was) == partnerText(p) {
			return *was, nil
		}
	}
	if a.After = partnerText(p); was == nil && from != 0 {
		return p, fault.New(fault.NotFound, "no such partner")
	}
	if was != nil && was.Version != from {
		return p, changedSince(was.Version)
	}
	others := slices.DeleteFunc(slices.Clone(all), func(x partner.Partner) bool { return x.ID == p.ID })
	for _, x := range others {
		if strings.EqualFold(x.Name, p.Name) {
			return p, fault.New(fault.Invalid, "another partner has that name").With("field", "name").With("partnerId", x.ID.String())
		}
	}
	if err := partner.CheckAll(append(others, p)); err != nil {
		return p, err
	}
	if err := eventsExist(ctx, t, p.Events); err != nil {
		return p, err
	}
	batch := &pgx.Batch{}
	if was == nil {
		batch.Queue(`insert into partner (partner_id, version, name, suspended, origins, all_events, events, created_at, changed_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			uid(p.ID), p.Version, p.Name, p.Suspended, texts(p.Origins), p.AllEvents, uids(p.Events), p.CreatedAt, p.ChangedAt)
	} else {
		batch.Queue(`update partner set version = $2, name = $3, suspended = $4, origins = $5, all_events = $6, events = $7, changed_at = $8
			where partner_id = $1 and version = $9`,
			uid(p.ID), p.Version, p.Name, p.Suspended, texts(p.Origins), p.AllEvents, uids(p.Events), p.ChangedAt, from)
	}
	queueAction(batch, a)
	return p, oneRowEach(ctx, t, batch)
}

// eventsExist refuses what must be a slip: a partner would show nothing and nobody be told why.
func eventsExist(ctx context.Context, t pgx.Tx, events []id.ID) error {
	rows, err := t.Query(ctx, "select event_id from event where event_id = any($1::uuid[])", uids(events))
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id.ID, error) { return scanID(row) })
	if err != nil {
		return err
	}
	for _, event := range events {
		if !slices.Contains(found, event) {
			return fault.New(fault.Invalid, "there is no event %s", event).With("field", "events").With("eventId", event.String())
		}
	}
	return nil
}

func changedSince(version int64) error {
	return fault.New(fault.EventState, "the partner has version %d now: somebody has changed it", version).With("version", version)
}

// queueAction adds a line to the audit. Another change of the same moment has its number: then everything starts over.
func queueAction(batch *pgx.Batch, a partner.Action) {
	batch.Queue(`insert into partner_action (seq, at, partner_id, verb, who, why, was, became) values ($1, now(), $2, $3, $4, $5, $6, $7)
		on conflict (seq) do nothing`, a.Seq, uid(a.Partner), string(a.Verb), a.Who, a.Why, a.Before, a.After)
}

// Actions are what operators did, newest first, those before a number (0: all), at most limit.
func (s *Partners) Actions(ctx context.Context, before int64, limit int) ([]partner.Action, error) {
	scan := func(row pgx.Row) (a partner.Action, err error) {
		err = row.Scan(&a.Seq, &a.At, (*[16]byte)(&a.Partner), &a.Verb, &a.Who, &a.Why, &a.Before, &a.After)
		a.At = a.At.UTC()
		return a, err
	}
	return collect(ctx, s.db, scan, `select seq, at, partner_id, verb, who, why, was, became from partner_action
		where $1 = 0 or seq < $1 order by seq desc limit $2`, before, limit)
}

// partnerText is a partner in the audit: what an operator chooses, without what follows from it.
func partnerText(p partner.Partner) string {
	events := make([]string, len(p.Events))
	for i, e := range p.Events {
		events[i] = e.String()
	}
	out, _ := json.Marshal(struct { // strings and bools do not fail
		Name      string   `json:"name"`
		Suspended bool     `json:"suspended"`
		Origins   []string `json:"origins"`
		AllEvents bool     `json:"allEvents"`
		Events    []string `json:"events"`
	}{p.Name, p.Suspended, texts(p.Origins), p.AllEvents, events})
	return string(out)
}

func texts(origins []partner.Origin) []string {
	out := make([]string, len(origins))
	for i, o := range origins {
		out[i] = string(o)
	}
	return out
}
