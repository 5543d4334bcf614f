-- Money: what was captured, and a double-entry book of it (core/ledger).

-- What came in, once it did: another amount than was asked for only while a person looks at it.
alter table attempt add column if not exists captured int8 not null default 0;

alter table attempt add column if not exists captured_currency text not null default '';

-- How often a payment that ended without money was asked about once more: money can still come, and its webhook be lost.
alter table attempt add column if not exists late_checks int8 not null default 0;

create index if not exists attempt_ended on attempt (next_check_at) where status in ('DECLINED', 'CANCELLED') and late_checks < 5;

-- How often the provider refused it for good, or sent it back after it was done: each round has a key of its own.
alter table refund add column if not exists round int8 not null default 0;

-- Minor units that were asked back by giving tickets back: an order that was sold keeps total - returned.
alter table orders add column if not exists returned int8 not null default 0;

-- In REVIEW, and a person has decided that the money goes back: REFUNDED when it is.
alter table orders add column if not exists goes_back bool not null default false;

-- kind: RETURN tickets were given back, UNSOLD money that bought nothing.
alter table refund add column if not exists kind text not null default 'UNSOLD' check (kind in ('RETURN', 'UNSOLD'));

alter table refund add column if not exists tickets uuid[] not null default '{}';

-- When a refund that was done is asked about once more: a closed account sends it back days later.
alter table refund add column if not exists recheck_at timestamptz;

alter table refund add column if not exists rechecks int8 not null default 0;

create index if not exists refund_recheck on refund (recheck_at) where recheck_at is not null;

create index if not exists refund_by_attempt on refund (attempt_id);

-- Who decided what about an order, and why.
create table if not exists order_audit (
    audit_id uuid        not null primary key,
    order_id uuid        not null,
    event_id uuid        not null,
    at       timestamptz not null,
    action   text        not null check (action in ('confirm', 'refund')),
    actor    text        not null,
    note     text        not null,
    was      text        not null, -- the order's status
    became   text        not null
);

create index if not exists order_audit_by_order on order_audit (order_id, at);

-- One posting is the rows of one (source, kind, round): what happened, to which attempt, order or refund.
create table if not exists ledger_entry (
    source   uuid        not null,
    kind     text        not null check (kind in ('capture', 'sale', 'return', 'send_back', 'refund', 'refund_failed')),
    round    int8        not null default 0,
    account  text        not null, -- provider:<name>, deposits, revenue, fees, tax, refunds_payable
    order_id uuid        not null,
    amount   int8        not null check (amount <> 0), -- minor units, signed
    currency text        not null,
    at       timestamptz not null,
    primary key (source, kind, round, account)
);

create index if not exists ledger_entry_by_order on ledger_entry (order_id);

-- What was captured, sold and refunded before there was a book.
update attempt set captured = amount, captured_currency = currency where status = 'CAPTURED' and captured_currency = '';

insert into ledger_entry (source, kind, account, order_id, amount, currency, at)
    select attempt_id, 'capture', 'provider:' || provider, order_id, amount, currency, updated_at
        from attempt where status = 'CAPTURED' and amount <> 0
    union all select attempt_id, 'capture', 'deposits', order_id, -amount, currency, updated_at
        from attempt where status = 'CAPTURED' and amount <> 0
    on conflict (source, kind, round, account) do nothing;

insert into ledger_entry (source, kind, account, order_id, amount, currency, at)
    select o.order_id, 'sale', 'deposits', o.order_id, o.total, o.currency, o.updated_at
        from orders o where o.total <> 0 and exists (select 1 from ticket t where t.order_id = o.order_id)
    union all select o.order_id, 'sale', 'revenue', o.order_id, -o.total, o.currency, o.updated_at
        from orders o where o.total <> 0 and exists (select 1 from ticket t where t.order_id = o.order_id)
    on conflict (source, kind, round, account) do nothing;

insert into ledger_entry (source, kind, account, order_id, amount, currency, at)
    select refund_id, 'send_back', 'deposits', order_id, amount, currency, created_at from refund
    union all select refund_id, 'send_back', 'refunds_payable', order_id, -amount, currency, created_at from refund
    on conflict (source, kind, round, account) do nothing;

insert into ledger_entry (source, kind, account, order_id, amount, currency, at)
    select r.refund_id, 'refund', 'refunds_payable', r.order_id, r.amount, r.currency, r.updated_at
        from refund r where r.status = 'DONE'
    union all select r.refund_id, 'refund', 'provider:' || a.provider, r.order_id, -r.amount, r.currency, r.updated_at
        from refund r join attempt a on a.attempt_id = r.attempt_id where r.status = 'DONE'
    on conflict (source, kind, round, account) do nothing;

-- What each process knows of each payment provider: the door reads it, because it must let nobody in while nobody can pay.
create table if not exists provider_health (
    process   uuid        not null,
    provider  text        not null,
    opened_at timestamptz, -- since when the process's breaker is open; null: it is closed
    ok_at     timestamptz, -- the provider's last answer to it
    seen_at   timestamptz not null,
    primary key (process, provider)
);

-- An operator's list of deliveries, newest first, and of those that a person must look at.
create index if not exists webhook_by_time on webhook_delivery (received_at, delivery_id);

create index if not exists webhook_flagged on webhook_delivery (received_at, delivery_id) where state = 'FLAGGED';

create index if not exists orders_review on orders (created_at, order_id) where status = 'REVIEW';
