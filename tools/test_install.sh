#!/usr/bin/env bash
# From a package to a job and back: installed, preload libraries, a program that runs under them, a green doctor, and
# nothing left in the end. Usage:
#   tools/test_install.sh WHEEL          into an empty environment, a preload library for each MPI library here
#   tools/test_install.sh --root WHEEL   the same in a new Debian root, where the packages it takes are installed first
#   tools/test_install.sh --deb DEB...   Debian packages, installed and removed by apt-get in a new Debian root
# The last two need root, debootstrap and Debian's archive. Python packages come from the caller's pip either way. What a
# user types is counted and timed: at most 3 lines and 10 minutes until the doctor is green.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
debian_packages="python3-venv g++ cmake ninja-build mpich libmpich-dev"
lines=0 spent=0
most_lines=3 most_seconds=600
most_bytes=20000000

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
fail() { echo "test-install: $*" >&2; exit 1; }
timed() {  # WORDS...: runs them, and says how long it took
  local started=$SECONDS
  "$@"
  echo "    took $((SECONDS - started)) s"
}
typed() {  # LINE: runs what a user types, counted and timed
  lines=$((lines + 1))
  say "Line $lines: $1"
  local started=$SECONDS
  bash -euo pipefail -c "$1" >typed.log 2>&1 || { tail -n 30 typed.log; fail "this failed: $1"; }
  spent=$((spent + SECONDS - started))
  echo "    took $((SECONDS - started)) s"
}
check_counts() {
  say "$lines lines typed, $spent s, and the doctor is green (at most $most_lines and $most_seconds s)"
  [ "$lines" -le "$most_lines" ] || fail "these are too many lines"
  [ "$spent" -le "$most_seconds" ] || fail "this took too long"
}
files() { find / -xdev ! -path '/root/.cache/pip*' ! -path "${place:-/nowhere}*" | sort; }

# --- A new Debian ---

in_new_root() {  # FUNCTION FILE...: runs a function of this file in a new Debian root, where the files lie in /work
  local function=$1
  shift
  command -v debootstrap >/dev/null || fail "there is no debootstrap (Debian: debootstrap)"
  [ "$(id -u)" -eq 0 ] || fail "a new root needs root's rights"
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  local root=$work/root archive=${DEBIAN_ARCHIVE:-http://deb.debian.org/debian}
  say "A new Debian 12"
  timed debootstrap --variant=minbase bookworm "$root" "$archive" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir "$root/work" "$root/work/wheels"
  cp "$@" "$tools/test_install.sh" "$root/work"
  if [ "$function" = wheel_in_root ]; then
    say "Python packages, by the caller's pip"
    "$python" -m pip download --quiet --disable-pip-version-check --python-version 3.11 --only-binary :all: \
      --dest "$root/work/wheels" "$1"
  fi
  # shellcheck disable=SC2016
  unshare --mount --pid --fork bash -euc '
    mount --bind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PIP_NO_INDEX=1 PIP_FIND_LINKS=/work/wheels \
      DEBIAN_FRONTEND=noninteractive bash -euc "
        . /work/test_install.sh --functions
        apt-get -qq update  # as on any Debian that is in use
        in_new_root=yes $2"' bash "$root" "$function"
}

wheel_in_root() {
  typed "apt-get install -y --no-install-recommends $debian_packages"
  from_wheel /work/*.whl
}

# --- The wheel ---

check_wheel() {  # WHEEL: small, stripped, and nothing in it belongs to one MPI library
  local bytes folder
  bytes=$(stat -c %s "$1")
  [ "$bytes" -le "$most_bytes" ] || fail "$1 has $bytes bytes, more than $most_bytes"
  folder=$(mktemp -d)
  "$python" -m zipfile -e "$1" "$folder"
  "$python" - "$folder" <<'END'
import pathlib, re, subprocess, sys
for file in pathlib.Path(sys.argv[1]).rglob("*"):
    if not file.is_file() or file.read_bytes()[:4] != b"\x7fELF":
        continue
    data = file.read_bytes()
    linked = subprocess.run(["readelf", "-dW", "--dyn-syms", file], capture_output=True, text=True, check=True).stdout
    if re.search(r"NEEDED.*lib(mpi|mpich|mpi_abi|open-rte|open-pal|pmi)[.-]|\bP?MPI_Init\b", linked):
        sys.exit(f"test-install: {file} belongs to an MPI library")
    if b"\x00.debug_info\x00" in data:
        sys.exit(f"test-install: {file} is not stripped")
END
  rm -rf "$folder"
  say "The wheel has $bytes bytes, is stripped, and belongs to no MPI library"
}

from_wheel() {  # WHEEL
  local place
  place=$(mktemp -d)
  export HOME=$place/home XDG_DATA_HOME='' PATH=/usr/local/bin:/usr/bin:/bin TMPDIR=$place/tmp PYTHONDONTWRITEBYTECODE=1
  mkdir "$HOME" "$TMPDIR"
  unset LD_PRELOAD PYTHONPATH
  cd "$place"
  check_wheel "$1"
  local before=''
  [ -z "${in_new_root:-}" ] || before=$(files)

  typed "$python -m venv $place/environment && $place/environment/bin/pip install --quiet --disable-pip-version-check $1"
  trunkline=$place/environment/bin/trunkline
  "$trunkline" --help >/dev/null
  for file in man/man1/trunkline.1 bash-completion/completions/trunkline trunkline/schemas/cluster-1.json; do
    [ -f "environment/share/$file" ] || fail "the wheel brings no share/$file"
  done
  "$trunkline" plan cyclic >plan.txt
  grep -q "^Contention-free" plan.txt || { cat plan.txt; fail "no plan"; }
  if "$trunkline" doctor >doctor.txt; then fail "the doctor finds a preload library before one was built"; fi
  grep -q "no MPI library here has a preload library yet" doctor.txt || { cat doctor.txt; fail "the doctor says something else"; }

  local family name='' built
  if [ -n "${in_new_root:-}" ]; then
    typed "$trunkline library --build"
  fi
  for family in mpich openmpi; do
    command -v mpicc.$family >/dev/null || continue
    if [ -z "${in_new_root:-}" ]; then
      say "A preload library for $family"
      timed "$trunkline" library --build --mpicc "mpicc.$family" >built 2>build.txt || { cat build.txt; exit 1; }
    fi
    run_job $family
    name=$family
  done
  [ -n "$name" ] || fail "there is neither mpicc.mpich nor mpicc.openmpi here"
  say "The doctor"
  timed "$trunkline" doctor
  [ -z "${in_new_root:-}" ] || check_counts

  say "Gone again"
  "$trunkline" library --remove all
  environment/bin/pip uninstall --quiet --yes trunkline
  built=$(find environment home tmp -iname '*trunkline*')
  [ -z "$built" ] || fail "left: $built"
  rm -rf environment hello hello.c cluster.yaml plan.txt doctor.txt build.txt built ran typed.log
  find home tmp -type f ! -path 'home/.cache/pip/*' >left  # pip's own, of what it downloaded
  [ ! -s left ] || { cat left; fail "these files are left"; }
  cd /
  rm -rf "$place"
  # Where nobody else is at work, everywhere.
  [ -z "${in_new_root:-}" ] || diff <(printf '%s\n' "$before") <(files) || fail "these files came or went"
  say "Installed, run, removed: nothing is left"
}

# --- Debian packages ---

debs_in_root() {
  local place=/tmp/place family left
  mkdir "$place"
  cd "$place"
  typed "apt-get install -y --no-install-recommends $(echo /work/*.deb)"
  trunkline=/usr/bin/trunkline
  say "The doctor"
  timed "$trunkline" doctor
  check_counts
  apt-get -qq install -y --no-install-recommends g++ libmpich-dev libopenmpi-dev >install.log 2>&1  # for the test's program
  "$trunkline" plan cyclic >plan.txt
  grep -q "^Contention-free" plan.txt || { cat plan.txt; fail "no plan"; }
  python3 -c 'import trunkline; print("import trunkline:", trunkline.__version__)'
  for family in mpich openmpi; do run_job $family; done
  [ -f /usr/share/doc/trunkline-doc/docs/install.md ] || fail "there is no documentation"

  say "Gone again"
  apt-get -qq purge -y 'trunkline*' >purge.log 2>&1 || { cat purge.log; fail "apt-get cannot remove it"; }
  ! grep -i 'not empty' purge.log || fail "it leaves folders"
  left=$(find / -xdev -iname '*trunkline*' ! -path '/work/*' ! -path '/proc/*')
  [ -z "$left" ] || fail "left: $left"
  say "Installed, run, removed: nothing is left"
}

# --- A job ---

run_job() {  # FAMILY: two ranks in which Trunkline is on
  [ -f hello.c ] || write_program
  local wrapper=mpicc.$1
  say "A job under $1"
  "$wrapper" -I"$("$trunkline" library --header)" -o hello hello.c -ldl
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 TRUNKLINE_BCAST=linear \
    timeout 120 "$trunkline" run --cluster cluster.yaml -- "mpiexec.$1" -n 2 ./hello | tee ran
  [ "$(grep -c '^[0-9].* ran linear$' ran)" -eq 2 ] || fail "the program did not run under $1"
}

write_program() {
  cat >hello.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <trunkline.h>
int main(int argc, char** argv) {
  static char data[100000];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) data[99999] = 7;
  MPI_Bcast(data, 100000, MPI_CHAR, 0, MPI_COMM_WORLD);
  const char* (*version)(void) = (const char* (*)(void))dlsym(RTLD_DEFAULT, "trunkline_version");
  const char* (*last)(const char*) = (const char* (*)(const char*))dlsym(RTLD_DEFAULT, "trunkline_last");
  if (data[99999] == 7 && version != NULL && last != NULL) printf("%s ran %s\n", version(), last("bcast"));
  MPI_Finalize();
  return 0;
}
END
  cat >cluster.yaml <<END
trunkline: cluster/1
name: here
defaults: {rate: 1Gbit, latency: 10us}
switches: [switch]
hosts:
  - {hosts: "$(hostname)", switch: switch}
  - {hosts: other, switch: switch}
END
}

case ${1:-} in
  --functions) ;;
  --root) in_new_root wheel_in_root "$(realpath "$2")" ;;
  --deb) shift && in_new_root debs_in_root "$@" ;;
  '' | -*) echo "usage: tools/test_install.sh [--root] WHEEL | --deb DEB..." >&2; exit 2 ;;
  *) from_wheel "$(realpath "$1")" ;;
esac
