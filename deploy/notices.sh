#!/bin/bash
# Prints the licences and notices of everything that the program contains:  deploy/notices.sh > THIRD-PARTY-NOTICES.txt
# A package or an image that carries the program carries this text too. Run it after a build, which fetches the packages
# that deploy/packages.tsv lists.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

checkouts=${1:-.build/checkouts}

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

section() { printf '\n%s\n%s\n%s\n\n' "$rule" "$1" "$rule"; }
rule=$(printf '=%.0s' {1..80})

# Prints every file of the arguments that exists; fails without any.
show() {
  local file found=
  for file in "$@"; do
    [[ -f $file ]] || continue
    if [[ -n $found ]]; then echo; fi
    cat "$file"
    found=yes
  done
  [[ -n $found ]] || fail "no licence found among: $*"
}

echo "On The Map contains the work of others, under these licences. Its own is in LICENSE."

tail -n +2 deploy/packages.tsv | while IFS=$'\t' read -r package version licence source; do
  section "$package $version ($licence), $source"
  show "$checkouts/${source##*/}"/{LICENSE,NOTICE}{,.txt}
done

section "The Swift standard library and Foundation (Apache-2.0 WITH Swift-exception), https://swift.org"
show "$(dirname "$(readlink -f "$(command -v swift)")")/../share/swift/LICENSE.txt"
for package in libjs-leaflet libjs-leaflet.markercluster; do
  section "$package, from Debian"
  show "/usr/share/doc/$package/copyright"
done
section "Place data"
show Sources/Gazetteer/Data/NOTICE.md
section "Map data"
show Sources/Page/Data/NOTICE.md
