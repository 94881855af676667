"""The arrays of a generated file: what the steps of a plan are, as numbers."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, islice

from trunkline import _core
from trunkline.generate.periods import period_of
from trunkline.generate.runs import runs_of

__all__ = ["MOST_BLOCKS", "tables", "too_large"]

MOST_BLOCKS = 1 << 20
"""Largest product of ranks and blocks: each may have a transfer of its own, and all of them are looked at."""


def too_large(plan: _core.Plan) -> str:
    """What of a plan is too much for tables; empty: nothing is."""
    blocks = plan.blocks or 4 * plan.period
    if plan.trees is not None or len(plan) * blocks <= MOST_BLOCKS:
        return ""
    return f"{blocks} blocks for {len(plan)} ranks"


def tables(plan: _core.Plan) -> dict[str, object]:
    """What the template of the plan's kind takes, and which that is: a plan that is not too large."""
    if plan.trees is not None:
        return {"plan_part": "trees_plan.c.j2", "trees": len(plan.trees), **_trees(plan.trees)}
    if plan.blocks is not None:
        listed = plan.list_rounds(plan.blocks)
        return {
            "plan_part": "rounds_plan.c.j2",
            "trees": 0,
            "blocks": listed.blocks,
            "rounds": len(listed.rounds),
            **_runs(listed, len(plan)),
        }
    period = period_of(plan)
    return {
        "plan_part": "periods_plan.c.j2",
        "trees": 0,
        "period": plan.period,
        "order": _numbers(plan.order, "    "),
        "apart": _numbers(period.apart, "    "),
        "offsets": _short_rows(period.offsets),
    }


def _trees(trees: Sequence[_core.Tree]) -> dict[str, str]:
    """A row a tree: of lines their order, of any other trees parents and children."""
    children = [tree.children for tree in trees]
    if all(tree.max_degree == 1 for tree in trees):
        orders = []
        for tree, below in zip(trees, children, strict=True):
            orders.append([tree.root])
            while below[orders[-1][-1]]:
                orders[-1] += below[orders[-1][-1]]
        return {"orders": _rows(orders)}
    return {
        "orders": "",
        "parents": _rows([[-1 if parent is None else parent for parent in tree.parent] for tree in trees]),
        "begins": _rows([list(accumulate(map(len, below), initial=0)) for below in children]),
        "children": _rows([list(chain.from_iterable(below)) for below in children]),
    }


def _runs(listed: _core.RoundList, ranks: int) -> dict[str, object]:
    """A row a run, and how many the busiest rank has on one side."""
    runs = runs_of(listed)
    sent, received = [0] * ranks, [0] * ranks
    for run in runs:
        sent[run.sender] += 1
        received[run.receiver] += 1
    return {"runs": _short_rows(runs), "most_runs": max(*sent, *received)}


def _rows(table: Sequence[Sequence[int]]) -> str:
    """Numbers in columns, as the lines of an initializer of arrays."""
    width = _width(chain.from_iterable(table))
    return "\n".join(f"    {{\n{_numbers(numbers, '        ', width)}\n    }}," for numbers in table)


def _short_rows(table: Sequence[Sequence[int]]) -> str:
    """The same of rows that each fit on a line."""
    width = _width(chain.from_iterable(table))
    return "\n".join("    {" + ", ".join(f"{number:{width}}" for number in row) + "}," for row in table)


def _numbers(numbers: Iterable[int], indent: str, width: int = 0) -> str:
    """Numbers in columns, as the lines of an initializer of one array."""
    width = width or _width(numbers)
    rest = iter(numbers)
    lines = []
    while row := list(islice(rest, 16)):
        lines.append(indent + ", ".join(f"{number:{width}}" for number in row) + ",")
    return "\n".join(lines)


def _width(numbers: Iterable[int]) -> int:
    return max(len(str(number)) for number in numbers)
