-- Partners who show the map on pages of their own: their origins decide who may frame our pages, read across origins and
-- open the live map. Every process keeps a copy and asks only whether the list has another version.
create table if not exists partner (
    partner_id uuid        not null primary key,
    version    int8        not null,
    name       text        not null,
    suspended  bool        not null,
    origins    text[]      not null, -- in their one form, sorted
    all_events bool        not null,
    events     uuid[]      not null, -- when not all: these
    created_at timestamptz not null,
    changed_at timestamptz not null
);

-- What operators did, and why. The greatest number is the version of the list: two changes never make the same one.
create table if not exists partner_action (
    seq        int8        not null primary key,
    at         timestamptz not null,
    partner_id uuid        not null,
    verb       text        not null,
    who        text        not null,
    why        text        not null,
    was        text        not null, -- JSON of the partner; '' when there was none
    became     text        not null
);
