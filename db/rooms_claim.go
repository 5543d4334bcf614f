package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/queue"
)

const visitColumns = `account_id, epoch, pseudonym, key_thumb, session_id, late, tier, entered, rank, second_chance, version,
	knocked_at, admitted_at, renewed_at, sold_before, left_at, told`

func scanVisit(row pgx.Row) (v queue.Visit, err error) {
	var rank int64
	var knocked, admitted, left *time.Time
	err = row.Scan(into(&v.Account), &v.Epoch, &v.Pseudonym, &v.KeyThumb, maybe(&v.Session), &v.Turn.Late, &v.Turn.Tier, &v.Turn.Second, &rank,
		&v.Second, &v.Version, &knocked, &admitted, &v.RenewedAt, &v.SoldBefore, &left, &v.Told)
	v.Turn.Rank = uint64(rank) //nolint:gosec // the bits are the rank
	v.KnockedAt, v.AdmittedAt, v.LeftAt, v.RenewedAt = instant(knocked), instant(admitted), instant(left), v.RenewedAt.UTC()
	return v, err
}

// Claims shows decide the visits of accounts, which are distinct, one after the other (zero: it has none), and writes what it
// makes of them (false: nothing), in one transaction that all claims of the event wait for. decide keeps the
// hall's count itself, and may run more than once. A room of another epoch than key's has no hall: open is false and decide is not asked.
func (s *Rooms) Claims(ctx context.Context, key queue.Key, accounts []id.ID, decide func(h *queue.Hall, i int, v queue.Visit) (queue.Visit, bool)) (open bool, err error) {
	err = tx(ctx, s.db, func(t pgx.Tx) error {
		hall, epoch, found, err := readHall(ctx, t, key.Event, accounts)
		if open = err == nil && epoch == key.Epoch; !open {
			return err
		}
		var visits []queue.Visit
		for i, who := range accounts {
			if v, write := decide(&hall, i, found[who]); write {
				v.Account, v.Epoch = who, key.Epoch
				visits = append(visits, v)
			}
		}
		return writeVisits(ctx, t, key.Event, hall.Now, visits)
	})
	return open, err
}

func readHall(ctx context.Context, t pgx.Tx, event id.ID, accounts []id.ID) (h queue.Hall, epoch int64, found map[id.ID]queue.Visit, err error) {
	found = make(map[id.ID]queue.Visit, len(accounts))
	batch := &pgx.Batch{}
	batch.Queue("update room_gate set claims = claims + 1 where event_id = $1", uid(event))
	batch.Queue("select epoch, now() from room where event_id = $1", uid(event)).QueryRow(func(row pgx.Row) error {
		return row.Scan(&epoch, &h.Now)
	})
	batch.Queue("select count(*) from admission where event_id = $1 and left_at is null and admitted_at is not null", uid(event)).
		QueryRow(func(row pgx.Row) error { return row.Scan(&h.Inside) })
	batch.Queue("select "+visitColumns+" from admission where account_id = any($1::uuid[]) and event_id = $2", uids(accounts), uid(event)).
		Query(func(rows pgx.Rows) error {
			visits, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (queue.Visit, error) { return scanVisit(row) })
			for _, v := range visits {
				found[v.Account] = v
			}
			return err
		})
	err = t.SendBatch(ctx, batch).Close()
	h.Now = h.Now.UTC()
	return h, epoch, found, notFound(err, "waiting room")
}

// sqlVisit writes visits, which have not left. What was counted of an account in this epoch stays counted.
const sqlVisit = `insert into admission (account_id, event_id, epoch, pseudonym, key_thumb, session_id, late, tier, entered, rank, second_chance,
		version, knocked_at, admitted_at, renewed_at, last_seen, sold_before, told, told_in)
	select u.account_id, $1, $2, u.pseudonym, u.key_thumb, u.session_id, u.late, u.tier, u.entered, u.rank, u.second_chance, u.version,
		u.knocked_at, u.admitted_at, $3, $3, coalesce((select b.sold from buyer b where b.account_id = u.account_id and b.event_id = $1), 0), false, u.admitted_at is null
	from (select unnest($4::uuid[]) as account_id, unnest($5::text[]) as pseudonym, unnest($6::text[]) as key_thumb, unnest($7::uuid[]) as session_id,
		unnest($8::bool[]) as late, unnest($9::int8[]) as tier, unnest($10::int8[]) as entered, unnest($11::int8[]) as rank,
		unnest($12::bool[]) as second_chance, unnest($13::int8[]) as version, unnest($14::timestamptz[]) as knocked_at, unnest($15::timestamptz[]) as admitted_at) u
	on conflict (account_id, event_id) do update set
		told = admission.told and admission.epoch = excluded.epoch,
		told_in = case when excluded.admitted_at is null then true
			when admission.admitted_at is null or admission.epoch <> excluded.epoch then false else admission.told_in end,
		told_out = true, left_at = null, left_reason = '',
		sold_before = case when admission.epoch = excluded.epoch and admission.admitted_at is not null and admission.left_at is null
			then admission.sold_before else excluded.sold_before end,
		epoch = excluded.epoch, pseudonym = excluded.pseudonym, key_thumb = excluded.key_thumb, session_id = excluded.session_id,
		late = excluded.late, tier = excluded.tier, entered = excluded.entered, rank = excluded.rank, second_chance = excluded.second_chance,
		version = excluded.version, knocked_at = excluded.knocked_at, admitted_at = excluded.admitted_at,
		renewed_at = excluded.renewed_at, last_seen = excluded.last_seen`

// sqlSession makes sessions the live ones. Renewing changes nothing here, so that it does not make the engine's transactions start over.
const sqlSession = `insert into buyer (account_id, event_id, session_id)
	select u.account_id, $1, u.session_id from (select unnest($2::uuid[]) as account_id, unnest($3::uuid[]) as session_id) u
	on conflict (account_id, event_id) do update set session_id = excluded.session_id, version = buyer.version + 1
	where buyer.session_id is distinct from excluded.session_id`

// columns are visits as arrays, one for each column.
type columns struct {
	accounts, sessions  []*[16]byte
	pseudonyms, keys    []string
	lates, seconds      []bool
	tiers, entered      []int64
	ranks, versions     []int64
	knocked, admitted   []*time.Time
	admittees, theirOwn [][16]byte // of those who are inside: account and session
}

func columnsOf(visits []queue.Visit) (c columns) {
	for _, v := range visits {
		account := [16]byte(v.Account)
		c.accounts, c.pseudonyms, c.keys = append(c.accounts, &account), append(c.pseudonyms, v.Pseudonym), append(c.keys, v.KeyThumb)
		c.lates, c.tiers, c.entered = append(c.lates, v.Turn.Late), append(c.tiers, int64(v.Turn.Tier)), append(c.entered, v.Turn.Second)
		c.ranks = append(c.ranks, int64(v.Turn.Rank)) //nolint:gosec // the bits are the rank
		c.seconds, c.versions = append(c.seconds, v.Second), append(c.versions, v.Version)
		c.knocked, c.admitted = append(c.knocked, moment(v.KnockedAt)), append(c.admitted, moment(v.AdmittedAt))
		if v.Session.IsZero() {
			c.sessions = append(c.sessions, nil)
			continue
		}
		session := [16]byte(v.Session)
		c.sessions = append(c.sessions, &session)
		c.admittees, c.theirOwn = append(c.admittees, account), append(c.theirOwn, session)
	}
	return c
}

// moment is t as an argument; NULL for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func writeVisits(ctx context.Context, t pgx.Tx, event id.ID, now time.Time, visits []queue.Visit) error {
	if len(visits) == 0 {
		return nil
	}
	c, epoch := columnsOf(visits), visits[0].Epoch
	batch := &pgx.Batch{}
	batch.Queue(sqlVisit, uid(event), epoch, now, c.accounts, c.pseudonyms, c.keys, c.sessions, c.lates, c.tiers, c.entered, c.ranks,
		c.seconds, c.versions, c.knocked, c.admitted)
	if len(c.admittees) > 0 {
		batch.Queue(sqlSession, uid(event), c.admittees, c.theirOwn)
	}
	return t.SendBatch(ctx, batch).Close()
}

// Visit finds a visit by the pseudonym of its account; zero when there is none.
func (s *Rooms) Visit(ctx context.Context, key queue.Key, pseudonym string) (queue.Visit, error) {
	found, err := collect(ctx, s.db, scanVisit, "select "+visitColumns+" from admission where event_id = $1 and pseudonym = $2 and epoch = $3 limit 1",
		uid(key.Event), pseudonym, key.Epoch)
	if len(found) == 0 {
		return queue.Visit{}, err
	}
	return found[0], err
}
