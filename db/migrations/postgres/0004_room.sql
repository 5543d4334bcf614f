-- The line of rows that the waiting room replaces.

drop table if exists queue_entry;

drop table if exists door_step;

drop table if exists door;
