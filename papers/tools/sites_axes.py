#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clusters with sites, one thing varied at a time about a centre: `auto` over the bound, native over `auto`; for docs.

A cell has what `auto` takes over the bound (each long link crossed once), then what MPICH's and Open MPI's own choices
take over `auto`, each under its own library; '-' where nobody here knows what a library selects.

papers/tools/sites_axes.py --collectives bcast,allreduce --axes delay,rate > axes.md
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import LIBRARIES, simulated_algorithms
from trunkline.placement import bounded_placement
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import simulate_all
from trunkline.terminal import progress_bar
from trunkline.units import format_bytes, parse_sizes


@dataclass(frozen=True)
class Point:
    """A cluster of equal sites; the tree of their long links is that of seed 1."""

    sites: int = 4
    hosts: int = 8
    ranks: int = 1
    delay: str = "10ms"
    rate: str = "100Mbit"
    host_rate: str = "1Gbit"
    dealt: bool = False

    @property
    def name(self) -> str:
        """Of its cluster."""
        kind = "sites-dealt" if self.dealt else "sites"
        return f"{kind}:{self.sites}x{self.hosts}:delay={self.delay}:rate={self.rate}:host-rate={self.host_rate}"

    @property
    def words(self) -> str:
        """For a row."""
        shape = f"{self.sites} x {self.hosts}" + (f" x {self.ranks}" if self.ranks > 1 else "")
        hosts = "" if self.host_rate == "1Gbit" else f", hosts {self.host_rate}"
        return f"{shape}, {self.delay}, {self.rate}{hosts}{', dealt' if self.dealt else ''}"


CENTRE = Point()
AXES = {
    "sites": [replace(CENTRE, sites=sites) for sites in (2, 4, 8, 16)],
    "hosts": [replace(CENTRE, hosts=hosts) for hosts in (1, 2, 16, 32)],
    "ranks": [replace(CENTRE, ranks=ranks) for ranks in (2, 4, 16)],
    "delay": [replace(CENTRE, delay=delay) for delay in ("0.1ms", "1ms", "100ms")],
    "rate": [
        replace(CENTRE, rate="8Mbit"),
        replace(CENTRE, rate="1Gbit"),
        replace(CENTRE, rate="10Gbit", host_rate="10Gbit"),
    ],
    "order": [replace(CENTRE, dealt=True), replace(CENTRE, dealt=True, ranks=4)],
    "corners": [
        Point(sites=2, hosts=1, delay="0.1ms", rate="10Gbit", host_rate="10Gbit"),
        Point(sites=2, hosts=32, delay="1ms", rate="1Gbit", dealt=True),
        Point(sites=16, hosts=1, delay="100ms", rate="8Mbit"),
        Point(sites=16, hosts=16, delay="100ms", rate="10Gbit", host_rate="10Gbit"),
        Point(sites=2, hosts=2, ranks=16, delay="1ms", rate="8Mbit"),
    ],
}
SIZES = "8,8KiB,1MiB"
ALL_SIZES = "8,64,512,4KiB,32KiB,256KiB,2MiB,16MiB"


def main() -> None:
    """Print a table for each collective."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collectives", default="bcast,reduce,allreduce,barrier,allgather")
    parser.add_argument("--axes", default=",".join(AXES) + ",size")
    parser.add_argument("--sizes", default=SIZES)
    given = parser.parse_args()
    axes = [axis for axis in given.axes.split(",") if axis != "size"]
    points = list(dict.fromkeys(point for axis in axes for point in AXES[axis]))
    collectives = given.collectives.split(",")
    with progress_bar(len(points) * len(collectives)) as bar:
        for collective in collectives:
            has_data = _core.facts_of(collective).has_data
            sizes = parse_sizes(given.sizes) if has_data else [1]
            print(f"\n{_core.facts_of(collective).mpi_name}:\n")
            if points:
                print("| sites x hosts (x ranks) | " + " | ".join(map(format_bytes, sizes)) + " |")
                print("|---" * (1 + len(sizes)) + "|", flush=True)
            for point in points:
                bar.show(f"{collective}, {point.words}", done=True)
                print(f"| {point.words} | {' | '.join(cells(point, collective, sizes))} |", flush=True)
            if "size" in given.axes.split(",") and has_data:
                all_sizes = parse_sizes(ALL_SIZES)
                print("\n| " + " | ".join(map(format_bytes, all_sizes)) + " |")
                print("|---" * len(all_sizes) + "|")
                print(f"| {' | '.join(cells(CENTRE, collective, all_sizes))} |", flush=True)


def cells(point: Point, collective: str, sizes: list[int]) -> list[str]:
    """One for each size."""
    cluster = load_cluster(point.name)
    placement = bounded_placement(cluster, point.ranks)
    own = [whole_shares(size, len(placement), collective) for size in sizes]
    times: dict[str, dict[tuple[str, int], float]] = {}
    for mpi, library in LIBRARIES.items():
        job = Job(collective, cluster, placement, 0, own, {}, mpi, library)
        rows = simulate_all(job, simulated_algorithms(collective, ["auto", "native"], library), 0.0)
        times[mpi] = {(row.algorithm, row.message_bytes): row.seconds_median for row in rows}
    words = []
    for size in own:
        bound_s = _core.least_crossing_s(cluster, placement, collective, 0, size)
        auto_s = next((times[mpi]["auto", size] for mpi in LIBRARIES if ("auto", size) in times[mpi]), None)
        gains = [
            f"{one['native', size] / one['auto', size]:.3g}" if ("native", size) in one else "-"
            for one in times.values()
        ]
        words.append(f"{auto_s / bound_s:.2f}; {'; '.join(gains)}" if auto_s else "-")
    return words


def whole_shares(size: int, ranks: int, collective: str) -> int:
    """The size itself, or what gives each rank as many bytes, one at least."""
    by_shares = collective in ("allgather", "reduce-scatter", "reduce-scatter-block", "allgatherv")
    return max(1, size // ranks) * ranks if by_shares else size


if __name__ == "__main__":
    main()
