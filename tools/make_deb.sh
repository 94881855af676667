#!/usr/bin/env bash
# Debian packages of this tree, for the Debian that it runs on, into dist/. Usage: tools/make_deb.sh [--again]
# In a copy of what git knows of the tree: packaging/debian becomes debian/, a changelog is written from the version and
# the day of the last commit, and the wheels of packaging/debian/wheels.txt come from pip. The build itself takes nothing
# from outside; times in the packages are that of the commit.
# --again builds them once more, in another folder, by other rights, hour and language, and compares the packages with
# those of the first build byte for byte. It leaves dist/ as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3} root=$PWD
version=$(sed -n 's/^version = "\(.*\)".*/\1/p' pyproject.toml)
first=$root/build/deb second=$root/build/deb-built-again
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} ${DEB_BUILD_OPTIONS:-}"

build_in() {  # FOLDER: the packages, and those of debug symbols, in that folder
  local tree=$1/trunkline-$version
  rm -rf "$1" && mkdir -p "$tree" "$root/build/log"
  git ls-files -z | xargs -0 cp --parents -Pt "$tree"
  cd "$tree"
  cp -r packaging/debian debian
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest debian/wheels \
    --requirement debian/wheels.txt
  [ ! -d "$root/build/site" ] || cp -r "$root/build/site" debian/site  # of `make docs`
  cat >debian/changelog <<END
trunkline ($version) bookworm; urgency=medium

  * CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(git -C "$root" log -1 --format=%cD)
END
  "$root/tools/step.sh" "Building Debian packages (some minutes)" "$root/build/log/$(basename "$1")" \
    nice dpkg-buildpackage -us -uc -b
  cd "$root"
}

compare() {  # FOLDER FOLDER: fails where a package of one differs from that of the other
  local file name differ=''
  for file in "$1"/*.deb; do
    name=$(basename "$file")
    cmp "$file" "$2/$name" || differ="$differ $name"
  done
  [ "$(find "$1" -maxdepth 1 -name '*.deb' | wc -l)" -eq "$(find "$2" -maxdepth 1 -name '*.deb' | wc -l)" ] ||
    differ="$differ (one build has packages that the other has not)"
  for name in $differ; do
    [ -f "$1/$name" ] && [ -f "$2/$name" ] || continue
    rm -rf "$1/unpacked" "$2/unpacked"
    dpkg-deb --raw-extract "$1/$name" "$1/unpacked"
    dpkg-deb --raw-extract "$2/$name" "$2/unpacked"
    echo "In $name:"
    diff --recursive --brief --no-dereference "$1/unpacked" "$2/unpacked" || true
  done
  [ -z "$differ" ] || { echo "make_deb: two builds of this tree differ:$differ" >&2; exit 1; }
  echo "Two builds of this tree are the same to the byte: $(find "$1" -maxdepth 1 -name '*.deb' | wc -l) packages"
}

if [ "${1:-}" = --again ]; then
  compgen -G "$first/*.deb" >/dev/null || { echo "make_deb: there is no first build in $first: make deb" >&2; exit 2; }
  (umask 027 && TZ=Pacific/Auckland LC_ALL=C build_in "$second")
  compare "$first" "$second"
  exit
fi

build_in "$first"
mkdir -p dist
rm -f dist/*.deb
cp "$first"/*.deb dist/
rm -f dist/*-dbgsym_*.deb
# The project has no address yet (docs/releasing.md), which files of debug symbols and of changes cannot override.
lintian --fail-on error,warning --suppress-tags bogus-mail-host --info "$first"/trunkline_*.changes
ls -l dist/*.deb
