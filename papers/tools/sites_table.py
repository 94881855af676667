#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clusters with sites: the bound of each size, what native, `auto` and all others take, simulated; a table for docs.

papers/tools/sites_table.py --clusters two-site,four-site --collective bcast --sizes 8,1KiB,8KiB,100000,1MiB
"""

import argparse

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import simulated_algorithms
from trunkline.placement import bounded_placement, root_rank
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import Row, simulate_all
from trunkline.units import format_bytes, format_seconds, parse_sizes

WAVES = ["wave", "wave-mended"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", default="two-site,four-site")
    parser.add_argument("--collective", default="bcast")
    parser.add_argument("--sizes", default="8,1KiB,8KiB,100000,1MiB")
    parser.add_argument("--root", default="0")
    parser.add_argument("--host-costs", default="mpich")
    given = parser.parse_args()
    print("| cluster | size | bound | native | `auto` | runs | predicted | of bound | best other | `wave` |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in given.clusters.split(","):
        cluster = load_cluster(name)
        placement = bounded_placement(cluster, 1)
        root = root_rank(cluster, placement, given.root)
        job = Job(given.collective, cluster, placement, root, parse_sizes(given.sizes), {}, given.host_costs)
        print_rows(job)


def print_rows(job: Job) -> None:
    """Of one cluster, size by size."""
    left_out = ("shared hosts", "to all at once")
    own = [one.name for one in _core.candidates(job.collective) if one.role not in left_out]
    waves = [one.name for one in _core.algorithms() if one.collective == job.collective and one.name in WAVES]
    rows = simulate_all(job, simulated_algorithms(job.collective, ["auto", "native", *own, *waves]), 0.0)
    knowledge = _core.Knowledge(job.cluster, job.library, "", "", host_costs=job.host_costs, multicasts=False)
    decider = _core.Decider(knowledge, job.collective, job.placement, job.root)
    for size in job.sizes:
        here = {row.algorithm: row for row in rows if row.message_bytes == size and not row.gave_up}
        auto, native = here["auto"], here["native"]
        others = [row for name, row in here.items() if name not in ("auto", "native", ran(auto))]
        best = min(others, key=lambda row: row.seconds_median)
        bound_s = _core.least_crossing_s(job.cluster, job.placement, job.collective, job.root, size)
        cells = [
            job.cluster.name,
            format_bytes(size),
            format_seconds(bound_s),
            format_seconds(native.seconds_median),
            format_seconds(auto.seconds_median),
            f"`{ran(auto)}`",
            format_seconds(predicted(decider, auto)),
            f"{auto.seconds_median / bound_s:.2f}",
            f"{format_seconds(best.seconds_median)} `{best.algorithm}`",
            format_seconds(here["wave"].seconds_median) if "wave" in here else "",
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


def ran(row: Row) -> str:
    """The algorithm, native for all of the library's own."""
    return "native" if not row.segment_bytes else (row.ran or row.algorithm)


def predicted(decider: _core.Decider, row: Row) -> float:
    """Seconds."""
    if ran(row) == "native":
        found = decider.predictions(row.message_bytes)
        return next(one.seconds for one in found if one.algorithm == "native")
    return decider.seconds_of(ran(row), row.message_bytes, row.segment_bytes)


if __name__ == "__main__":
    main()
