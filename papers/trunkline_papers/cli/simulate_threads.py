"""``trunkline_papers simulate threads``: the allreduce paper's own runtime, simulated, beside its tables."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from trunkline.cli.options import CellsJsonOption, ClusterOption
from trunkline.cli.output import check_outputs, write_json
from trunkline.errors import BadInput
from trunkline.terminal import console, titled_table
from trunkline_papers.allreduce.configurations import STUDIES
from trunkline_papers.allreduce.missing import missing
from trunkline_papers.allreduce.paper_hosts import RUNTIMES
from trunkline_papers.allreduce.threads import Compared, Threads, compared

__all__ = ["threads"]


def threads(
    cluster: ClusterOption,
    json: CellsJsonOption = None,
) -> None:
    """Time the allreduce paper's configurations by its own runtime, on its own clusters: threads combine in memory.

    Steps, the stages of its tables 2 to 4, more threads a host, and what would have to cost how much where a gain
    of the paper is not reached. All follows from times of stages that the paper states; none is fitted to a gain.
    """
    check_outputs({"--json": json})
    if cluster not in STUDIES:
        raise BadInput(f"--cluster: the paper has no cluster '{cluster}'; it has: {', '.join(STUDIES)}")
    simulated = Threads(cluster)
    rows, what_if = compared(simulated), missing(simulated)
    if json:
        write_json([row.as_json() for row in (*rows, *what_if)], json)
    console.print(_table(f"{cluster}: simulated threads beside the paper", rows))
    if what_if:
        console.print(_table("What the gains would need", what_if))
    for name, runtime in RUNTIMES.items():
        if name in cluster.split("+"):
            console.print(f"{name}: {runtime.source}", style="dim", markup=False, highlight=False)


def _table(title: str, rows: list[Compared]) -> Table:
    columns = ("what", "where in the paper", "", "paper", "here", "verdict")
    table = titled_table(title, *columns, left=(*columns[:3], "verdict"), wrap=columns[:2], tight=True)
    for row in rows:
        paper = "" if row.paper is None else _number(row.paper, row.unit)
        table.add_row(escape(row.what), row.where, row.unit, paper, _number(row.here, row.unit), row.verdict)
    return table


def _number(value: float, unit: str) -> str:
    return f"{value:.0f}" if unit == "us" and value >= 100 else f"{value:.1f}" if unit == "us" else f"{value:.2f}"
