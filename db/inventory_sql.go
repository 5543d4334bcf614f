package db

import "strings"

// The engine's statements. Each is lookups by key, whatever the statistics say:
// inventory_explain_test.go holds them to it.

// engineSQL are those that differ by dialect, and those that a test takes the guard out of to see that it is missed.
type engineSQL struct {
	begin        string
	loadEvent    string
	loadSeats    string
	loadBuyers   string
	updateSeats  string
	updateBuyers string
	guessBuyers  string // the same, found by key: rows that were not loaded have no place
	updateHolds  string
	loadAccounts string
	moveSeats    string
	byPlace      bool // loads tell where each row is, and updates go there
	copies       bool // many new rows are sent by COPY, which has no unnest and writes pages, not rows
}

func engineSQLFor(d Dialect) engineSQL {
	if d == Cockroach {
		return engineSQL{
			begin: "begin isolation level serializable", loadEvent: sqlEvent, updateHolds: sqlUpdateHolds,
			loadSeats: sqlSeatsCockroach, loadBuyers: sqlBuyers, loadAccounts: sqlAccountsCockroach,
			updateSeats: sqlUpdateSeatsCockroach, updateBuyers: sqlUpdateBuyersCockroach,
			guessBuyers: sqlUpdateBuyersCockroach, moveSeats: sqlMoveSeatsCockroach,
		}
	}
	return engineSQL{
		begin: "begin isolation level repeatable read", loadEvent: sqlEvent, updateHolds: sqlUpdateHolds,
		loadSeats: sqlSeatsPostgres, loadBuyers: sqlBuyersPostgres, loadAccounts: sqlAccountsPostgres,
		updateSeats: sqlUpdateSeatsPostgres, updateBuyers: sqlUpdateBuyersPostgres, guessBuyers: sqlGuessBuyersPostgres,
		moveSeats: sqlMoveSeatsPostgres, byPlace: true, copies: true,
	}
}

const seatColumns = "s.ordinal, s.status, s.owner, s.category, s.channel, s.version"

// PostgreSQL reads "event_id = $1 and ordinal = any($2)" as a walk over the whole event when
// its statistics say that events are small. A fenced lookup cannot be misread, and one for each
// run of neighbours (people sit together) costs half of one for each seat.
const sqlSeatsPostgres = `select ` + seatColumns + `, s.ctid from (select unnest($2::int8[]) as first, unnest($3::int8[]) as last) u
	cross join lateral (select seat.*, seat.ctid from seat
		where seat.event_id = $1 and seat.ordinal between u.first and u.last offset 0) s`

const sqlSeatsCockroach = `select ` + seatColumns + ` from seat s where s.event_id = $1 and s.ordinal = any($2::int8[])`

const sqlFreeSeatsPostgres = `select ` + seatColumns + `, s.ctid from seat s where s.event_id = $1 and s.status = 0 and s.channel = 0`

// A page has some forty rows of seats, in their order. Nobody waits for these locks: an update of a seat does not exclude them.
const sqlTouchSeatsPostgres = `select count(*) from (select from seat where event_id = $1 and ordinal % 16 = 0 for key share skip locked) touched`

const (
	sqlBuyers = `select account_id, hold_id, held, sold, session_id, version, first_hold
	from buyer where account_id = any($1::uuid[]) and event_id = $2`
	sqlBuyersPostgres = `select account_id, hold_id, held, sold, session_id, version, first_hold, ctid
	from buyer where account_id = any($1::uuid[]) and event_id = $2`
)

// A row's place (ctid) is that of the version our snapshot sees: if somebody has written another
// since, PostgreSQL says 40001. Going there needs no index and leaves the planner no choice
// (6 µs a row; a join by key costs 10, an insert that collides 14).
const (
	// The place may be remembered from long ago and another row's by now: the key is compared, too, in words that
	// are no invitation to the planner to walk the event's index.
	//
	// The arrays go with their ordinals, which are sorted: width_bucket finds a row's among them by halving. No join, so
	// no scan is begun anew for each row and no row of the arrays is carried along in case of a second look.
	sqlUpdateSeatsPostgres = `update seat set status = ($3::int8[])[` + seatIndex + `], owner = ($4::uuid[])[` + seatIndex + `], version = version + 1
	where ctid = any($6::tid[]) and (event_id = $1 and ordinal = ($2::int8[])[` + seatIndex + `]
		and version = ($5::int8[])[` + seatIndex + `] - 1) is true`
	seatIndex = `width_bucket(ordinal, $2::int8[])`

	sqlUpdateBuyersPostgres = `update buyer set hold_id = u.hold_id, held = u.held, sold = u.sold, first_hold = u.first_hold, version = u.version
	from (select unnest($1::tid[]) as place, unnest($2::uuid[]) as hold_id, unnest($3::int8[]) as held,
		unnest($4::int8[]) as sold, unnest($5::uuid[]) as first_hold, unnest($6::int8[]) as version) u
	where buyer.ctid = u.place and buyer.version = u.version - 1`

	// A row that the decision guessed is found here for the first time (10 µs a row, but no load). Its session is guarded too:
	// what the door wrote at version 1 differs from what an engine wrote by that alone.
	sqlGuessBuyersPostgres = `update buyer set hold_id = u.hold_id, held = u.held, sold = u.sold, first_hold = u.first_hold, version = u.version
	from (select unnest($2::uuid[]) as account_id, unnest($3::uuid[]) as hold_id, unnest($4::int8[]) as held,
		unnest($5::int8[]) as sold, unnest($6::uuid[]) as first_hold, unnest($7::int8[]) as version, unnest($8::uuid[]) as session_id) u
	cross join lateral (select b.ctid from buyer b where b.account_id = u.account_id and b.event_id = $1 offset 0) at
	where buyer.ctid = at.ctid and buyer.version = u.version - 1 and buyer.session_id is not distinct from u.session_id`
)

const (
	sqlUpdateSeatsCockroach = `update seat set status = u.status, owner = u.owner, version = u.version
	from (select unnest($2::int8[]) as ordinal, unnest($3::int8[]) as status, unnest($4::uuid[]) as owner,
		unnest($5::int8[]) as version) u
	where seat.event_id = $1 and seat.ordinal = u.ordinal and seat.version = u.version - 1`

	sqlUpdateBuyersCockroach = `update buyer set hold_id = u.hold_id, held = u.held, sold = u.sold, first_hold = u.first_hold, version = u.version
	from (select unnest($2::uuid[]) as account_id, unnest($3::uuid[]) as hold_id, unnest($4::int8[]) as held,
		unnest($5::int8[]) as sold, unnest($6::uuid[]) as first_hold, unnest($7::int8[]) as version, unnest($8::uuid[]) as session_id) u
	where buyer.event_id = $1 and buyer.account_id = u.account_id and buyer.version = u.version - 1
		and buyer.session_id is not distinct from u.session_id`
)

const sqlInsertBuyers = `insert into buyer (event_id, account_id, hold_id, held, sold, session_id, first_hold, version)
	select $1, unnest($2::uuid[]), unnest($3::uuid[]), unnest($4::int8[]), unnest($5::int8[]), unnest($6::uuid[]), unnest($7::uuid[]),
		unnest($8::int8[])`

const sqlEvent = `select now(), state, currency, chart_id, chart_version, prices, rules, epoch, version, starts_at
	from event where event_id = $1 for share`

const holdColumns = `hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, ended_at,
	version, idem_key, body_hash, created_at, again`

// Buyers with those of their holds that matter: the first, named by the row, and any others. Whoever has a hold has
// a buyer row, written with the first one: accounts that are new, which is most of a rush, cost one lookup. (The
// fences keep PostgreSQL from turning the joins around.)
var (
	sqlAccountsPostgres = accountsSQL("b.ctid") +
		` left join lateral (select * from hold where hold.hold_id = b.first_hold and ` + holdMatters("hold") + ` offset 0) f on true
		left join lateral (select * from hold where hold.account_id = b.account_id and hold.event_id = $2 and hold.again
			and ` + holdMatters("hold") + ` offset 0) h on true` + accountsNamed

	sqlAccountsCockroach = accountsSQL("null::int8") +
		` left join hold f on f.hold_id = b.first_hold and ` + holdMatters("f") + `
		left join hold h on h.account_id = b.account_id and h.event_id = $2 and h.again and ` + holdMatters("h") + accountsNamed
)

const accountsNamed = ` where b.account_id = any($1::uuid[]) and b.event_id = $2`

func accountsSQL(place string) string {
	return `select b.account_id, b.hold_id, b.held, b.sold, b.session_id, b.version, b.first_hold, ` + place + `, ` +
		holdColumnsOf("f") + `, ` + holdColumnsOf("h") + ` from buyer b`
}

func holdMatters(h string) string {
	return `(` + h + `.state in (1, 2) or ` + h + `.ended_at > now() - interval '10 minutes' or ` + h + `.idem_key = any($3::text[]))`
}

func holdColumnsOf(table string) string {
	return table + "." + strings.Join(strings.Fields(holdColumns), " "+table+".")
}

const sqlHolds = `select ` + holdColumns + ` from hold where hold_id = any($1::uuid[])`

const orderColumns = `order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key, body_hash,
	reason, created_at, updated_at, version, returned, goes_back`

const (
	sqlOrders      = `select ` + orderColumns + ` from orders where order_id = any($1::uuid[])`
	sqlOrdersOf    = `select ` + orderColumns + ` from orders where hold_id = any($1::uuid[])`
	sqlOrdersByKey = `select ` + orderColumns + ` from orders where account_id = any($1::uuid[]) and idem_key = any($2::text[])`
)

const attemptColumns = `attempt_id, order_id, account_id, provider, reference, status, amount, currency, action_url,
	expires_at, idem_key, body_hash, reason, created_at, updated_at, version, captured, captured_currency`

const (
	sqlAttemptsOf    = `select ` + attemptColumns + ` from attempt where order_id = any($1::uuid[])`
	sqlAttemptsByKey = `select ` + attemptColumns + ` from attempt where account_id = any($1::uuid[]) and idem_key = any($2::text[])`
)

const sqlTicketsOf = `select ticket_id, order_id, event_id, account_id, ordinal, state, issued_at
	from ticket where order_id = any($1::uuid[]) order by order_id, ordinal`

const sqlKeys = `select account_id, route, idem_key, body_hash
	from request_key where account_id = any($1::uuid[]) and idem_key = any($2::text[])`

// Lists inside a row travel as text: the arrays of arrays that SQL has must be rectangular.
const sqlInsertHolds = `insert into hold (event_id, hold_id, account_id, ordinals, prices, state, expires_at, hard_expires_at,
		ended_at, idem_key, body_hash, again, created_at, version)
	select $1, u.hold_id, u.account_id, u.ordinals::int8[], u.prices::int8[], u.state, u.expires_at, u.hard_expires_at,
		u.ended_at, u.idem_key, u.body_hash, u.again, $13, 1
	from (select unnest($2::uuid[]) as hold_id, unnest($3::uuid[]) as account_id, unnest($4::text[]) as ordinals,
		unnest($5::text[]) as prices, unnest($6::int8[]) as state, unnest($7::timestamptz[]) as expires_at,
		unnest($8::timestamptz[]) as hard_expires_at, unnest($9::timestamptz[]) as ended_at,
		unnest($10::text[]) as idem_key, unnest($11::bytea[]) as body_hash, unnest($12::bool[]) as again) u`

// Holds that change alike are written together.
const (
	sqlUpdateHolds = `update hold set state = $2, version = $3, expires_at = $4
	where hold_id = any($1::uuid[]) and version = $3 - 1`
	sqlEndHolds = `update hold set state = $2, version = $3, ended_at = $4
	where hold_id = any($1::uuid[]) and version = $3 - 1`
)

const sqlInsertDue = `insert into hold_due (due_id, event_id, due_at, holds) values ($1, $2, $3, $4)`

const sqlInsertOrder = `insert into orders (order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key,
	body_hash, reason, created_at, updated_at, version) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

const sqlUpdateOrder = `update orders set status = $2, reason = $3, updated_at = $4, version = $5, returned = $6, goes_back = $7
	where order_id = $1 and version = $5 - 1`

// An order that still hoped for a hold's seats ends with it. Nothing was decided on it, so nothing guards it.
const sqlEndOrders = `update orders set status = $2, reason = $3, updated_at = $4, version = version + 1
	where hold_id = any($1::uuid[]) and status in ('PENDING_PAYMENT', 'FAILED')`

const sqlInsertAttempt = `insert into attempt (attempt_id, order_id, account_id, provider, reference, status, amount, currency,
	action_url, expires_at, idem_key, body_hash, reason, created_at, updated_at, version)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`

const sqlUpdateAttempt = `update attempt set status = $2, reason = $3, updated_at = $4, version = $5, captured = $6, captured_currency = $7
	where attempt_id = $1 and version = $5 - 1`

const sqlInsertTicket = `insert into ticket (ticket_id, order_id, event_id, account_id, ordinal, state, issued_at)
	values ($1, $2, $3, $4, $5, $6, $7)`

// The state is spelled so that the index of valid tickets by seat does not offer itself: by it PostgreSQL reads all that are valid.
const sqlVoidTickets = `update ticket set state = 'VOID' where ticket_id = any($1::uuid[]) and state || '' = 'VALID'`

const sqlInsertOrderAudit = `insert into order_audit (audit_id, order_id, event_id, at, action, actor, note, was, became)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

const sqlRetryRefund = `update refund set status = 'REQUESTED', round = $2, tries = 0, next_try_at = $3, updated_at = $3
	where refund_id = $1 and status = 'FAILED' and round = $2 - 1`

const sqlRefundsOf = `select refund_id, order_id, attempt_id, kind, status, amount, currency, round
	from refund where order_id = any($1::uuid[])`

const sqlInsertKey = `insert into request_key (account_id, route, idem_key, body_hash, answer, created_at)
	values ($1, $2, $3, $4, '{}', $5)`

// Seats that change their channel are written like any other first, which moves their rows, and then this; few ever do. A
// join by event and ordinal is read as a walk over the event for each of the seats: sixty million steps for a thousand of a stadium.
const (
	sqlMoveSeatsPostgres = `update seat set channel = u.channel
	from (select unnest($2::int8[]) as ordinal, unnest($3::int8[]) as channel, unnest($4::int8[]) as version) u
	cross join lateral (select s.ctid from seat s where s.event_id = $1 and s.ordinal = u.ordinal and s.version = u.version offset 0) at
	where seat.ctid = at.ctid`

	sqlMoveSeatsCockroach = `update seat set channel = u.channel
	from (select unnest($2::int8[]) as ordinal, unnest($3::int8[]) as channel, unnest($4::int8[]) as version) u
	where seat.event_id = $1 and seat.ordinal = u.ordinal and seat.version = u.version`
)

const sqlInsertAudit = `insert into seat_audit (audit_id, event_id, at, action, channel, ordinals, actor, reason)
	values ($1, $2, $3, $4, $5, $6, $7, $8)`

const sqlInsertOutbox = `insert into outbox (outbox_id, event_id, kind, payload, created_at, published_at)
	values ($1, $2, 1, $3, $4, $5)`
