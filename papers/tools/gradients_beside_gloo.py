#!/usr/bin/env python3
"""Gradients summed by PyTorch over Trunkline and over Gloo, in turns, in one MPI job.

Usage: trunkline lab run cyclic --mpi mpich -- python3 papers/tools/gradients_beside_gloo.py [--bytes 1000000,10000000]
                                                                        [--repetitions 3] [--json FILE]

A repetition lasts from the last rank's start to the last rank's end, and every rank checks its result. Prints the
medians. On a real cluster the same program stands behind 'trunkline run -- mpiexec'. It needs what docs/torch.md says,
and a machine with nothing else to do.
"""

import argparse
import json
import time
from pathlib import Path
from statistics import median

import torch
import torch.distributed as dist
from mpi4py import MPI

import trunkline.torch


def timed(tensor: torch.Tensor, group: dist.ProcessGroup) -> float:
    """Seconds of one sum, the slowest rank's."""
    world = MPI.COMM_WORLD
    tensor.fill_(world.rank)
    world.Barrier()
    start = time.perf_counter()
    dist.all_reduce(tensor, group=group)
    seconds = time.perf_counter() - start
    right = world.size * (world.size - 1) / 2
    if not (tensor == right).all():
        raise SystemExit(f"rank {world.rank}: a sum is wrong")
    return world.allreduce(seconds, MPI.MAX)


def main() -> None:
    """See above."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bytes", default="1000000,10000000")
    options.add_argument("--repetitions", type=int, default=3)
    options.add_argument("--json", type=Path)
    wanted = options.parse_args()
    torch.set_num_threads(1)
    trunkline.torch.init_process_group()
    groups = {"trunkline": dist.group.WORLD, "gloo": dist.new_group(backend="gloo")}
    rows = []
    for size in map(int, wanted.bytes.split(",")):
        tensor = torch.zeros(size // 4)
        seconds: dict[str, list[float]] = {name: [] for name in groups}
        for repetition in range(wanted.repetitions + 1):
            for name, group in groups.items():
                took = timed(tensor, group)
                if repetition > 0 or took > 1.0:  # the first one connects, which counts little where it is long
                    seconds[name].append(took)
        row = {"bytes": size, "ranks": MPI.COMM_WORLD.size, "torch": torch.__version__, "seconds": seconds}
        rows.append(row)
        if MPI.COMM_WORLD.rank == 0:
            ours, gloo = (median(seconds[name]) for name in groups)
            print(f"{size} bytes: trunkline {ours:.3f} s, gloo {gloo:.3f} s, {gloo / ours:.2f} times", flush=True)
    if wanted.json and MPI.COMM_WORLD.rank == 0:
        wanted.json.write_text(json.dumps(rows, indent=1) + "\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
