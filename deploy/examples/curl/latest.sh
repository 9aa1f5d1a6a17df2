#!/bin/bash
# Prints the feed's list when it has changed. An unchanged list costs only a response with status 304.
#   latest.sh [URL [SECONDS]]      default: http://127.0.0.1:8081/v2/feed, every 5 seconds
# With jq a line has the number of posts and the newest post. Without jq it is the whole list in JSON.
set -euo pipefail
url=${1:-http://127.0.0.1:8081/v2/feed} pause=${2:-5}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

show() {
  if command -v jq >/dev/null; then
    jq -c '{seq, stale, posts: (.entries | length), newest: .entries[0]}'
  else
    cat && echo
  fi
}

etag=
while true; do
  status=$(curl -sS --max-time 10 -D "$folder/head" -o "$folder/body" -w '%{http_code}' \
    -H "If-None-Match: $etag" "$url") || status=000
  case $status in
  200)
    etag=$(sed -n 's/\r$//; s/^[Ee][Tt][Aa][Gg]: *//p' "$folder/head")
    show <"$folder/body"
    ;;
  304) ;; # unchanged
  *) echo "HTTP $status: the list may be old" >&2 ;;
  esac
  sleep "$pause"
done
