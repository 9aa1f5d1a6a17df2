#!/bin/bash
# Prints the licences and notices of everything that the program contains:  deploy/notices.sh > THIRD-PARTY-NOTICES.txt
# A package or an image that carries the program carries this text too. Run it after a build, which fetches the packages
# that deploy/packages.tsv lists. deploy/licences has the texts that neither the packages nor Swift carry.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

checkouts=${1:-.build/checkouts}

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

section() { printf '\n%s\n%s\n%s\n\n' "$rule" "$1" "$rule"; }
rule=$(printf '=%.0s' {1..80})

# Prints the arguments that are existing files. Fails if there are none.
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

# Prints a licence in a source file's comment: from the line that matches the pattern to a line of dashes.
show_comment() {
  local text
  text=$(sed -n "/$1/,\|^//-|{\|^//-|!s|^// \{0,1\}||p}" "$2")
  [[ -n $text ]] || fail "no licence found in $2"
  printf '%s\n' "$text"
}

# An indirect dependency may resolve to a later version than the list has. The notices name the built version.
resolved=
if [[ -f Package.resolved ]]; then
  resolved=$(awk -F'"' '/"identity"/ { name = $4 } /"version" *: *"/ { print name "\t" $4 }' Package.resolved)
  unlisted=$(comm -13 <(tail -n +2 deploy/packages.tsv | cut -f 1 | sort) <(cut -f 1 <<<"$resolved" | sort))
  [[ -z $unlisted ]] || fail "deploy/packages.tsv lacks the licences of: $unlisted"
fi

echo "On The Map contains the work of others, under these licences. Its own is in LICENSE."

tail -n +2 deploy/packages.tsv | while IFS=$'\t' read -r package listed licence source; do
  version=$(awk -F'\t' -v package="$package" '$1 == package { print $2 }' <<<"$resolved")
  version=${version:-$listed}
  section "$package $version ($licence), $source"
  show "$checkouts/${source##*/}"/{LICENSE,NOTICE}{,.txt}
done

# Parts of packages whose licence text is missing in the LICENSE and NOTICE of their package.
section "llhttp, part of swift-nio (MIT), https://github.com/nodejs/llhttp"
show "$checkouts/swift-nio/Sources/CNIOLLHTTP/LICENSE"
section "Protocol Buffers' own messages, part of swift-protobuf (BSD-3-Clause), https://protobuf.dev"
show "$checkouts/swift-protobuf/Sources/protobuf/protobuf/LICENSE"
section "Calendar of musl, part of swift-certificates (MIT), https://musl.libc.org"
calendar=$checkouts/swift-certificates/Sources/X509/X509BaseTypes/TimeCalculations.swift
show_comment 'Copyright .* Rich Felker' "$calendar"

# The licence is beside the folder of the compiler's libraries, which the compiler prints. The `swift` of swiftly, mise
# or asdf is a shim in another folder.
libraries=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
swift_parts="The Swift standard library, Foundation, Dispatch and the Blocks runtime"
section "$swift_parts (Apache-2.0 WITH Swift-exception), https://swift.org"
# JSON may escape a slash.
show "${libraries//\\\//\/}/../../share/swift/LICENSE.txt"
# The LICENSE of ICU 76 without its parts about configure scripts, which no program contains.
section "ICU, part of Foundation (Unicode-3.0), https://icu.unicode.org"
show deploy/licences/ICU.txt
for package in libjs-leaflet libjs-leaflet.markercluster; do
  section "$package, from Debian"
  show "/usr/share/doc/$package/copyright"
done
section "Place data"
show Sources/Gazetteer/Data/NOTICE.md
section "Map data"
show Sources/WebPage/Data/NOTICE.md
