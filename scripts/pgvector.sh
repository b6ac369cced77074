#!/usr/bin/env bash
# Builds pgvector for the installed Postgres from Debian's source package, where it is not packaged. Needs root and apt.
set -euo pipefail

config=$(ls /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -V | tail -1 || true)
[ -n "$config" ] || { echo "no Postgres with its development files: apt-get install postgresql-server-dev-all" >&2; exit 1; }
[ ! -e "$("$config" --sharedir)/extension/vector.control" ] || exit 0

version=$("$config" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')
apt-get update -qq || true
if DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "postgresql-$version-pgvector" >/dev/null 2>&1; then exit 0; fi
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "postgresql-server-dev-$version" build-essential >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/source"
# The mirror and its key are those that this machine already uses.
address=$({ sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[[^]]*\] )?([^ ]+) .*/\2/p' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } | grep -v security | head -1)
key=$({ sed -nE 's/^Signed-By: *([^ ]+).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } | head -1)
printf 'Types: deb-src\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' "$address" "${key:-/usr/share/keyrings/debian-archive-keyring.gpg}" >"$work/trixie.sources"
options=(-o "Dir::Etc::sourcelist=$work/trixie.sources" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists")
apt-get "${options[@]}" update -qq
cd "$work/source"
apt-get "${options[@]}" source --download-only -qq pgvector >/dev/null
tar xf pgvector_*.orig.tar.*
cd pgvector*/
make -s PG_CONFIG="$config" OPTFLAGS="" >/dev/null
make -s PG_CONFIG="$config" install >/dev/null
echo "pgvector is built for Postgres $version"
