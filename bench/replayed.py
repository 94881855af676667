# SPDX-License-Identifier: Apache-2.0
"""How near predicted and replayed times come to simulated ones: ``python bench/replayed.py``.

Reads bench/evidence/simulated.json, one simulated cell a line. Takes its time by the formulas of ``auto`` and by
a replay of the plan's messages (core/replay). Counts those within 15 and 30 % by cluster and by collective.
``--list`` prints the cells beyond. ``--add FILE`` adds what ``trunkline simulate --json FILE`` wrote; what was given up
is no time, and what ``auto`` or a library chose is left out.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.cluster import load_cluster

EVIDENCE = Path(__file__).parent / "evidence" / "simulated.json"
NEAR, FAR = 0.15, 0.30
Cell = dict[str, Any]


@dataclass(frozen=True)
class Compared:
    """One cell, and the errors of both ways to know its time beforehand: over the simulated time, less one."""

    cell: Cell
    by_formula: float
    by_replay: float


@lru_cache(maxsize=8)
def _network(name: str, rate_bps: float) -> _core.Cluster:
    cluster = load_cluster(name)
    return _core.scaled(cluster, rate_bps) if rate_bps else cluster


@lru_cache(maxsize=1)
def _laid(name: str, rate_bps: float, ranks_a_host: int, collective: str, algorithm: str) -> tuple[Any, Any, Any]:
    cluster = _network(name, rate_bps)
    placement = _core.block_placement(cluster, ranks_a_host)
    return cluster, placement, _core.lay(collective, algorithm, cluster, placement, 0)


def compared(cell: Cell) -> Compared:
    """Both errors of a cell."""
    laid = (cell["cluster"], cell["rate_bps"], cell["ranks_per_host"], cell["collective"], cell["algorithm"])
    cluster, placement, plan = _laid(*laid)
    sizes = (cell["message_bytes"], cell["segment_bytes"])
    costs = _core.costs_of(cluster, placement, plan, cell["collective"], cell["host_costs"])
    replayed = _core.replayed_seconds(cluster, placement, plan, cell["collective"], *sizes, cell["host_costs"])
    return Compared(cell, costs.seconds(*sizes) / cell["seconds"] - 1.0, replayed / cell["seconds"] - 1.0)


def read(path: Path) -> list[Cell]:
    """All cells, those of one plan in a row."""
    cells = json.loads(path.read_text(encoding="utf-8"))
    return sorted(cells, key=lambda cell: json.dumps(cell, sort_keys=True))


def write(path: Path, cells: Iterable[Cell]) -> None:
    """One a line, sorted, so that a change of the file shows which cells are new."""
    lines = sorted({json.dumps(cell, sort_keys=True) for cell in cells})
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def cells_of(rows: Iterable[dict[str, Any]]) -> Iterator[Cell]:
    """Rows of ``trunkline simulate --json`` as cells."""
    for row in rows:
        algorithm = row["algorithm"].partition(":")[0]
        if row["gave_up"] or row["native_algorithm"] or algorithm == "auto" or not row["segment_bytes"]:
            continue
        yield {
            "cluster": row["cluster"],
            "rate_bps": row["rate_bps"],
            "ranks_per_host": row["ranks"] // row["hosts"],
            "host_costs": row["host_costs"],
            "collective": row["collective"],
            "algorithm": algorithm,
            "segment_bytes": row["segment_bytes"],
            "message_bytes": row["message_bytes"],
            "seconds": row["seconds_median"],
        }


def table(all_compared: list[Compared]) -> Iterator[str]:
    """Markdown: of each cluster, then of each collective."""
    yield "| | cells | formulas: within 15 % | within 30 % | replay: within 15 % | within 30 % | mean errors |"
    yield "|---|---|---|---|---|---|---|"
    groups: dict[str, list[Compared]] = defaultdict(list)
    for one in all_compared:
        groups[f"`{one.cell['cluster']}`, {one.cell['host_costs']}"].append(one)
    for one in all_compared:
        groups[one.cell["collective"]].append(one)
    groups["all"] = all_compared
    for name, ones in groups.items():
        both = [[abs(one.by_formula) for one in ones], [abs(one.by_replay) for one in ones]]
        counts = " | ".join(str(sum(error <= limit for error in errors)) for errors in both for limit in (NEAR, FAR))
        means = ", ".join(f"{sum(errors) / len(errors):.1%}" for errors in both)
        yield f"| {name} | {len(ones)} | {counts} | {means} |"


def main() -> None:
    """Add cells, or compare those there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evidence", type=Path, default=EVIDENCE)
    parser.add_argument("--add", type=Path, action="append", default=[])
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    cells = read(given.evidence) if given.evidence.exists() else []
    if given.add:
        added = [cell for file in given.add for cell in cells_of(json.loads(file.read_text(encoding="utf-8")))]
        write(given.evidence, cells + added)
        return
    all_compared = [compared(cell) for cell in cells]
    print("\n".join(table(all_compared)))
    for one in all_compared if given.list else []:
        if abs(one.by_replay) > NEAR:
            print(f"{one.by_formula:+.0%} by formula, {one.by_replay:+.0%} by replay: {json.dumps(one.cell)}")


if __name__ == "__main__":
    main()
