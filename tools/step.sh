#!/usr/bin/env bash
# Runs one step of the set-up: its title, how far Ninja is, how long it took; what it prints goes to a log, and where it
# fails the end of that log is shown. Usage: tools/step.sh TITLE LOG COMMAND [ARGUMENT...]
set -euo pipefail
title=$1 log=$2
shift 2
mkdir -p "$(dirname "$log")"
printf '\033[1m==> %s\033[0m\n' "$title"
terminal=0
[ -t 1 ] && terminal=1

# On a terminal one line that changes; elsewhere, as in a log of continuous integration, a line for every tenth.
progress() {
  awk -v terminal="$terminal" '
    match($0, /\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, RSTART + 1, RLENGTH - 2), count, "/")
      if (count[2] < 5) next  # a look at what there is to do, nothing more
      if (terminal) printf "\r    [%d/%d]", count[1], count[2]
      else if (int(10 * count[1] / count[2]) != tenth) print "    [" count[1] "/" count[2] "]"
      tenth = int(10 * count[1] / count[2])
      fflush()
    }
    END { if (terminal) printf "\r\033[K" }'
}

started=$SECONDS
status=0
"$@" </dev/null 2>&1 | tee "$log" | progress || status=$?
if [ "$status" -ne 0 ]; then
  # A compiler's first complaint stands before much else.
  { grep -m 1 -A 30 '^ *FAILED:' "$log" || tail -n 40 "$log"; } >&2
  printf 'setup: this step failed: %s\nsetup: all that it printed: %s\n' "$title" "$log" >&2
  exit 1
fi
printf '    took %d s\n' $((SECONDS - started))
