#!/bin/sh
# One NATS server of three regions, with region.conf beside this file:
#   deploy/nats/start.sh eu-west 1                                              (nats-server from PATH)
#   deploy/nats/start.sh eu-west 1 plateia nats --config deploy/nats/region.conf  (the one inside plateia)
# Servers are found as nats-<n>.<region>.$NATS_ZONE. Secrets come from the caller: NATS_PASSWORD, NATS_SYS_PASSWORD.
set -eu
region=$1 number=$2
shift 2
: "${NATS_ZONE:=internal}" "${NATS_REGIONS:=eu-west us-east sa-east}" "${NATS_SERVERS:=1 2 3}"

servers() { # scheme region port → "…", "…"
  list=
  for n in $NATS_SERVERS; do list="$list${list:+, }\"$1://nats-$n.$2.$NATS_ZONE:$3\""; done
  printf '%s' "$list"
}

NATS_REGION=$region
NATS_NAME=$region-$number
NATS_LISTEN=${NATS_LISTEN:-0.0.0.0:4222}
NATS_MONITOR=${NATS_MONITOR:-127.0.0.1:8222}
NATS_CLUSTER_LISTEN=${NATS_CLUSTER_LISTEN:-0.0.0.0:6222}
NATS_GATEWAY_LISTEN=${NATS_GATEWAY_LISTEN:-0.0.0.0:7222}
NATS_STORE=${NATS_STORE:-/var/lib/nats}
NATS_CERT=${NATS_CERT:-/etc/plateia/nats.crt}
NATS_KEY=${NATS_KEY:-/etc/plateia/nats.key}
NATS_CA=${NATS_CA:-/etc/plateia/ca.crt}
NATS_USER=${NATS_USER:-plateia}
NATS_ROUTES="[$(servers nats-route "$region" 6222)]"
NATS_GATEWAYS=
for r in $NATS_REGIONS; do
  NATS_GATEWAYS="$NATS_GATEWAYS${NATS_GATEWAYS:+, }{name: $r, urls: [$(servers nats "$r" 7222)]}"
done
NATS_GATEWAYS="[$NATS_GATEWAYS]"
export NATS_REGION NATS_NAME NATS_LISTEN NATS_MONITOR NATS_CLUSTER_LISTEN NATS_GATEWAY_LISTEN NATS_STORE \
  NATS_CERT NATS_KEY NATS_CA NATS_USER NATS_ROUTES NATS_GATEWAYS
[ $# -gt 0 ] || set -- nats-server -c "$(dirname "$0")/region.conf"
exec "$@"
