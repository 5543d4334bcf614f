-- Rows live in the region of their event: `crdb_region`, a column that CockroachDB adds, is the region of the
-- node that the writer is connected to, which is the home region when commands are routed there. Rows written elsewhere are
-- right but slow; rehoming moves them. Tables that are not named here stay in the primary region.

alter table event set locality regional by row;

alter table event_stock set locality regional by row;

alter table seat set locality regional by row;

alter table seat_audit set locality regional by row;

alter table channel_release set locality regional by row;

alter table hold set locality regional by row;

alter table hold_due set locality regional by row;

alter table buyer set locality regional by row;

alter table outbox set locality regional by row;

alter table orders set locality regional by row;

alter table attempt set locality regional by row;

alter table refund set locality regional by row;

alter table ticket set locality regional by row;

alter table webhook_delivery set locality regional by row;

alter table door set locality regional by row;

alter table door_step set locality regional by row;

alter table queue_entry set locality regional by row;

alter table admission set locality regional by row;

-- Read everywhere, written hardly ever.
alter table chart set locality global;

alter table signing_key set locality global;
