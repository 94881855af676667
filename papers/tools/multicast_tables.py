#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The simulated tables of docs/results/multicast-simulated.md: times of multicasts by link rate, size and receivers."""

import argparse
from collections.abc import Sequence

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.simulate.engine import Job, simulate
from trunkline.units import format_bytes, format_rate, format_seconds, parse_rate, parse_sizes

SMALL = {"smpi/bcast": "binomial_tree", "smpi/allreduce": "rdb"}
"""Of SMPI, for what ranks agree on before anything is timed."""


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", default="paper-4")
    parser.add_argument("--rates", default="100Mbit,1Gbit,10Gbit,25Gbit,100Gbit")
    parser.add_argument("--sizes", default="8,1KiB,8KiB,64KiB,1MiB,16MiB")
    parser.add_argument("--receivers", default="2,31", help="hosts besides the root's: the first ones of the cluster")
    parser.add_argument("--ranks-per-host", type=int, default=1)
    parser.add_argument(
        "--costs", default="free mpich", help="by spaces, as TRUNKLINE_HOST_COSTS: 'free mpich,datagram-send=1us'"
    )
    parser.add_argument("--measured", help="a file of 'trunkline measure': what datagrams cost, in place of --costs'")
    parser.add_argument("--predicted", action="store_true", help="and what the model says")
    given = parser.parse_args()
    sizes = parse_sizes(given.sizes)
    all_costs = given.costs.split()
    if given.measured:
        tables = _core.read_measurement(given.measured)
        all_costs = [_core.with_datagrams(one, tables) for one in all_costs]
    print("| rate | hosts cost | receivers | " + " | ".join(format_bytes(size) for size in sizes) + " |")
    print("|---" * (3 + len(sizes)) + "|", flush=True)
    for rate in given.rates.split(","):
        network = _core.scaled(load_cluster(given.cluster), parse_rate(rate))
        for costs in all_costs:
            for receivers in map(int, given.receivers.split(",")):
                placement = [host for host in range(receivers + 1) for _ in range(given.ranks_per_host)]
                cells = times(network, placement, sizes, costs, given.predicted)
                words = "nothing" if costs == "free" else costs
                print(
                    f"| {format_rate(parse_rate(rate))} | {words} | {receivers} | " + " | ".join(cells) + " |",
                    flush=True,
                )


def times(
    network: _core.Cluster, placement: Sequence[int], sizes: Sequence[int], costs: str, predicted: bool
) -> list[str]:
    """A cell for each size: the time, and how many times T(m) it is; or the model's over it."""
    job = Job("bcast", network, placement, 0, sizes, {}, costs)
    plan = _core.lay("bcast", "multicast", network, placement, 0)
    model = _core.costs_of(network, placement, plan, host_costs=costs) if predicted else None
    cells = []
    for one in simulate(job, "multicast", SMALL, {}):
        assert one.seconds is not None, "nothing is given up here"
        cell = f"{format_seconds(one.seconds)} ({one.seconds / one.limit_seconds:.2f})"
        if model is not None:
            cell += f", {model.seconds(one.message_bytes, one.segment_bytes) / one.seconds:.2f}"
        cells.append(cell)
    return cells


if __name__ == "__main__":
    main()
