#!/usr/bin/env bash
# Debian packages of this tree, for the Debian that it runs on, into dist/. Usage: tools/make_deb.sh
# In a copy of what git knows of the tree: packaging/debian becomes debian/, a changelog is written from the version and
# the day of the last commit, and the wheels of packaging/debian/wheels.txt come from pip. The build itself takes nothing
# from outside; times in the packages are that of the commit.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3} root=$PWD work=$PWD/build/deb log=$PWD/build/log/deb
version=$(sed -n 's/^version = "\(.*\)".*/\1/p' pyproject.toml)
rm -rf "$work" && mkdir -p "$work/trunkline-$version" dist "$(dirname "$log")"
git ls-files -z | xargs -0 cp --parents -Pt "$work/trunkline-$version"
cd "$work/trunkline-$version"
cp -r packaging/debian debian
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest debian/wheels \
  --requirement debian/wheels.txt
[ ! -d "$root/build/site" ] || cp -r "$root/build/site" debian/site  # of `make docs`
cat >debian/changelog <<END
trunkline ($version) bookworm; urgency=medium

  * CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(git -C "$root" log -1 --format=%cD)
END
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} ${DEB_BUILD_OPTIONS:-}"
"$root/tools/step.sh" "Building Debian packages (some minutes)" "$log" nice dpkg-buildpackage -us -uc -b
cd "$root"
rm -f dist/*.deb
cp "$work"/*.deb dist/
rm -f dist/*-dbgsym_*.deb
# The project has no address yet (docs/releasing.md), which files of debug symbols and of changes cannot override.
lintian --fail-on error,warning --suppress-tags bogus-mail-host --info "$work"/trunkline_*.changes
ls -l dist/*.deb
