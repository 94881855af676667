#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the choice is at every rate: ``auto`` beside all of our algorithms, other segments and rivals, simulated.

tools/choice_table.py --clusters cyclic,paper-1 --rates 1Gbit,10Gbit --sizes 1KiB,64KiB,1MiB --out rows.jsonl
tools/choice_table.py --summary rows.jsonl

A line of the output is one algorithm at one size, with its prediction. What is there already is not simulated again.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.peers.simulated import SELECTORS, simulated_algorithms
from trunkline.placement import bounded_placement
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import Row, simulate_all
from trunkline.units import format_bytes, format_rate, parse_rate, parse_sizes

RIVALS = "mpich,ompi,mvapich2"
OTHER_SEGMENTS = (0.25, 0.5, 2.0, 4.0)
"""Of the chosen one: whether another segment would have been better."""
MOST_OF_OWN = 1.1
MOST_OF_RIVALS = 1.02
MOST_ERROR = 0.2
RACE = 1.5
"""What takes longer than so many times the fastest before it is given up."""

Line = dict[str, Any]


def main() -> None:
    """Simulate what is not there yet, or sum up what is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collectives", default="bcast")
    parser.add_argument("--clusters", default="cyclic,paper-1,paper-4,leaf-spine,random:256x16")
    parser.add_argument("--rates", default="100Mbit,1Gbit,10Gbit,25Gbit,100Gbit")
    parser.add_argument("--sizes", default="1KiB,8KiB,64KiB,1MiB,16MiB")
    parser.add_argument("--host-costs", default="free,mpich")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--auto-only", action="store_true", help="simulate 'auto' anew; the others stay as they are")
    parser.add_argument("--summary", type=Path)
    given = parser.parse_args()
    if given.summary:
        print_summary(read_lines(given.summary))
        return
    if not given.out:
        parser.error("give --out or --summary")
    fill(given)


def fill(given: argparse.Namespace) -> None:
    """Append a line for each algorithm, case by case."""
    keeps = given.out.exists() and not given.auto_only
    there = {case_of(line) for line in read_lines(given.out)} if keeps else set()
    sizes = parse_sizes(given.sizes)
    for collective, name, rate, costs in product(
        given.collectives.split(","), given.clusters.split(","), given.rates.split(","), given.host_costs.split(",")
    ):
        rate_bps = parse_rate(rate)
        cluster = _core.scaled(load_cluster(name), rate_bps)
        left = [size for size in sizes if (collective, name, rate_bps, costs, size) not in there]
        if not left:
            continue
        job = Job(collective, cluster, bounded_placement(cluster, 1), 0, left, {}, costs)
        with given.out.open("a", encoding="utf-8") as out:
            for line in lines_of(job, name, rate_bps, given.auto_only):
                out.write(json.dumps(line) + "\n")
        print(f"{collective} {name} {rate} {costs}: done", file=sys.stderr, flush=True)


def lines_of(job: Job, name: str, rate_bps: float, auto_only: bool) -> Iterator[Line]:
    """One job's lines: ``auto`` first, so that what is much slower is given up."""
    # One rank on each host: those for shared hosts are like others. SimGrid has no multicast.
    own = [one.name for one in _core.candidates(job.collective) if one.role not in ("shared hosts", "to all at once")]
    wanted = ["auto"] if auto_only else ["auto", *own, *RIVALS.split(",")]
    rows = simulate_all(job, simulated_algorithms(job.collective, wanted), RACE)
    if not auto_only:
        rows += other_segments(job, rows)
    for row in rows:
        yield {
            "cluster_name": name,
            "asked_rate_bps": rate_bps,
            "host_costs": job.host_costs,
            "seconds_predicted": predicted(job, row),
            **row.as_json(),
        }


def other_segments(job: Job, rows: list[Row]) -> Iterator[Row]:
    """The fastest pipelined one of each size again, in other segments."""
    for size in job.sizes:
        own = [row for row in rows if row.message_bytes == size and row.segment_bytes and not row.gave_up]
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


def case_of(line: Line) -> tuple[str, str, float, str, int]:
    """What is compared with each other."""
    return (
        line["collective"],
        line["cluster_name"],
        line["asked_rate_bps"],
        line["host_costs"],
        line["message_bytes"],
    )


def print_summary(lines: Iterable[Line]) -> None:
    """The cases where a bound is broken, then how many there are."""
    cases: dict[tuple[str, str, float, str, int], list[Line]] = defaultdict(list)
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
        bad = over_own > MOST_OF_OWN or over_rival > MOST_OF_RIVALS
        off = [(error, row) for error, row in errors if abs(error) > MOST_ERROR]
        missed += bad
        wrong += bool(off)
        if not bad and not off:
            continue
        collective, name, rate_bps, costs, size = case
        print(
            f"{collective:9} {name:14} {format_rate(rate_bps):>11} {costs:6} {format_bytes(size):>7} "
            f"auto {auto['ran']}:{auto['segment_bytes']} {seconds(auto) * 1e6:.1f} us"
            f"{'' if over_own <= MOST_OF_OWN else f'; {over_own:.2f} of {label(best)}'}"
            f"{'' if over_rival <= MOST_OF_RIVALS or not rival else f'; {over_rival:.2f} of {label(rival)}'}"
            + "".join(f"; {label(row)} {error:+.0%}" for error, row in off)
        )
    print(
        f"{len(cases)} cases: {missed} beyond {MOST_OF_OWN} of ours or {MOST_OF_RIVALS} of rivals, "
        f"{wrong} with a wrong prediction"
    )


def seconds(row: Line) -> float:
    """Simulated."""
    return float(row["seconds_median"])


def label(row: Line) -> str:
    """An algorithm with what it chose."""
    segment = f":{row['segment_bytes']}" if row["segment_bytes"] else ""
    return str(row["algorithm"] if row["algorithm"] in SELECTORS else row["ran"]) + segment


if __name__ == "__main__":
    main()
