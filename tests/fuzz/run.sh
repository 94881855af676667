#!/usr/bin/env bash
# Fuzzes each reader for some seconds from the seeds. Usage: tests/fuzz/run.sh BUILD_FOLDER [SECONDS_EACH]
# What it finds stays in BUILD_FOLDER/fuzz; exit status 1 says that there is something.
set -euo pipefail
build=$(cd "$1" && pwd)
seconds=${2:-60}
seeds=$(cd "$(dirname "$0")" && pwd)
status=0
for reader in cluster plan tuning measurement script weights learned datagram; do
  work=$build/fuzz/$reader
  mkdir -p "$work/corpus"
  echo "==> $reader, $seconds seconds"
  "$build/tests/fuzz/fuzz-$reader" -max_total_time="$seconds" -timeout=10 -max_len=4096 -verbosity=0 -print_final_stats=1 \
    -dict="$seeds/$reader.dict" -artifact_prefix="$work/" "$work/corpus" "$seeds/corpus/$reader" || status=1
done
exit $status
