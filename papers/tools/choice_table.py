#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the choice is at every rate: ``auto`` beside all of our algorithms, other segments and rivals, simulated.

papers/tools/choice_table.py --clusters cyclic,paper-1 --rates 1Gbit,10Gbit --sizes 1KiB,64KiB,1MiB --out rows.jsonl
papers/tools/choice_table.py --collectives allgather --hosts 3,8,32 --each-rank --sizes 8,1KiB,64KiB --out rows.jsonl
papers/tools/choice_table.py --summary rows.jsonl

A line of the output is one algorithm at one size, with its prediction. What is there already is not simulated again.
``auto`` is what it runs once its multicast group is open: in a job that takes some calls, which are not simulated.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import SELECTORS, simulated_algorithms
from trunkline.placement import placement_on
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import Row, simulate_all
from trunkline.units import format_bytes, format_rate, parse_rate, parse_sizes

RIVALS = "mpich,ompi,mvapich2,smpi-ompi"
"""What ``ompi`` selects is not known here for every collective; SMPI has rules of its own by that name."""
_ELEMENT_BYTES = 4
"""Of what reductions add in a simulation; shares that are not reduced could be of any length."""
OTHER_SEGMENTS = (0.25, 0.5, 2.0, 4.0)
"""Of the chosen one: whether another segment would have been better."""
MOST_OF_OWN = 1.1
MOST_OF_RIVALS = 1.02
MOST_ERROR = 0.2
RACE = 1.5
"""What takes longer than so many times the fastest before it is given up."""

Line = dict[str, Any]
Case = tuple[str, str, float, str, int, int]
"""Collective, cluster, rate in bit/s, what hosts cost, ranks, bytes of the message."""


def main() -> None:
    """Simulate what is not there yet, or sum up what is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collectives", default="bcast")
    parser.add_argument("--clusters", default="cyclic,paper-1,paper-4,leaf-spine,random:256x16")
    parser.add_argument("--rates", default="100Mbit,1Gbit,10Gbit,25Gbit,100Gbit")
    parser.add_argument("--sizes", default="1KiB,8KiB,64KiB,1MiB,16MiB")
    parser.add_argument("--each-rank", action="store_true", help="the sizes are those of each rank's share")
    parser.add_argument("--hosts", default="", help="so many first ones of each cluster that has them; else all")
    parser.add_argument("--ranks-per-host", type=int, default=1, help="on every host; a file holds one number of them")
    parser.add_argument("--host-costs", default="free,mpich")
    parser.add_argument("--no-other-segments", action="store_true", help="each algorithm in its own segments alone")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--auto-only", action="store_true", help="simulate 'auto' anew; the others stay as they are")
    parser.add_argument("--summary", type=Path)
    parser.add_argument("--by-rate", action="store_true", help="the summary as a table of rates and sizes")
    parser.add_argument("--most", type=float, default=MOST_OF_OWN, help="times our best algorithm that are told")
    given = parser.parse_args()
    if given.summary and given.by_rate:
        print_by_rate(read_lines(given.summary))
        return
    if given.summary:
        print_summary(read_lines(given.summary), given.most)
        return
    if not given.out:
        parser.error("give --out or --summary")
    fill(given)


def fill(given: argparse.Namespace) -> None:
    """Append a line for each algorithm, case by case."""
    keeps = given.out.exists() and not given.auto_only
    there = {case_of(line) for line in read_lines(given.out)} if keeps else set()
    hosts = [int(number) for number in given.hosts.split(",") if number]
    for collective, name, rate, costs, used in product(
        given.collectives.split(","),
        given.clusters.split(","),
        given.rates.split(","),
        given.host_costs.split(","),
        hosts or [None],
    ):
        rate_bps = parse_rate(rate)
        cluster = _core.scaled(load_cluster(name), rate_bps)
        if used is not None and used > len(cluster.hosts):
            continue
        placement = placement_on(cluster, given.ranks_per_host, used)
        ranks = len(placement)
        sizes = sizes_for(collective, parse_sizes(given.sizes), ranks, given.each_rank)
        left = [size for size in sizes if (collective, name, rate_bps, costs, ranks, size) not in there]
        if not left:
            continue
        job = Job(collective, cluster, placement, 0, left, {}, costs)
        with given.out.open("a", encoding="utf-8") as out:
            for line in lines_of(job, name, rate_bps, given):
                out.write(json.dumps(line) + "\n")
        print(f"{collective} {name} {rate} {costs}, {ranks} ranks: done", file=sys.stderr, flush=True)


def sizes_for(collective: str, sizes: Sequence[int], ranks: int, each_rank: bool) -> list[int]:
    """Bytes of whole messages; where all ranks' shares have one length, up to a multiple of 4 bytes for each rank."""
    even = _core.facts_of(collective).even_shares
    unit = (1 if each_rank else _ELEMENT_BYTES) * ranks if even else 1
    whole = [size * ranks if each_rank else size for size in sizes]
    return list(dict.fromkeys(-(-size // unit) * unit for size in whole))


def lines_of(job: Job, name: str, rate_bps: float, given: argparse.Namespace) -> Iterator[Line]:
    """One job's lines: ``auto`` first, so that what is much slower is given up."""
    # With one rank on each host those for shared hosts are like others. Multicasts come last: they are so fast that
    # nothing else would be simulated to its end.
    roles = {one.name: one.role for one in _core.candidates(job.collective)}
    left_out = ["to all at once"] + ([] if job.cluster.has_sites else ["sites"])
    left_out += ["shared hosts"] if given.ranks_per_host == 1 else []
    own = [name for name, role in roles.items() if role not in left_out]
    last = [name for name, role in roles.items() if role == "to all at once"]
    wanted = ["auto", *last] if given.auto_only else ["auto", *own, *RIVALS.split(","), *last]
    rows = simulate_all(job, simulated_algorithms(job.collective, wanted), RACE)
    if not (given.auto_only or given.no_other_segments):
        rows += other_segments(job, rows)
    rows += with_group(job, rows)
    for row in rows:
        yield {
            "cluster_name": name,
            "asked_rate_bps": rate_bps,
            "host_costs": job.host_costs,
            "seconds_predicted": predicted(job, row),
            **row.as_json(),
        }


def with_group(job: Job, rows: list[Row]) -> list[Row]:
    """What ``auto`` runs once its group is open, where that is a multicast: as fast as the one that was forced."""
    knowledge = _core.Knowledge(job.cluster, job.library, "", "", host_costs=job.host_costs)
    decider = _core.Decider(knowledge, job.collective, job.placement, job.root)
    decided = {size: decider.decide(size) for size in job.sizes}
    chosen = {size: one.algorithm for size, one in decided.items() if one.wants_datagrams}
    return [replace(row, algorithm="auto") for row in rows if row.algorithm == chosen.get(row.message_bytes)]


def other_segments(job: Job, rows: list[Row]) -> Iterator[Row]:
    """The fastest pipelined one of each size again, in other segments; a multicast's are datagrams in any case."""
    cut = [row for row in rows if row.segment_bytes and not row.gave_up and row.ran != "multicast"]
    for size in job.sizes:
        own = [row for row in cut if row.message_bytes == size]
        if not own:
            continue
        best = min(own, key=lambda row: row.seconds_median)
        segments = {min(size, round(part * best.segment_bytes)) for part in OTHER_SEGMENTS}
        names = [f"{best.ran}:{segment}B" for segment in sorted(segments - {best.segment_bytes}) if segment >= 64]
        one_size = Job(job.collective, job.cluster, job.placement, job.root, [size], job.options, job.host_costs)
        yield from simulate_all(one_size, simulated_algorithms(job.collective, names), 0.0)


def predicted(job: Job, row: Row) -> float | None:
    """Seconds; None for what only rivals run."""
    native = "native" in (row.ran, row.ran or "native") or row.algorithm in SELECTORS
    if native:
        if row.algorithm not in ("auto", "mpich", "ompi"):
            return None
        library = _core.NativeLibrary.openmpi if row.algorithm == "ompi" else _core.NativeLibrary.mpich
        knowledge = _core.Knowledge(job.cluster, library, "", "", host_costs=job.host_costs)
        found = _core.Decider(knowledge, job.collective, job.placement, job.root).predictions(row.message_bytes)
        return next(one.seconds for one in found if one.algorithm == "native")
    plan = _core.lay(job.collective, row.ran, job.cluster, job.placement, job.root)
    costs = _core.costs_of(job.cluster, job.placement, plan, job.collective, job.host_costs)
    return costs.seconds(row.message_bytes, row.segment_bytes or row.message_bytes)


def read_lines(path: Path) -> list[Line]:
    """What an earlier run wrote."""
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def case_of(line: Line) -> Case:
    """What is compared with each other."""
    return (
        line["collective"],
        line["cluster_name"],
        line["asked_rate_bps"],
        line["host_costs"],
        line["ranks"],
        line["message_bytes"],
    )


def print_summary(lines: Iterable[Line], most_of_own: float) -> None:
    """The cases where a bound is broken, then how many there are."""
    cases: dict[Case, list[Line]] = defaultdict(list)
    for line in lines:
        cases[case_of(line)].append(line)
    missed = wrong = 0
    for case, rows in cases.items():
        own = [row for row in rows if row["algorithm"] not in RIVALS.split(",") and not row["gave_up"]]
        auto = [row for row in rows if row["algorithm"] == "auto"][-1]  # the newest
        best = min((row for row in own if row["algorithm"] != "auto"), key=seconds, default=auto)
        rivals = [row for row in rows if row["algorithm"] in RIVALS.split(",") and not row["gave_up"]]
        rival = min(rivals, key=seconds, default=None)
        over_own = seconds(auto) / seconds(best)
        over_rival = seconds(auto) / seconds(rival) if rival else 0.0
        errors = [(row["seconds_predicted"] / seconds(row) - 1.0, row) for row in own if row["seconds_predicted"]]
        bad = over_own > most_of_own or over_rival > MOST_OF_RIVALS
        off = [(error, row) for error, row in errors if abs(error) > MOST_ERROR]
        missed += bad
        wrong += bool(off)
        if not bad and not off:
            continue
        collective, name, rate_bps, costs, ranks, size = case
        print(
            f"{collective:9} {name:14} {format_rate(rate_bps):>11} {costs:6} {ranks:4} ranks "
            f"{format_bytes(size):>7} auto {auto['ran']}:{auto['segment_bytes']} {seconds(auto) * 1e6:.1f} us"
            f"{'' if over_own <= most_of_own else f'; {over_own:.2f} of {label(best)}'}"
            f"{'' if over_rival <= MOST_OF_RIVALS or not rival else f'; {over_rival:.2f} of {label(rival)}'}"
            + "".join(f"; {label(row)} {error:+.0%}" for error, row in off)
        )
    print(
        f"{len(cases)} cases: {missed} beyond {most_of_own} of ours or {MOST_OF_RIVALS} of rivals, "
        f"{wrong} with a wrong prediction"
    )


def print_by_rate(lines: Iterable[Line]) -> None:
    """A table of each collective: in how many cases ``auto`` multicasts, and the most that it takes of the best one.

    A case is a cluster with a number of hosts; the best one is of ours and of what the library of the ranks selects.
    """
    cells: dict[tuple[str, str, float], dict[float, list[tuple[bool, float]]]] = defaultdict(lambda: defaultdict(list))
    cases: dict[Case, list[Line]] = defaultdict(list)
    for line in lines:
        cases[case_of(line)].append(line)
    for (collective, _, rate_bps, costs, ranks, size), rows in cases.items():
        auto = [row for row in rows if row["algorithm"] == "auto"][-1]
        others = [row for row in rows if row["algorithm"] not in RIVALS.split(",")[1:] and not row["gave_up"]]
        share = size / ranks if _core.facts_of(collective).even_shares else size
        over = seconds(auto) / min(map(seconds, others))
        cells[collective, costs, rate_bps][share].append((auto["ran"] == "multicast", over))
    sizes = sorted({size for row in cells.values() for size in row})
    print("| collective | hosts cost | rate | " + " | ".join(format_bytes(round(size)) for size in sizes) + " |")
    print("|---" * (3 + len(sizes)) + "|")
    for (collective, costs, rate_bps), by_size in sorted(cells.items()):
        texts = []
        for size in sizes:
            found = by_size[size]
            most = max((over for _, over in found), default=0.0)
            texts.append(f"{sum(ran for ran, _ in found)} of {len(found)}, {most:.2f}" if found else "")
        print(f"| {collective} | {costs} | {format_rate(rate_bps)} | " + " | ".join(texts) + " |")


def seconds(row: Line) -> float:
    """Simulated."""
    return float(row["seconds_median"])


def label(row: Line) -> str:
    """An algorithm with what it chose."""
    segment = f":{row['segment_bytes']}" if row["segment_bytes"] else ""
    return str(row["algorithm"] if row["algorithm"] in SELECTORS else row["ran"]) + segment


if __name__ == "__main__":
    main()
