#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans over long links that are predicted to be a little faster than native: are they? Simulated; for docs.

By how many times as fast the fastest plan is predicted to be as native: how many cases there are, and how many times as
fast it is simulated, at least and in the middle.

papers/tools/sites_margin.py --clusters four-site,sites:4x4:1,sites-dealt:4x4:1 --collectives bcast,allreduce
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import pairwise
from statistics import median

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import LIBRARIES, simulated_algorithms
from trunkline.placement import bounded_placement
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import simulate_all
from trunkline.terminal import progress_bar
from trunkline.units import format_bytes, parse_sizes

CLUSTERS = ["four-site", "two-site", "examples/two-links.yaml", "examples/site-ring.yaml"]
CLUSTERS += [
    f"{kind}:{sites}x{hosts}:{seed}"
    for sites in (2, 4, 8)
    for hosts in (1, 4)
    for seed in (1, 2, 3)
    for kind in (["sites", "sites-dealt"] if hosts > 1 else ["sites"])
]
STEPS = [1.0, 1.01, 1.02, 1.03, 1.05, 1.07, 1.1, 1.15, 1.25]


def main() -> None:
    """Print the table, and the cases below each other in which a plan is slower than native."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", default=",".join(CLUSTERS))
    parser.add_argument("--collectives", default="bcast,reduce,allreduce")
    parser.add_argument("--sizes", default="8,64,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,100000,256KiB")
    given = parser.parse_args()
    jobs = [
        (name, collective, mpi)
        for name in given.clusters.split(",")
        for collective in given.collectives.split(",")
        for mpi in LIBRARIES
    ]
    cases: list[tuple[float, float, str]] = []
    with progress_bar(len(jobs)) as bar:
        for name, collective, mpi in jobs:
            bar.show(f"{name}, {collective}, {mpi}", done=True)
            cases += cases_of(name, collective, mpi, parse_sizes(given.sizes))
    print("| predicted over native | cases | simulated: least | median |")
    print("|---|---|---|---|")
    for low, high in pairwise(STEPS):
        gains = [simulated for predicted, simulated, _ in cases if low <= predicted < high]
        if gains:
            print(f"| {low:g} to {high:g} | {len(gains)} | {min(gains):.3f} | {median(gains):.3f} |")
    for predicted, simulated, words in sorted(cases, key=lambda case: case[1]):
        if simulated < 1.0 and predicted >= 1.005:
            print(f"{words}: {predicted:.3f} predicted, {simulated:.3f} simulated")


def cases_of(name: str, collective: str, mpi: str, sizes: list[int]) -> list[tuple[float, float, str]]:
    """Of each size: predicted and simulated gain over native, and what it is."""
    cluster = load_cluster(name)
    placement = bounded_placement(cluster, 1)
    library = LIBRARIES[mpi]
    job = Job(collective, cluster, placement, 0, sizes, {}, mpi, library)
    knowledge = _core.Knowledge(cluster, library, "", "", host_costs=mpi, multicasts=False)
    decider = _core.Decider(knowledge, collective, placement, 0)
    best: dict[int, tuple[str, float]] = {}
    for size in sizes:
        found = {one.algorithm: one.seconds for one in decider.predictions(size)}
        native_s = found.pop("native", 0.0)
        if not found:
            continue
        algorithm = min(found, key=lambda one: found[one])
        gain = native_s / found[algorithm]
        if STEPS[0] <= gain < STEPS[-1]:
            best[size] = (algorithm, gain)
    if not best:
        return []
    names = sorted({algorithm for algorithm, _ in best.values()})
    rows = simulate_all(
        replace(job, sizes=list(best)), simulated_algorithms(collective, ["native", *names], library), 0.0
    )
    times = {(row.algorithm, row.message_bytes): row.seconds_median for row in rows if not row.gave_up}
    cases = []
    for size, (algorithm, gain) in best.items():
        if ("native", size) in times and (algorithm, size) in times:
            words = f"{name}, {collective}, {mpi}, {format_bytes(size)}, {algorithm}"
            cases.append((gain, times["native", size] / times[algorithm, size], words))
    return cases


if __name__ == "__main__":
    main()
