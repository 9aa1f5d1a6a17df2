#!/bin/bash
# Prints each change of the feed (server-sent events), and resumes after an interruption.
#   stream.sh [URL]                default: http://127.0.0.1:8081/v2/feed/stream
# With jq a line has the changed posts. Without jq it is the event's name and data.
set -euo pipefail
url=${1:-http://127.0.0.1:8081/v2/feed/stream}
silence=30 # seconds; the feed sends a comment every 10

show() {
  if command -v jq >/dev/null; then
    jq -c --arg event "$1" '{event: $event} + if .upsert then {seq, upsert, remove}
      elif .entries then {seq, stale, posts: (.entries | length), newest: .entries[0]} else . end' <<<"$2"
  else
    echo "$1 $2"
  fi
}

reader=
end() { if [[ $reader ]]; then kill "$reader" 2>/dev/null || true; fi; }
trap end EXIT
trap 'exit 130' INT TERM

last=
while true; do
  exec {stream}< <(exec curl -sSN --fail --connect-timeout 10 -H 'Accept: text/event-stream' \
    ${last:+-H "Last-Event-ID: $last"} "$url")
  reader=$! event=message data='' id=$last
  while IFS= read -r -t "$silence" line <&"$stream"; do
    line=${line%$'\r'}
    case $line in
    event:*) event=${line#event:} event=${event# } ;;
    data:*) data=${line#data:} data=${data# } ;;
    id:*) id=${line#id:} id=${id# } ;;
    '')
      if [[ $data ]]; then show "$event" "$data"; fi
      last=$id event=message data=''
      ;;
    esac
  done
  end
  exec {stream}<&-
  echo "the stream has ended: the list may be old" >&2
  sleep "1.$((RANDOM % 10))"
done
