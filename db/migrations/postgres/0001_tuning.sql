-- PostgreSQL only: leave room on the page for the next version of a row, so that
-- a status change does not touch the index (heap-only tuples).
alter table seat set (fillfactor = 44, autovacuum_vacuum_scale_factor = 0.02);

alter table buyer set (fillfactor = 60);

alter table hold set (fillfactor = 70);

alter table hold_due alter column holds set storage external;


-- Search in titles, venues and cities by any part of a word.
create extension if not exists pg_trgm;

create index if not exists event_search on event using gin (search gin_trgm_ops);
