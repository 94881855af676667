"""What benchmarks measured, for the terminal."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.bench.measure import Cell
from trunkline.registry import limit_in_transfers
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
    title = f"{place}, {first.ranks} ranks: {_core.facts_of(first.collective).mpi_name}, slowest rank, median"
    if first.impairments:
        title += f"; {escape(first.impairments)}"
    limit = limit_in_transfers(first.collective, first.hosts)
    beside = ["over limit"] if limit != 1.0 else []
    if beside:
        title += f"; limit {limit:.3g} T(m)"
    beside += [] if first.bound_seconds is None else ["bound", "over bound"]
    if first.root:
        title += f"; from rank {first.root}"
    if first.dealt:
        title += "; hosts dealt over sites"
    columns = ("MPI", "size", "T(m)", "algorithm", "time", "95 %", "over T", *beside, "gain", "n")
    words = ("MPI", "algorithm")
    table = titled_table(title, *columns, left=words, wrap=words, tight=True)
    for _, group in groupby(cells, key=lambda cell: (cell.mpi, cell.message_bytes)):
        rows = list(group)
        native = next((cell.seconds_median for cell in rows if cell.algorithm == "native"), None)
        for k, cell in enumerate(rows):
            head = (cell.mpi, format_bytes(cell.message_bytes), format_seconds(cell.limit_seconds))
            below = (cell.seconds_median - cell.seconds_low) / cell.seconds_median
            above = (cell.seconds_high - cell.seconds_median) / cell.seconds_median
            table.add_row(
                *(head if k == 0 else ("", "", "")),
                cell.algorithm if cell.algorithm == cell.ran else f"{cell.algorithm}: {segment_text(cell)}",
                format_seconds(cell.seconds_median),
                f"-{below * 100:.0f} +{above * 100:.0f}%",
                f"{cell.seconds_median / cell.limit_seconds:.2f}",
                *([f"{cell.seconds_median / cell.least_seconds:.2f}"] if limit != 1.0 else []),
                *_over_bound(cell),
                f"{native / cell.seconds_median:.2f}" if native else "",
                str(cell.repetitions),
                end_section=k == len(rows) - 1,
            )
    return table


def _over_bound(cell: Cell) -> list[str]:
    if cell.bound_seconds is None:
        return []
    return [format_seconds(cell.bound_seconds), f"{cell.seconds_median / cell.bound_seconds:.2f}"]
