#!/bin/sh
# Runs a script of this project with the Bun that npm installed.
ROOT=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$ROOT/scripts/find-bun.sh"
: "${BUN_CONFIG_MAX_HTTP_REQUESTS:=65336}"
export BUN_CONFIG_MAX_HTTP_REQUESTS
exec "$BUN" "$@"
