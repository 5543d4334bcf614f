-- PostgreSQL only: leave room on the page for the next version of a row, so that
-- a status change does not touch the index (heap-only tuples).
alter table seat set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

alter table buyer set (fillfactor = 60);

alter table hold set (fillfactor = 70);
