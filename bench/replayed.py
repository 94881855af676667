# SPDX-License-Identifier: Apache-2.0
"""How near predicted and replayed times come to simulated ones: ``python bench/replayed.py``.

Reads the cells of evidence that are Trunkline's own. Takes their times by the formulas of ``auto`` and by a replay of
the plan's messages (core/replay). Counts those within 15 and 30 % by cluster and by collective. ``--list`` prints the
cells beyond.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trunkline import _core
from trunkline.evidence.cells import Cell, kept_file, laid, read_cells
from trunkline.evidence.spread import FAR, NEAR, compared


@dataclass(frozen=True)
class Both:
    """One cell, and the errors of both ways to know its time beforehand: over the simulated time, less one."""

    cell: Cell
    by_formula: float
    by_replay: float


def both(cells: Iterable[Cell]) -> list[Both]:
    """Both errors of each cell."""
    found = []
    for one in compared(cells):
        cell = one.cell
        sizes = (cell.message_bytes, cell.segment_bytes)
        formula = _core.costs_of(*laid(cell), cell.collective, cell.host_costs).seconds(*sizes)
        replayed = _core.replayed_seconds(*laid(cell), cell.collective, *sizes, cell.host_costs)
        found.append(Both(cell, formula / cell.seconds - 1.0, replayed / cell.seconds - 1.0))
    return found


def own_cells(file: str) -> list[Cell]:
    """Those that are no library's."""
    return [cell for cell in read_cells(file) if not cell.library]


def table(rows: list[Both]) -> Iterator[str]:
    """Markdown: of each cluster, then of each collective."""
    yield "| | cells | formulas: within 15 % | within 30 % | replay: within 15 % | within 30 % | mean errors |"
    yield "|---|---|---|---|---|---|---|"
    groups: dict[str, list[Both]] = defaultdict(list)
    for row in rows:
        groups[f"`{row.cell.cluster}`, {row.cell.host_costs}"].append(row)
    for row in rows:
        groups[row.cell.collective].append(row)
    groups["all"] = rows
    for name, some in groups.items():
        errors = [[abs(row.by_formula) for row in some], [abs(row.by_replay) for row in some]]
        counts = " | ".join(str(sum(error <= limit for error in of)) for of in errors for limit in (NEAR, FAR))
        means = ", ".join(f"{sum(of) / len(of):.1%}" for of in errors)
        yield f"| {name} | {len(some)} | {counts} | {means} |"


def main() -> None:
    """Compare the cells there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evidence", type=Path)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    rows = both(own_cells(str(given.evidence) if given.evidence else kept_file()))
    print("\n".join(table(rows)))
    for row in rows if given.list else []:
        if abs(row.by_replay) > NEAR:
            print(f"{row.by_formula:+.0%} by formula, {row.by_replay:+.0%} by replay: {row.cell}")


if __name__ == "__main__":
    main()
