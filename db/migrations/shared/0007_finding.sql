-- What lists are narrowed to and sorted by. All of it is worked out by the program from the event's other columns
-- (event.Key, Cell, Day, AllIn), because databases fold letters and know time zones each in their own way; null: not yet.
alter table event add column if not exists city_key text;

alter table event add column if not exists genre_key text;

alter table event add column if not exists venue_key text;

alter table event add column if not exists latitude float8;

alter table event add column if not exists longitude float8;

-- The square degree it is in; null: nobody knows where it is.
alter table event add column if not exists cell int8;

-- The day at the place, in days since 1970-01-01.
alter table event add column if not exists local_day int8;

-- The least that a seat costs with its fees, in minor units.
alter table event add column if not exists low_price int8;

-- Every way into the list has its order and all that a walk compares: it reads no rows.
create index if not exists event_soon on event (starts_at, event_id)
    include (search, local_day, currency, low_price) where state <> 'closed';

create index if not exists event_by_city on event (city_key, starts_at, event_id)
    include (search, genre_key, latitude, longitude, local_day, currency, low_price) where state <> 'closed';

create index if not exists event_by_genre on event (genre_key, starts_at, event_id)
    include (search, local_day, currency, low_price) where state <> 'closed';

create index if not exists event_by_cell on event (cell, starts_at, event_id)
    include (search, genre_key, latitude, longitude, local_day, currency, low_price) where state <> 'closed';

-- A venue has few events: their rows are read.
create index if not exists event_by_venue on event (venue_key, starts_at, event_id) where state <> 'closed';

-- What is still to be worked out.
create index if not exists event_unfiled on event (event_id) where local_day is null;

-- event_soon has what it had.
drop index if exists event_listed;
