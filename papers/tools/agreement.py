#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether 'trunkline explain' and 'trunkline simulate' say the same: what ``auto`` runs, and how long that takes.

papers/tools/agreement.py --clusters leaf-spine,cyclic --rates 1Gbit,10Gbit,100Gbit --sizes 1KiB,1MiB

Each cell is simulated. It fails where ranks do not run what is explained; it is off where the predicted time of the
same algorithm and segment is not within 20 % of the simulated one. A line for each cell that is off, then the numbers.
"""

import argparse
import json
from itertools import product
from pathlib import Path

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import simulated_algorithms
from trunkline.placement import bounded_placement
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import Row, simulate_all
from trunkline.units import format_bytes, format_rate, parse_rate, parse_sizes

MOST_ERROR = 0.2
LIBRARY_OF = {"openmpi": _core.NativeLibrary.openmpi}
"""By host costs; those that are not there, and free ones: MPICH."""


def main() -> None:
    """Simulate every cell, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collectives", default="bcast,allreduce,reduce")
    parser.add_argument("--clusters", default="leaf-spine,cyclic")
    parser.add_argument("--rates", default="1Gbit,10Gbit,25Gbit,100Gbit")
    parser.add_argument("--sizes", default="1KiB,8KiB,64KiB,1MiB,16MiB")
    parser.add_argument("--host-costs", default="free,mpich,openmpi")
    parser.add_argument("--out", type=Path, help="append a line of JSON for each cell")
    given = parser.parse_args()
    errors: dict[tuple[str, str, str, str], list[float]] = {}
    for collective, name, costs, rate in product(
        *(words.split(",") for words in (given.collectives, given.clusters, given.host_costs, given.rates))
    ):
        cluster = _core.scaled(load_cluster(name), parse_rate(rate))
        library = LIBRARY_OF.get(costs, _core.NativeLibrary.mpich)
        sizes = parse_sizes(given.sizes)
        job = Job(collective, cluster, bounded_placement(cluster, 1), 0, sizes, {}, costs, library)
        for row in simulate_all(job, simulated_algorithms(collective, ["auto"])):
            error = predicted_seconds(job, row) / row.seconds_median - 1.0
            kind = "native" if row.native_algorithm else "ours"
            errors.setdefault((collective, name, costs, kind), []).append(error)
            ran = row.native_algorithm or f"{row.ran}:{row.segment_bytes}"
            cell = f"{collective} {name} {costs} {format_rate(row.rate_bps)} {format_bytes(row.message_bytes)}"
            if abs(error) > MOST_ERROR:
                print(f"{cell}: {kind}, {ran} predicted {error:+.0%} of {row.seconds_median * 1e6:.1f} us", flush=True)
            if given.out:
                with given.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"kind": kind, "error": error, **row.as_json()}) + "\n")
    for case, found in errors.items():
        within = sum(abs(error) <= MOST_ERROR for error in found)
        print(f"{' '.join(case)}: {within} of {len(found)} within 20 %, from {min(found):+.0%} to {max(found):+.0%}")


def predicted_seconds(job: Job, row: Row) -> float:
    """Of what the row ran, in its segments."""
    knowledge = _core.Knowledge(job.cluster, job.library, "", "", host_costs=job.host_costs)
    if row.native_algorithm:
        found = _core.Decider(knowledge, job.collective, job.placement, job.root).predictions(row.message_bytes)
        return next(one.seconds for one in found if one.algorithm == "native")
    plan = _core.lay(job.collective, row.ran, job.cluster, job.placement, job.root)
    return knowledge.costs_of(job.placement, plan, job.collective).seconds(row.message_bytes, row.segment_bytes)


if __name__ == "__main__":
    main()
