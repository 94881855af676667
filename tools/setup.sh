#!/usr/bin/env bash
# Sets up one part of what the project needs; the Makefile says when. Usage: tools/setup.sh packages-demo|packages|packages-deb|python|python-dev|mpis|peers|simgrid|torch
# Each part is quick when there is nothing to do, and says what to do where it cannot go on.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

packages() {  # FILE...
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not Debian; install the equivalents of $* (docs/install.md), then run make with SKIP_PACKAGES=1" >&2
    exit 2
  fi
  local wanted missing
  wanted=$(grep -hv '^#' "$@")
  missing=$(comm -23 <(sort <<<"$wanted") \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | sort -u) | tr '\n' ' ')
  [ -z "${missing// /}" ] && return
  local install="apt-get install -y --no-install-recommends $missing"
  local run=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      printf 'setup: Debian packages are missing. Run this once, then make again:\n\n    sudo apt-get update && sudo %s\n\n' "$install" >&2
      exit 2
    fi
    run=(sudo)
  fi
  # shellcheck disable=SC2016
  tools/step.sh "Debian packages (about a minute): $missing" build/log/packages \
    "${run[@]}" sh -c "apt-get update -qq && DEBIAN_FRONTEND=noninteractive $install"
}

environment() {  # TITLE FOLDER PACKAGE...
  "$python" -m venv "$2"
  tools/step.sh "$1" "build/log/$(basename "$2")" "$2/bin/python" -m pip install --disable-pip-version-check "${@:3}"
}

python_environment() {
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "setup: $python is older than Python 3.11; name a newer one: make PYTHON=/path/to/python3.11" >&2
    exit 2
  fi
  environment "Python environment (.venv; about a quarter of a minute)" .venv -r tools/requirements.txt
}

mpis() {  # FILE: the current releases beside Debian's, each in an environment of its own
  local pin
  while read -r pin; do
    local folder=.mpi/${pin/==/-}
    [ -x "$folder/bin/mpiexec" ] && continue
    environment "MPI library $pin ($folder; some seconds)" "$folder" "$pin"
  done < <(grep -v '^#' "$1")
}

simgrid() {  # PIN: only the source is on PyPI, and its own build leaves SMPI out
  local folder=.simgrid/${1#*==} work=build/simgrid
  [ -f "$folder/include/smpi/mpi.h" ] && return
  say "SimGrid $1 ($folder); about ten minutes on two processors"
  rm -rf "$work"
  mkdir -p "$work/source"
  .venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary simgrid --dest "$work" "$1"
  tar --extract --file "$work"/simgrid-*.tar.gz --directory "$work/source" --strip-components 1
  if ! { cmake -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PWD/$folder" \
    -Denable_python=OFF -Denable_fortran=OFF -Denable_model-checking=OFF -Denable_lto=OFF -Dminimal-bindings=ON &&
    cmake --build "$work/build" && cmake --install "$work/build"; } >"$work/log" 2>&1; then
    tail -n 30 "$work/log" >&2
    echo "setup: SimGrid $1 did not build; all of it: $work/log" >&2
    exit 1
  fi
  rm -rf "$work"
}

case ${1:-} in
  packages-demo) packages tools/debian-packages.txt ;;
  packages-deb) packages tools/deb-packages.txt ;;
  packages) packages tools/debian-packages.txt tools/dev-packages.txt ;;
  python) python_environment ;;
  python-dev) environment "Python packages of the tests and checks (about half a minute)" .venv -r tools/dev-requirements.txt ;;
  mpis) mpis tools/mpis.txt ;;
  peers)
    [ -n "${SKIP_PACKAGES:-}" ] || packages papers/peer-packages.txt
    mpis papers/peer-mpis.txt
    ;;
  torch) packages tools/torch-packages.txt ;;
  simgrid) simgrid "$(grep -v '^#' tools/simgrid.txt)" ;;
  *) echo "usage: tools/setup.sh packages-demo|packages|packages-deb|python|python-dev|mpis|peers|simgrid|torch" >&2; exit 2 ;;
esac
