#!/bin/bash
# Installs the missing tools and libraries:  deploy/setup.sh [build|test|bench|failover]
#   build   the compiler and the libraries that the program links
#   test    build, and the tools of the tests and checks: protoc, strace, faketime, curl, openssl, Node, shellcheck,
#           Chromium, Firefox, PostgreSQL's server, Debian's Python with its ZeroMQ, the Python packages of
#           Tests/requirements.txt in .venv, and Prometheus' promtool and nginx in .build/tools
#   bench   build, wrk, strace and PostgreSQL's server
#   failover  build, PostgreSQL's server, the Python packages that Patroni needs, and Patroni and etcd in .build/tools
# The tests and the bench start their own PostgreSQL servers, so the package is installed without a server that runs all
# the time. Debian's packages etcd-server and patroni would start or enable services, so they are only unpacked.
# Prints nothing if nothing is missing. On other systems than Debian it prints the packages to install.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=${1:-build}
case $mode in
build | test | bench | failover) ;;
*) echo "usage: deploy/setup.sh [build|test|bench|failover]" >&2 && exit 2 ;;
esac

swift_needed=6.2
venv=.venv
requirements=Tests/requirements.txt
tools=.build/tools

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

has_command() { command -v "$1" >/dev/null; }

# Looks for a header in the usual folders, and then with a C compiler: Swift's own, or another one.
has_header() {
  local folder
  for folder in /usr/include /usr/local/include; do
    [[ -e $folder/$1 ]] && return
  done
  local compiler
  compiler=$(command -v clang || command -v cc) || return 1
  echo "#include <$1>" | "$compiler" -E -x c -o /dev/null - 2>/dev/null
}

has_postgres_server() {
  local programs=(/usr/lib/postgresql/*/bin/initdb)
  [[ -x ${programs[0]} ]] || has_command initdb
}

check_swift() {
  has_command swift || fail "swift is missing: install $swift_needed or later from https://www.swift.org/install/"
  # `swift --version` is slow, so a stamp records a sufficient version until the compiler changes.
  local compiler stamp=.build/swift-is-new-enough version
  compiler=$(readlink -f "$(command -v swift)")
  if [[ -e $stamp && ! $compiler -nt $stamp ]]; then return; fi
  version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
  [[ $(printf '%s\n' "$swift_needed" "$version" | sort -V | head -n 1) == "$swift_needed" ]] ||
    fail "swift ${version:-of unknown version} is too old: install $swift_needed or later from https://www.swift.org/install/"
  mkdir -p .build && touch "$stamp"
}

# Appends Debian's names of the missing packages to `packages`.
packages=()
find_missing() {
  has_header zmq.h || packages+=(libzmq3-dev)
  has_header argon2.h || packages+=(libargon2-dev)
  has_header sodium.h || packages+=(libsodium-dev)
  has_header sqlite3.h || packages+=(libsqlite3-dev)
  has_header postgresql/libpq-fe.h || packages+=(libpq-dev)
  has_header zlib.h || packages+=(zlib1g-dev)
  # Foundation's HTTP client, which the release links statically, calls libcurl.
  has_header curl/curl.h || packages+=(libcurl4-openssl-dev)
  has_command xz || packages+=(xz-utils)
  [[ -e /usr/share/javascript/leaflet/leaflet.min.js ]] || packages+=(libjs-leaflet)
  [[ -e /usr/share/javascript/leaflet/leaflet.markercluster.min.js ]] || packages+=(libjs-leaflet.markercluster)
  case $mode in
  test)
    has_command protoc || packages+=(protobuf-compiler)
    has_command strace || packages+=(strace)
    has_command faketime || packages+=(faketime)
    has_command curl || packages+=(curl)
    has_command openssl || packages+=(openssl)
    has_command node || packages+=(nodejs)
    has_command chromium-headless-shell || packages+=(chromium-headless-shell)
    has_command firefox-esr || packages+=(firefox-esr)
    has_command shellcheck || packages+=(shellcheck)
    has_command systemd-analyze || packages+=(systemd)
    has_postgres_server || packages+=(postgresql)
    /usr/bin/python3 -c 'import zmq' 2>/dev/null || packages+=(python3-zmq)
    /usr/bin/python3 -c 'import google.protobuf' 2>/dev/null || packages+=(python3-protobuf)
    if [[ ! -x $venv/bin/python ]]; then
      python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
    fi
    ;;
  bench)
    has_command wrk || packages+=(wrk)
    has_command strace || packages+=(strace)
    has_postgres_server || packages+=(postgresql)
    ;;
  failover)
    has_postgres_server || packages+=(postgresql)
    local modules="cdiff, click, dateutil, etcd, prettytable, psutil, psycopg2, urllib3, yaml"
    /usr/bin/python3 -c "import $modules" 2>/dev/null ||
      packages+=(python3-{cdiff,click,dateutil,etcd,prettytable,psutil,psycopg2,urllib3,yaml})
    ;;
  esac
}

# Installs Debian's packages: install_packages PACKAGE...
install_packages() {
  local as=(env DEBIAN_FRONTEND=noninteractive) line="apt-get install --no-install-recommends -y $*"
  if ! has_command apt-get; then
    fail "missing, by Debian's names: $*" "install what your system calls them, then try again."
  fi
  if [[ $(id -u) != 0 ]]; then
    has_command sudo || fail "run this as root, then try again:" "  apt-get update && $line"
    as=(sudo "${as[@]}")
  fi
  echo "installing $*"
  local log
  log=$(mktemp)
  # An existing package list may suffice, which saves a minute on a slow connection.
  # shellcheck disable=SC2086  # the line is made of words
  "${as[@]}" $line >"$log" 2>&1 || { "${as[@]}" apt-get update >"$log" 2>&1 && "${as[@]}" $line >>"$log" 2>&1; } ||
    { tail -n 20 "$log" >&2 && fail "that failed: run it by hand as root:" "  apt-get update && $line"; }
  rm -f "$log"
}

# Debian's package postgresql creates a database cluster and starts its server at every boot, unless this file of
# postgresql-common prevents it. An existing file belongs to the operator, so it stays as it is.
create_no_cluster() {
  local file=/etc/postgresql-common/createcluster.conf as=()
  if [[ -e $file ]] || ! has_command apt-get; then return; fi
  if [[ $(id -u) != 0 ]]; then
    has_command sudo || fail "run this as root, then try again:" \
      "  apt-get update && apt-get install --no-install-recommends -y postgresql-common" \
      "  echo 'create_main_cluster = false' >>$file"
    as=(sudo)
  fi
  install_packages postgresql-common
  "${as[@]}" tee -a "$file" >/dev/null <<'END'

# On The Map's deploy/setup.sh: its tests start their own servers. For a cluster of your own, run pg_createcluster.
create_main_cluster = false
END
}

# The stamp is a copy of the lock file. A change of the lock file makes the environment again.
make_venv() {
  local stamp=$venv/requirements.txt
  if [[ -x $venv/bin/python ]] && cmp -s "$requirements" "$stamp"; then return; fi
  echo "making $venv from $requirements"
  python3 -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$requirements"
  cp "$requirements" "$stamp"
}

# Downloads Debian's package, and extracts it to FOLDER/root: extract PACKAGE FOLDER.
extract() {
  local package=$1 folder=$2
  (cd "$folder" && apt-get download "$package" >log 2>&1) ||
    fail "cannot download the package $package: run apt-get update as root, then try again." "$(cat "$folder/log")"
  dpkg-deb --extract "$folder/${package}_"*.deb "$folder/root"
}

# Extracts a program from Debian's package: get_tool PACKAGE PATH. Installing the package would start a server on this
# machine.
get_tool() {
  local package=$1 path=$2 name folder
  name=$(basename "$path")
  if [[ -x $tools/$name ]]; then return; fi
  mkdir -p "$tools"
  if ! has_command apt-get; then
    has_command "$name" || fail "$name is missing: install $package, then try again."
    ln -s "$(command -v "$name")" "$tools/$name"
    return
  fi
  echo "getting $name"
  folder=$(mktemp -d)
  extract "$package" "$folder"
  install -m 0755 "$folder/root/$path" "$tools/$name"
  rm -rf "$folder"
}

# Extracts Patroni from Debian's package, as a Python package. Installing it would enable a service on this machine.
get_patroni() {
  local folder
  if [[ -d $tools/python ]]; then return; fi
  mkdir -p "$tools"
  if ! has_command apt-get; then
    /usr/bin/python3 -c 'import patroni' 2>/dev/null ||
      fail "patroni is missing: install it for /usr/bin/python3, then try again."
    mkdir "$tools/python"
    return
  fi
  echo "getting patroni"
  folder=$(mktemp -d)
  extract patroni "$folder"
  cp -R "$folder/root/usr/lib/python3/dist-packages" "$tools/python"
  rm -rf "$folder"
}

check_swift
find_missing
if [[ " ${packages[*]} " == *" postgresql "* ]]; then create_no_cluster; fi
if [[ ${#packages[@]} -gt 0 ]]; then install_packages "${packages[@]}"; fi
if [[ $mode == test ]]; then
  make_venv
  get_tool prometheus usr/bin/promtool
  get_tool nginx usr/sbin/nginx
fi
if [[ $mode == failover ]]; then
  get_tool etcd-server usr/bin/etcd
  get_patroni
fi
