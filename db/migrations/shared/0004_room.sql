-- The waiting room: how far each line has been let in, what its draw is made of, who came to the door and who is inside. The
-- tables door, door_step and queue_entry are not used any more: PostgreSQL drops them, on CockroachDB the migrations of regions name them.

-- The fence: whoever moves a frontier replaces this row from the version that they read.
create table if not exists room (
    event_id   uuid        not null primary key,
    epoch      int8        not null,
    version    int8        not null, -- of the document; grows by one with every step
    document   bytea       not null, -- the signed frontier document
    state      bytea       not null, -- the leader's, JSON
    setting    bytea       not null, -- the operators', JSON
    on_sale_at timestamptz not null,
    closed     bool        not null default false, -- the event is over
    armed_at   timestamptz not null default now(),
    moved_at   timestamptz not null default now()
);

-- The rooms that a leader walks.
create index if not exists room_open on room (event_id) where not closed;

-- Claims of an event take turns here, so that the number inside is exact when somebody is let in.
create table if not exists room_gate (
    event_id uuid not null primary key,
    claims   int8 not null default 0
);

-- The public chain of statements about an event's draws, over all epochs.
create table if not exists room_statement (
    event_id uuid        not null,
    seq      int8        not null, -- from 1, without gaps
    epoch    int8        not null,
    kind     text        not null,
    body     bytea       not null, -- signed
    secret   bytea, -- of a commitment: never leaves the row before the reveal
    made_at  timestamptz not null default now(),
    primary key (event_id, seq)
);

-- Frontier documents that are kept for the public record.
create table if not exists room_document (
    event_id uuid        not null,
    version  int8        not null,
    epoch    int8        not null,
    body     bytea       not null,
    at       timestamptz not null,
    primary key (event_id, version)
);

-- What operators did, and why.
create table if not exists room_action (
    event_id uuid        not null,
    seq      int8        not null,
    at       timestamptz not null,
    epoch    int8        not null,
    verb     text        not null,
    who      text        not null,
    why      text        not null,
    was      text        not null, -- JSON of what it changed
    became   text        not null,
    primary key (event_id, seq)
);

-- A room in numbers, for charts.
create table if not exists room_history (
    event_id uuid        not null,
    at       timestamptz not null,
    moment   bytea       not null, -- JSON
    primary key (event_id, at)
);

-- One row per account that came to the door with its turn. At the door: admitted_at is null. Inside: it is not, and left_at is.
alter table admission add column if not exists pseudonym text not null default '';

alter table admission add column if not exists key_thumb text not null default '';

alter table admission add column if not exists late bool not null default true;

alter table admission add column if not exists tier int8 not null default 0;

alter table admission add column if not exists entered int8 not null default 0; -- Unix second

alter table admission add column if not exists rank int8 not null default 0; -- the bits of 64 without a sign

alter table admission add column if not exists second_chance bool not null default false;

alter table admission add column if not exists version int8 not null default 0; -- of the frontier document that let it through first

alter table admission add column if not exists knocked_at timestamptz;

-- Counted by the leader, once: as somebody who came, who was let in, who left.
alter table admission add column if not exists told bool not null default true;

alter table admission add column if not exists told_in bool not null default true;

alter table admission add column if not exists told_out bool not null default true;

alter table admission alter column admitted_at drop not null;

alter table admission drop column if exists position;

create index if not exists admission_news on admission (event_id) where not told or not told_in or not told_out;

create index if not exists admission_by_pseudonym on admission (event_id, pseudonym);
