-- CockroachDB v24.1 or newer, and only by `plateia migrate up --regions …`. Names in braces are filled in, quoted;
-- the goal is "region" from three regions on, else "zone". The second statement runs once for each further region.

alter database {database} set primary region {primary};

alter database {database} add region if not exists {region};

alter database {database} survive {goal} failure;
