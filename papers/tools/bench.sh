#!/usr/bin/env bash
# Figures of docs/results/broadcast.md: every bundled cluster under both MPIs. Usage: papers/tools/bench.sh OUTPUT-FOLDER
# Takes about two hours on 2 cores; each cluster's results are written as soon as it is done, and kept if it is run again.
set -euo pipefail
out=${1:?usage: papers/tools/bench.sh OUTPUT-FOLDER}
mkdir -p "$out"
for cluster in cyclic paper-4 paper-1 paper-3 paper-5 paper-2; do
  [ -e "$out/$cluster.json" ] && continue
  trunkline bench bcast --cluster "$cluster" --mpi mpich,openmpi --sizes 8KiB,64KiB,1MiB,4MiB \
    --algorithms native,unaware-linear,linear,auto --json "$out/$cluster.json" --report "$out/$cluster.html"
done
for cluster in paper-1 cyclic; do  # never slower: every size from 8 B up
  [ -e "$out/never-slower-$cluster.json" ] && continue
  trunkline bench bcast --cluster "$cluster" --mpi mpich,openmpi --algorithms native,auto \
    --sizes 8,64,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,2MiB \
    --json "$out/never-slower-$cluster.json" --report "$out/never-slower-$cluster.html"
done
