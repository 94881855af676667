#!/usr/bin/env bash
# A wheel for each Python that is here, from 3.9 on, and the way from it to a job and back (tools/test_install.sh).
# Usage: tools/test_pythons.sh SDIST [PYTHON...]; PYTHON is a path; without: python3.9, python3.10, ... on PATH or of pyenv
# Wheels go beside the sdist. pip brings what they are built with.
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
sdist=$(realpath "${1:?usage: tools/test_pythons.sh SDIST [PYTHON...]}")
shift
options=${TRUNKLINE_PIP_OPTIONS:-}
unset TRUNKLINE_PIP_OPTIONS  # it is no setting of the library, which ends a job that has such a variable
fail() { echo "test-pythons: $*" >&2; exit 1; }

pythons=("$@")
if [ ${#pythons[@]} -eq 0 ]; then
  for minor in 9 10 11 12 13; do
    for file in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python3 "$(command -v python3.$minor || true)"; do
      if [ -x "$file" ] && "$file" -c '' 2>/dev/null; then pythons+=("$file"); continue 2; fi
    done
    echo "Python 3.$minor is not here"
  done
fi
[ ${#pythons[@]} -gt 0 ] || fail "there is no Python from 3.9 on"
for python in "${pythons[@]}"; do
  printf '\033[1m==> %s\033[0m\n' "$("$python" --version)"
  work=$(mktemp -d)
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work" \
    --config-settings cmake.define.TRUNKLINE_RUNTIME=OFF $options "$sdist"
  PYTHON=$python "$tools/test_install.sh" "$work"/*.whl
  cp "$work"/*.whl "$(dirname "$sdist")"
  rm -rf "$work"
done
