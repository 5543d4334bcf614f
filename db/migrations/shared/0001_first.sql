-- Every statement of this folder runs on CockroachDB and PostgreSQL alike.
-- A migration is one file; its statements end with a line that is a lone semicolon or with ";" at a line's end.

create table if not exists chart (
    chart_id   uuid        not null,
    version    int8        not null,
    name       text        not null,
    seats      int8        not null,
    document   bytea       not null, -- the chart as JSON, gzip
    created_at timestamptz not null default now(),
    primary key (chart_id, version)
);

create table if not exists event (
    event_id      uuid        not null primary key,
    title         text        not null,
    venue         jsonb       not null, -- event.Venue
    genre         text        not null,
    time_zone     text        not null,
    currency      text        not null,
    home_region   text        not null,
    starts_at     timestamptz not null,
    on_sale_at    timestamptz not null,
    state         text        not null check (state in ('scheduled', 'on_sale', 'paused', 'closed', 'cancelled')),
    chart_id      uuid        not null,
    chart_version int8        not null,
    capacity      int8        not null,
    prices        jsonb       not null, -- minor units by category index
    rules         jsonb       not null, -- event.Rules
    search        text        not null default '', -- event.SearchText
    epoch         int8        not null default 1,
    version       int8        not null default 1,
    created_at    timestamptz not null default now(),
    foreign key (chart_id, chart_version) references chart (chart_id, version)
);

-- The list, and searches that walk it: the text is in the index, so that a walk reads no rows.
create index if not exists event_listed on event (starts_at, event_id) include (search) where state <> 'closed';

create index if not exists event_by_chart on event (chart_id);

-- What has to be put on sale at its instant.
create index if not exists event_scheduled on event (on_sale_at) where state = 'scheduled';

-- How many seats an event had at counted_at: what lists show. Counted beside the
-- sale, so that a list never reads a seat row and a sale never writes a counter.
create table if not exists event_stock (
    event_id   uuid        not null primary key,
    available  int8        not null,
    held       int8        not null,
    sold       int8        not null,
    blocked    int8        not null,
    counted_at timestamptz not null
);

-- The truth about every seat. status: 0 available, 1 held, 2 sold, 3 blocked. owner: the hold while held, the order while sold.
create table if not exists seat (
    event_id uuid not null,
    ordinal  int8 not null,
    status   int8 not null default 0 check (status between 0 and 3),
    owner    uuid,
    category int8 not null,
    channel  int8 not null default 0,
    version  int8 not null default 1,
    primary key (event_id, ordinal),
    check ((status in (1, 2)) = (owner is not null))
);

-- Who took what off the sale, put it back or gave it to a channel, and why.
create table if not exists seat_audit (
    audit_id uuid        not null primary key,
    event_id uuid        not null,
    at       timestamptz not null,
    action   text        not null check (action in ('block', 'unblock', 'allocate')),
    channel  int8        not null default 0, -- allocate: to which, 0 the public
    ordinals int8[]      not null, -- what was changed
    actor    text        not null,
    reason   text        not null
);

create index if not exists seat_audit_by_event on seat_audit (event_id, at);

-- When a channel's seats become the public's: Decide goes by the event's rules and the clock; this is
-- where whoever moves the seats, so that the map is right, finds what is due.
create table if not exists channel_release (
    event_id   uuid        not null,
    channel    int8        not null,
    release_at timestamptz not null,
    primary key (event_id, channel)
);

create index if not exists channel_release_due on channel_release (release_at);

-- state: 1 active, 2 paying, 3 converted, 4 released, 5 expired.
create table if not exists hold (
    hold_id         uuid        not null primary key, -- holds of one moment and event are neighbours: id.NewIn
    event_id        uuid        not null,
    account_id      uuid        not null,
    ordinals        int8[]      not null,
    prices          int8[]      not null, -- frozen, minor units, parallel to ordinals
    state           int8        not null check (state between 1 and 5),
    expires_at      timestamptz not null,
    hard_expires_at timestamptz not null,
    ended_at        timestamptz,
    version         int8        not null default 1,
    idem_key        text        not null,
    body_hash       bytea       not null,
    created_at      timestamptz not null,
    again           bool        not null default false -- not the account's first of the event
);

-- Finds the holds of a buyer and keeps an Idempotency-Key from being used twice (the route of POST holds has the
-- event in it). The first hold, which is what a rush consists of, is named by buyer.first_hold instead, whose row's
-- guard keeps its key: an index that it is not in costs it nothing.
create unique index if not exists hold_again on hold (account_id, event_id, idem_key) where again;

-- What the sweeper looks at, and when: one row for all the holds that a batch left active. A hold whose end moves
-- is listed again; so a row may go when nothing in it is due.
create table if not exists hold_due (
    due_id   uuid        not null primary key,
    event_id uuid        not null,
    due_at   timestamptz not null, -- the earliest end among them
    holds    uuid[]      not null
);

create index if not exists hold_due_at on hold_due (due_at);

create table if not exists buyer (
    account_id uuid not null,
    event_id   uuid not null,
    hold_id    uuid,
    held       int8 not null default 0 check (held >= 0),
    sold       int8 not null default 0 check (sold >= 0),
    session_id uuid,
    first_hold uuid, -- the first hold of all
    version    int8 not null default 1,
    primary key (account_id, event_id)
);

-- kind: 1 batch, 2 tombstone (settles an unknown COMMIT; never published).
create table if not exists outbox (
    outbox_id    uuid        not null primary key,
    event_id     uuid        not null,
    kind         int8        not null check (kind in (1, 2)),
    payload      bytea       not null, -- realtime/wire stream message
    created_at   timestamptz not null,
    published_at timestamptz
);

create index if not exists outbox_unpublished on outbox (created_at) where published_at is null and kind = 1;

-- Answers of repeatable requests other than POST holds, orders and pay, which keep theirs in their own rows.
create table if not exists request_key (
    account_id uuid        not null,
    route      text        not null,
    idem_key   text        not null,
    body_hash  bytea       not null,
    answer     jsonb       not null,
    created_at timestamptz not null,
    primary key (account_id, route, idem_key)
);

create table if not exists orders (
    order_id   uuid        not null primary key,
    event_id   uuid        not null,
    account_id uuid        not null,
    hold_id    uuid        not null,
    status     text        not null check (status in ('PENDING_PAYMENT', 'CONFIRMED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVIEW', 'PARTLY_REFUNDED', 'REFUNDED')),
    currency   text        not null,
    total      int8        not null check (total >= 0),
    lines      jsonb       not null, -- []order.Line
    idem_key   text        not null,
    body_hash  bytea       not null,
    reason     text        not null default '',
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version    int8        not null default 1,
    cancel_asked_at timestamptz, -- the fan asked to cancel; kept until the provider agrees
    unique (account_id, idem_key),
    unique (hold_id)
);

create index if not exists orders_by_event on orders (event_id, account_id);

create index if not exists orders_by_account on orders (account_id, created_at);

-- Declined and waiting for another card: ends with its hold.
create index if not exists orders_failed on orders (hold_id) where status = 'FAILED';

create table if not exists attempt (
    attempt_id uuid        not null primary key,
    order_id   uuid        not null,
    account_id uuid        not null,
    provider   text        not null,
    reference  text        not null default '',
    status     text        not null check (status in ('CREATED', 'PENDING', 'CAPTURED', 'DECLINED', 'CANCELLED', 'UNKNOWN')),
    amount     int8        not null,
    currency   text        not null,
    action_url text        not null default '',
    expires_at timestamptz not null,
    idem_key   text        not null,
    body_hash  bytea       not null,
    reason     text        not null default '',
    refunded   int8        not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version    int8        not null default 1,
    next_check_at timestamptz not null default now() + interval '3 seconds', -- when reconciliation looks at it, while it is not final
    checks     int8        not null default 0,
    unique (account_id, idem_key)
);

create index if not exists attempt_by_order on attempt (order_id);

create index if not exists attempt_by_reference on attempt (provider, reference) where reference <> '';

-- At most one attempt of an order can take money at a time.
create unique index if not exists attempt_open on attempt (order_id) where status in ('CREATED', 'PENDING');

create index if not exists attempt_unfinished on attempt (next_check_at) where status in ('CREATED', 'PENDING', 'UNKNOWN');

-- Money on its way back to a fan. Its id is the idempotency key towards the provider.
create table if not exists refund (
    refund_id   uuid        not null primary key,
    order_id    uuid        not null,
    attempt_id  uuid        not null,
    status      text        not null check (status in ('REQUESTED', 'PENDING', 'DONE', 'FAILED')),
    amount      int8        not null check (amount > 0),
    currency    text        not null,
    reason      text        not null, -- in plain words, shown to the fan
    tries       int8        not null default 0,
    next_try_at timestamptz not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null
);

create index if not exists refund_by_order on refund (order_id);

create index if not exists refund_waiting on refund (next_try_at) where status in ('REQUESTED', 'PENDING');

create table if not exists ticket (
    ticket_id  uuid        not null primary key,
    order_id   uuid        not null,
    event_id   uuid        not null,
    account_id uuid        not null,
    ordinal    int8        not null,
    state      text        not null check (state in ('VALID', 'VOID')),
    issued_at  timestamptz not null
);

create index if not exists ticket_by_order on ticket (order_id);

-- A seat never has two valid tickets, whatever the code does.
create unique index if not exists ticket_valid on ticket (event_id, ordinal) where state = 'VALID';

create table if not exists webhook_delivery (
    delivery_id  uuid        not null primary key,
    provider     text        not null,
    provider_ref text        not null, -- the provider's event id
    reference    text        not null, -- of the payment it speaks of
    order_id     uuid,                 -- as the provider says; not believed
    body         bytea       not null,
    received_at  timestamptz not null,
    state        text        not null check (state in ('RECEIVED', 'PROCESSED', 'FLAGGED')),
    tries        int8        not null default 0,
    next_try_at  timestamptz not null,
    note         text        not null default '',
    unique (provider, provider_ref)
);

create index if not exists webhook_waiting on webhook_delivery (next_try_at) where state = 'RECEIVED';

create table if not exists account (
    account_id uuid        not null primary key,
    email      text        not null unique,
    created_at timestamptz not null default now()
);

create table if not exists sign_in_code (
    email      text        not null primary key,
    code_hash  bytea       not null,
    expires_at timestamptz not null,
    tries      int8        not null default 0,
    sent       int8        not null default 1,
    sent_at    timestamptz not null
);

-- The line of one event and epoch: how many entered, how far it has been let in.
create table if not exists door (
    event_id  uuid not null,
    epoch     int8 not null,
    entered   int8 not null default 0,
    frontier  int8 not null default 0,
    version   int8 not null default 1, -- of the frontier and the pause, not of entered
    moved_at  timestamptz, -- the frontier's last move
    paused_at timestamptz, -- since when claim clocks stand still
    primary key (event_id, epoch),
    check (frontier <= entered)
);

-- Each move of a frontier. A place's claim clock starts with the first move past it.
create table if not exists door_step (
    event_id uuid        not null,
    epoch    int8        not null,
    frontier int8        not null,
    at       timestamptz not null, -- moved on by the length of every pause since
    primary key (event_id, epoch, frontier)
);

create table if not exists queue_entry (
    account_id uuid        not null,
    event_id   uuid        not null,
    epoch      int8        not null,
    position   int8        not null,
    entered_at timestamptz not null,
    key_thumb  text        not null,
    bound_at   timestamptz not null, -- to that key
    claimed_at timestamptz,
    primary key (account_id, event_id, epoch),
    unique (event_id, epoch, position)
);

-- Who has been called and has not come yet.
create index if not exists queue_entry_unclaimed on queue_entry (event_id, epoch, position) where claimed_at is null;

-- One row per admitted account: who is inside, and by which place in the line.
create table if not exists admission (
    account_id  uuid        not null,
    event_id    uuid        not null,
    epoch       int8        not null,
    position    int8        not null,
    session_id  uuid, -- null between moving to another device and its claim
    admitted_at timestamptz not null,
    renewed_at  timestamptz not null, -- last access token
    last_seen   timestamptz not null,
    sold_before int8        not null, -- seats the account had bought when it came in
    left_at     timestamptz,
    left_reason text        not null default '',
    primary key (account_id, event_id)
);

create index if not exists admission_inside on admission (event_id, last_seen) where left_at is null;

-- One job, one leader: a row with a fence that only grows.
create table if not exists lease (
    job        text        not null primary key,
    holder     uuid        not null,
    fence      int8        not null,
    expires_at timestamptz not null
);

-- Signing keys that outlive a process (development and self-hosting; production gives them by configuration).
create table if not exists signing_key (
    kid        text        not null primary key,
    purpose    text        not null, -- token, ticket
    seed       bytea       not null, -- Ed25519 seed
    created_at timestamptz not null default now(),
    retired_at timestamptz
);

-- One current key per purpose, whoever makes it first.
create unique index if not exists signing_key_current on signing_key (purpose) where retired_at is null;
