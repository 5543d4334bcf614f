-- What another region committed is repeated by its time, marked or not, and what nobody asks for any more is deleted by it:
-- the index of unmarked rows knows neither. One entry a batch, not a seat.
create index if not exists outbox_by_time on outbox (created_at, outbox_id);
