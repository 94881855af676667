#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls over sites on the lab: any root, hosts in blocks or dealt, beside bound, prediction and simulation; for docs.

papers/tools/sites_on_lab.py --clusters two-site --roots 0,2,4 --rate 40Mbit --mpi mpich,openmpi --collective bcast

A row for each cluster, way that hosts are numbered, root and library. A cell for each size: `auto` over the bound;
native over `auto`; predicted over measured; simulated over measured.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.long_links import seats
from trunkline.mpi import require_mpi
from trunkline.peers.simulated import simulated_algorithms
from trunkline.predict import predict_all
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import simulate_all
from trunkline.units import format_bytes, parse_rate, parse_sizes


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clusters", default="two-site,four-site")
    parser.add_argument("--roots", default="0")
    parser.add_argument("--rate", default="40Mbit")
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--collective", default="bcast")
    parser.add_argument("--sizes", default="8,1KiB,8KiB,100000,1MiB")
    given, limits = parser.parse_known_args()
    sizes = parse_sizes(given.sizes) if given.collective != "barrier" else [0]
    print("| cluster | ranks | root | library | " + " | ".join(map(format_bytes, sizes)) + " |")
    print("|---" * (4 + len(sizes)) + "|", flush=True)
    for cluster in given.clusters.split(","):
        for dealt in (False, True):
            for root in given.roots.split(","):
                cells = measured(cluster, dealt, root, given, limits)
                for library in given.mpi.split(","):
                    shown = [cell(cells, cluster, library, size, given.rate) for size in sizes]
                    head = f"| {cluster} | {'dealt' if dealt else 'blocks'} | {root} | {library} | "
                    print(head + " | ".join(shown) + " |", flush=True)


def measured(
    cluster: str, dealt: bool, root: str, given: argparse.Namespace, limits: list[str]
) -> list[dict[str, Any]]:
    """The cells of `trunkline bench`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cells.json"
        words = ["--cluster", cluster, "--rate", given.rate, "--mpi", given.mpi, "--root", root, "--json", str(file)]
        words += ["--dealt"] if dealt else []
        words += ["--sizes", given.sizes] if given.collective != "barrier" else []
        command = [sys.executable, "-m", "trunkline", "bench", given.collective, *words, *limits]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cells: list[dict[str, Any]] = json.loads(file.read_text())
        return cells


def cell(cells: list[dict[str, Any]], cluster: str, library: str, size: int, rate: str) -> str:
    """What one size shows."""
    of = {one["algorithm"]: one for one in cells if one["mpi"] == library and one["message_bytes"] == size}
    auto = of["auto"]
    seconds = auto["seconds_median"]
    words = f"{seconds / auto['bound_seconds']:.2f}; {of['native']['seconds_median'] / seconds:.2f}"
    shown = [f"{one / seconds:.2f}" if one else "-" for one in model(auto, cluster, library, rate)]
    return "; ".join([words, *shown])


def model(auto: Mapping[str, Any], name: str, library: str, rate: str) -> tuple[float, float]:
    """Seconds, predicted and simulated, of what ran; 0 simulated: SimGrid has no algorithm as the library runs it."""
    cluster = _core.scaled(load_cluster(name), parse_rate(rate))
    placement = seats(cluster, 1, dealt=auto["dealt"])
    mpi = require_mpi(library)
    costs = _core.host_costs_of(mpi.counts_as, mpi.version)
    ran, size = auto["ran"], auto["message_bytes"]
    algorithm = f"{ran}:{auto['segment_bytes']}" if auto["segment_bytes"] else ran
    where = (auto["collective"], cluster, placement, auto["root"])
    (row,) = predict_all(*where, [algorithm], [size], mpi.native_library, None, costs)
    job = Job(*where, [size], {}, costs, mpi.native_library)
    rows = simulate_all(job, simulated_algorithms(auto["collective"], [algorithm], mpi.native_library), 0.0)
    return row.seconds, rows[0].seconds_median if rows else 0.0


if __name__ == "__main__":
    main()
