-- CockroachDB only: the same index as PostgreSQL's, without the extension.
create index if not exists event_search on event using gin (search gin_trgm_ops);
