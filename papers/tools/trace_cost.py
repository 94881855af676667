#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much slower an allreduce is while it is traced: pairs of jobs on the lab, one with a trace and one without.

With --off the one with a trace has turned it off (TRUNKLINE_TRACE_START=0).

papers/tools/trace_cost.py blade mpich 4 --iterations 500 --pairs 20 --algorithm flat
papers/tools/trace_cost.py blade mpich 1048576 --iterations 5 --pairs 10 --rate 50Mbit
papers/tools/trace_cost.py 8w mpich 4 --plan papers/plans/binary8W.yaml --iterations 200 --pairs 12 --off
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import ready_mpi
from trunkline.planned import lay_plan
from trunkline.statistics import median_with_interval
from trunkline.temporary import temporary_folder
from trunkline_papers.allreduce.gsum import GsumJob, ranks_on_hosts


def main() -> None:
    """Print the median of the pairs' ratios with its interval."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cluster")
    parser.add_argument("mpi")
    parser.add_argument("bytes", type=int, help="a multiple of 4")
    parser.add_argument("--algorithm", default="two-tree")
    parser.add_argument("--segment", type=int, help="bytes; default: as the library chooses")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--rate", default="20Mbit")
    parser.add_argument("--plan", type=Path, help="instead of an algorithm: a plan's file")
    parser.add_argument("--off", action="store_true", help="the trace is turned off")
    given = parser.parse_args()
    cluster = load_cluster(given.cluster)
    with temporary_folder("trace-cost") as folder, Lab(cluster, lab_rate(cluster, given.rate)) as lab:
        job = GsumJob(lab, ready_mpi(given.mpi), ranks_on_hosts(cluster, None), [given.bytes], given.iterations)
        file = folder / "plan.yaml"
        if given.plan is None:
            plan = lay_plan(lab.cluster, "allreduce", given.algorithm, job.placement, 0, given.segment)
            file.write_text(_core.write_plan(plan.file), encoding="utf-8")
        else:
            file.write_text(given.plan.read_text(encoding="utf-8"), encoding="utf-8")
        more = {"TRUNKLINE_TRACE_START": "0"} if given.off else {}
        ratios = []
        for pair in range(given.pairs):
            order = [pair % 2 == 0, pair % 2 == 1]  # which one is first must not count
            seconds = {traced: _seconds(job, file, folder / str(pair) if traced else None, more) for traced in order}
            ratios.append(seconds[True] / seconds[False])
            print(f"{seconds[False] * 1e6:.1f} us, traced {seconds[True] * 1e6:.1f} us: {ratios[-1]:.3f}", flush=True)
    found = median_with_interval(ratios)
    print(f"traced over not traced: {found.value:.4f}, 95 % {found.low:.4f} to {found.high:.4f}, {found.count} pairs")


def _seconds(job: GsumJob, plan: Path, trace: Path | None, more: Mapping[str, str]) -> float:
    if trace is not None:
        trace.mkdir()
    [seconds] = job.run(plan, trace, more if trace is not None else {}).values()
    return seconds


if __name__ == "__main__":
    main()
