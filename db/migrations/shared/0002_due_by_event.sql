-- The sweeper skips from event to event of the list to find those that have ended, and takes their rows: without
-- this it read the whole list every second.
create index if not exists hold_due_by_event on hold_due (event_id, due_at);
