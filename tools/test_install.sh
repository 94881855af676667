#!/usr/bin/env bash
# From the wheel to a job and back: an empty environment, the wheel, a preload library for each MPI library here, a program
# that runs under it, and nothing left in the end. Usage: tools/test_install.sh WHEEL
#   tools/test_install.sh --root WHEEL   the same in a new Debian root, where the packages it takes are installed first
# The second needs root, debootstrap and Debian's archive. Python packages come from the caller's pip either way.
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
debian_packages="python3-venv g++ cmake ninja-build mpich libmpich-dev"

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }
fail() { echo "test-install: $*" >&2; exit 1; }
timed() {  # WORDS...: runs them, and says how long it took
  local started=$SECONDS
  "$@"
  echo "    took $((SECONDS - started)) s"
}
files() { find / -xdev ! -path '/root/.cache/pip*' ! -path "${place:-/nowhere}*" | sort; }

in_new_root() {  # WHEEL
  command -v debootstrap >/dev/null || fail "there is no debootstrap (Debian: debootstrap)"
  [ "$(id -u)" -eq 0 ] || fail "a new root needs root's rights"
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  local root=$work/root archive=${DEBIAN_ARCHIVE:-http://deb.debian.org/debian}
  say "A new Debian 12"
  timed debootstrap --variant=minbase bookworm "$root" "$archive" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir "$root/work" "$root/work/wheels"
  say "Python packages, by the caller's pip"
  "$python" -m pip download --quiet --disable-pip-version-check --python-version 3.11 --only-binary :all: \
    --dest "$root/work/wheels" "$1"
  cp "$1" "$tools/test_install.sh" "$root/work"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork bash -euc '
    mount --bind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PIP_NO_INDEX=1 PIP_FIND_LINKS=/work/wheels \
      DEBIAN_FRONTEND=noninteractive bash -euc "
        . /work/test_install.sh --functions
        say \"Command 1: apt-get install $2\"
        timed apt-get -qq update
        timed apt-get -qq install -y --no-install-recommends $2 >/var/log/test-install.log 2>&1
        in_new_root=yes from_wheel /work/$3"' bash "$root" "$debian_packages" "$(basename "$1")"
}

from_wheel() {  # WHEEL
  local place
  place=$(mktemp -d)
  export HOME=$place/home XDG_DATA_HOME='' PATH=/usr/local/bin:/usr/bin:/bin TMPDIR=$place/tmp PYTHONDONTWRITEBYTECODE=1
  mkdir "$HOME" "$TMPDIR"
  unset LD_PRELOAD PYTHONPATH
  cd "$place"
  local before=''
  [ -z "${in_new_root:-}" ] || before=$(files)

  say "The wheel, into an empty environment"
  timed "$python" -m venv environment
  timed environment/bin/pip install --quiet --disable-pip-version-check "$1"
  trunkline=$place/environment/bin/trunkline
  "$trunkline" --help >/dev/null
  for file in man/man1/trunkline.1 bash-completion/completions/trunkline trunkline/schemas/cluster-1.json; do
    [ -f "environment/share/$file" ] || fail "the wheel brings no share/$file"
  done
  "$trunkline" plan cyclic >plan.txt
  grep -q "^Contention-free" plan.txt || { cat plan.txt; fail "no plan"; }
  if "$trunkline" doctor >doctor.txt; then fail "the doctor finds a preload library before one was built"; fi
  grep -q "no MPI library here has a preload library yet" doctor.txt || { cat doctor.txt; fail "the doctor says something else"; }

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
  local wrapper family name
  for family in mpich openmpi; do
    wrapper=$(command -v mpicc.$family) || continue
    say "A preload library for $wrapper"
    timed "$trunkline" library --build --mpicc "$wrapper" 2>build.txt | tee built || { cat build.txt; exit 1; }
    name=$(cut -d: -f1 built)
    "$wrapper" -I"$("$trunkline" library --header)" -o hello hello.c -ldl
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 TRUNKLINE_BCAST=linear \
      timeout 120 "$trunkline" run --cluster cluster.yaml -- mpiexec.$family -n 2 ./hello | tee ran
    [ "$(grep -c '^0\..* ran linear$' ran)" -eq 2 ] || fail "the program did not run under $name"
  done
  [ -n "${name:-}" ] || fail "there is neither mpicc.mpich nor mpicc.openmpi here"
  say "The doctor"
  timed "$trunkline" doctor

  say "Gone again"
  "$trunkline" library --remove all
  environment/bin/pip uninstall --quiet --yes trunkline
  [ -z "$(find environment home tmp -iname '*trunkline*')" ] || fail "left: $(find environment home tmp -iname '*trunkline*')"
  rm -rf environment hello hello.c cluster.yaml plan.txt doctor.txt build.txt built ran
  find home tmp -type f ! -path 'home/.cache/pip/*' >left  # pip's own, of what it downloaded
  [ ! -s left ] || { cat left; fail "these files are left"; }
  cd /
  rm -rf "$place"
  # Where nobody else is at work, everywhere.
  [ -z "${in_new_root:-}" ] || diff <(printf '%s\n' "$before") <(files) || fail "these files came or went"
  say "Installed, run, removed: nothing is left"
}

case ${1:-} in
  --functions) ;;
  --root) in_new_root "$(realpath "$2")" ;;
  '' | -*) echo "usage: tools/test_install.sh [--root] WHEEL" >&2; exit 2 ;;
  *) from_wheel "$(realpath "$1")" ;;
esac
