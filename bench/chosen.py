# SPDX-License-Identifier: Apache-2.0
"""How near ``auto`` comes to its own best candidate, by replays of all of them: ``python bench/chosen.py``.

Of each call the fastest by formulas, what ``auto`` runs, and the fastest by replays (core/replay) of all candidates
that formulas hold to be within three times of the fastest. Datagrams reach no ranks, since no multicast is replayed.
Calls that stay native are left out. Prints how much longer than the fastest the first two take.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from trunkline import _core
from trunkline.cluster import load_cluster

NETWORKS = {
    "leaf-spine": (1e9, 1e10, 1e11),
    "cyclic": (1e9, 1e10),
    "random:24x6:3": (1e10,),
    "paper-4": (1e8, 1e9),
    "random:48x12:5": (2.5e10,),
}
RANKS_PER_HOST = (1, 2, 4)
COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "reduce-scatter")
SIZES = (512, 1024, 4096, 8192, 32768, 65536, 262144, 1 << 20)
LOOKED_AT = 3.0
"""Times as long as the fastest by a formula."""


@dataclass(frozen=True)
class Call:
    """One call, and its times by replays, seconds."""

    cluster: str
    by_formula_s: float
    """Of what a formula holds to be the fastest."""
    auto_s: float
    best_s: float


def calls() -> Iterator[Call]:
    """All that do not stay native."""
    for name, rates in NETWORKS.items():
        for rate in rates:
            network = _core.scaled(load_cluster(name), rate)
            knowledge = _core.Knowledge(network, _core.NativeLibrary.mpich, "", "", host_costs="mpich")
            for ranks in RANKS_PER_HOST:
                placement = _core.block_placement(network, ranks)
                for collective in COLLECTIVES:
                    yield from _of_one(name, network, knowledge, placement, collective)


def _of_one(
    name: str, network: _core.Cluster, knowledge: _core.Knowledge, placement: list[int], collective: str
) -> Iterator[Call]:
    decider = _core.Decider(knowledge, collective, placement, 0)
    plans: dict[str, _core.Plan] = {}

    def replayed_s(algorithm: str, size: int, segment: int) -> float:
        return _core.replayed_seconds(network, placement, plans[algorithm], collective, size, segment, "mpich")

    for size in SIZES:
        runs = decider.decide(size, datagrams=False)
        if runs.algorithm == "native":
            continue
        formulas = []
        for one in decider.predictions(size, datagrams=False):
            if one.algorithm == "native":
                continue
            if one.algorithm not in plans:
                plans[one.algorithm] = _core.lay(collective, one.algorithm, network, placement, 0)
            costs = _core.costs_of(network, placement, plans[one.algorithm], collective, "mpich")
            formulas.append((costs.seconds(size, one.segment_bytes), one.algorithm, one.segment_bytes))
        least_s = min(formulas)[0]
        times = {
            (name_of, segment): replayed_s(name_of, size, segment)
            for seconds, name_of, segment in formulas
            if seconds <= LOOKED_AT * least_s
        }
        auto_s = replayed_s(runs.algorithm, size, runs.segment_bytes)
        yield Call(name, times[min(formulas)[1:]], auto_s, min(auto_s, *times.values()))


def words(name: str, found: list[Call]) -> str:
    """A row of the table."""
    parts = []
    for lost in ([one.by_formula_s / one.best_s for one in found], [one.auto_s / one.best_s for one in found]):
        beyond = sum(one > 1.1 for one in lost)
        parts.append(f"{sum(lost) / len(lost):.3f} | {beyond} | {max(lost):.2f}")
    return f"| {name} | {len(found)} | {' | '.join(parts)} |"


def main() -> None:
    """Print Markdown."""
    by_cluster: dict[str, list[Call]] = defaultdict(list)
    begin = time.monotonic()
    for call in calls():
        by_cluster[f"`{call.cluster}`"].append(call)
        by_cluster["all"].append(call)
    print("| | calls | fastest by a formula: mean | beyond 1.1 | most | `auto`: mean | beyond 1.1 | most |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sorted(by_cluster, key=lambda one: one == "all"):
        print(words(name, by_cluster[name]))
    print(f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
