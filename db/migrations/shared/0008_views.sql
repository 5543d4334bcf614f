-- Pictures of what one sees from a section. They belong to the chart, not to a version of it: sections keep their labels.
create table if not exists chart_view (
    chart_id uuid        not null,
    section  text        not null, -- its label
    digest   text        not null, -- of the body: the picture's name in its address
    kind     text        not null, -- media type
    width    int8        not null, -- pixels
    height   int8        not null,
    body     bytea       not null, -- at most 1 MiB
    set_at   timestamptz not null,
    primary key (chart_id, section)
);

create index if not exists chart_view_by_digest on chart_view (chart_id, digest);

-- What operators did, and why.
create table if not exists chart_view_action (
    chart_id uuid        not null,
    seq      int8        not null,
    at       timestamptz not null,
    section  text        not null,
    who      text        not null,
    why      text        not null,
    was      text        not null, -- digest; '' when there was none
    became   text        not null,
    primary key (chart_id, seq)
);
