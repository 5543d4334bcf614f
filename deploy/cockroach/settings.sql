-- Once per cluster, as root, before `plateia migrate up --regions …` (see deploy/regions.md). Zones are left alone:
-- what is set by hand on the database makes CockroachDB refuse its regions. Time-outs of statements, locks and
-- idle transactions are set by every role itself, so that a process that is cut off does not keep a seat's row.
CREATE DATABASE IF NOT EXISTS plateia;
CREATE USER IF NOT EXISTS plateia;
GRANT ALL ON DATABASE plateia TO plateia;
