"""What benchmarks measured, for the terminal."""

from collections.abc import Sequence
from itertools import groupby
from typing import Optional

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.bench.cell import hidden_share
from trunkline.bench.measure import Cell
from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_rate, format_seconds


def segment_text(cell: Cell) -> str:
    """What ran in a cell: ``linear, 2824 B``, or nothing more than the algorithm's name."""
    return f"{cell.ran}, {cell.segment_bytes} B" if cell.segment_bytes else cell.ran


def cells_table(cells: Sequence[Cell]) -> Group:
    """The cells for the terminal, a table for each cluster: time, interval, and the ratios to T(m) and to native."""
    return Group(
        *(
            _cells(list(rows))
            for _, rows in groupby(cells, key=lambda cell: (cell.cluster, cell.rate_bps, cell.ranks, cell.impairments))
        )
    )


def _cells(cells: list[Cell]) -> Table:
    first = cells[0]
    place = f"{escape(first.cluster)} at {format_rate(first.rate_bps)}"
    title = f"{place}, {first.ranks} ranks: {_call(cells)}, slowest rank, median"
    if first.impairments:
        title += f"; {escape(first.impairments)}"
    if first.progress:
        title += f"; progress by {first.progress}"
    limit = _core.facts_of(first.collective).limit_in_transfers(first.hosts)
    beside = ["over limit"] if limit != 1.0 else []
    if beside:
        title += f"; limit {limit:.3g} T(m)"
    beside += [] if first.bound_seconds is None else ["bound", "over bound"]
    if first.root:
        title += f"; from rank {first.root}"
    if first.dealt:
        title += "; hosts dealt over sites"
    beside += ["hidden"] if any(cell.work_seconds for cell in cells) else []
    columns = ("MPI", "size", "T(m)", "algorithm", "time", "95 %", "over T", *beside, "gain", "n")
    words = ("MPI", "algorithm")
    table = titled_table(title, *columns, left=words, wrap=words, tight=True)
    for _, group in groupby(cells, key=lambda cell: (cell.mpi, cell.message_bytes)):
        rows = list(group)
        native = {cell.form: cell.seconds_median for cell in rows if cell.algorithm == "native"}
        alone = {cell.algorithm: cell.seconds_median for cell in rows if cell.form == "start"}
        for k, cell in enumerate(rows):
            head = (cell.mpi, format_bytes(cell.message_bytes), format_seconds(cell.limit_seconds))
            below = (cell.seconds_median - cell.seconds_low) / cell.seconds_median
            above = (cell.seconds_high - cell.seconds_median) / cell.seconds_median
            ran = cell.label if cell.algorithm == cell.ran else f"{cell.label}: {segment_text(cell)}"
            table.add_row(
                *(head if k == 0 else ("", "", "")),
                ran,
                format_seconds(cell.seconds_median),
                f"-{below * 100:.0f} +{above * 100:.0f}%",
                f"{cell.seconds_median / cell.limit_seconds:.2f}",
                *([f"{cell.seconds_median / cell.least_seconds:.2f}"] if limit != 1.0 else []),
                *_over_bound(cell),
                *([_hidden(cell, alone.get(cell.algorithm))] if "hidden" in beside else []),
                f"{native[cell.form] / cell.seconds_median:.2f}" if cell.form in native else "",
                str(cell.repetitions),
                end_section=k == len(rows) - 1,
            )
    return table


def _call(cells: Sequence[Cell]) -> str:
    facts = _core.facts_of(cells[0].collective)
    forms = {cell.form for cell in cells}
    return f"{facts.mpi_name}, {facts.nonblocking_name}" if "start" in forms else facts.mpi_name


def _hidden(cell: Cell, alone_s: Optional[float]) -> str:
    if cell.work_seconds is None or not alone_s:
        return ""
    return f"{hidden_share(alone_s, cell.seconds_median, cell.work_seconds):.0%}"


def _over_bound(cell: Cell) -> list[str]:
    if cell.bound_seconds is None:
        return []
    return [format_seconds(cell.bound_seconds), f"{cell.seconds_median / cell.bound_seconds:.2f}"]
