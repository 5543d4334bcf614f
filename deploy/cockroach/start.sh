#!/bin/sh
# One CockroachDB node of three regions (three or more nodes each):
#   deploy/cockroach/start.sh eu-west a 1
# Nodes are found as crdb-<n>.<region>.$CRDB_ZONE; certificates are those of `cockroach cert create-node`.
# Once, after all have started: cockroach init --certs-dir "$CRDB_CERTS" --host crdb-1.eu-west.$CRDB_ZONE
set -eu
region=$1 zone=$2 number=$3
: "${CRDB_ZONE:=internal}" "${CRDB_REGIONS:=eu-west us-east sa-east}" "${CRDB_CERTS:=/etc/plateia/cockroach}" "${CRDB_STORE:=/var/lib/cockroach}"

join=
for r in $CRDB_REGIONS; do join="$join${join:+,}crdb-1.$r.$CRDB_ZONE:26357,crdb-2.$r.$CRDB_ZONE:26357"; done

# The cache and the memory for SQL are a quarter of the machine each, as CockroachDB advises. --locality is what regions,
# survival of a region and the leases near an event's home rest on: a node without it makes `plateia migrate up --regions` fail.
exec ${CRDB_BIN:-cockroach} start \
  --certs-dir="$CRDB_CERTS" --store="$CRDB_STORE" --cache=.25 --max-sql-memory=.25 \
  --locality="region=$region,zone=$zone" \
  --listen-addr=:26357 --sql-addr=:26257 --http-addr=127.0.0.1:8088 \
  --advertise-addr="crdb-$number.$region.$CRDB_ZONE:26357" --advertise-sql-addr="crdb-$number.$region.$CRDB_ZONE:26257" \
  --join="$join"
