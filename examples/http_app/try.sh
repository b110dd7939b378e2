#!/usr/bin/env bash
# The whole round: a Chroma server with the handbook, the app, darnel's run against it, and everything stopped again.
set -euo pipefail
cd "$(dirname "$0")"
export APP_PORT=${APP_PORT:-8010} CHROMA_PORT=${CHROMA_PORT:-8011}
data=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$data"' EXIT

chroma run --path "$data" --port "$CHROMA_PORT" >"$data/chroma.log" 2>&1 &
python build_index.py >&2
python app.py &
app=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$APP_PORT") 2>/dev/null; do kill -0 "$app"; sleep 0.2; done

darnel run "http://127.0.0.1:$APP_PORT/ask" --into "chroma:http://127.0.0.1:$CHROMA_PORT#handbook" \
  --embedder app:embed --k 4 --queries questions.txt "$@"
