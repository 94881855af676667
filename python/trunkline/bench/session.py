"""A benchmark from start to table: lab up, each MPI in turn, progress, results for the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from trunkline._core import Cluster
from trunkline.bench.bcast import PING_PONG, Cell, Limits, measure
from trunkline.bench.bcast import Progress as Repetition
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.units import format_bytes, format_rate, format_seconds

__all__ = ["Session", "cells_table", "measure_with_progress", "segment_text"]


@dataclass(frozen=True)
class Session:
    """What is compared on one cluster."""

    cluster: Cluster
    mpis: Sequence[Mpi]
    sizes: Sequence[int]
    algorithms: Sequence[str]
    limits: Limits
    rate: str = "auto"
    """A rate with its unit, or ``auto``."""
    ranks_per_host: int = 1
    tuning: str | None = None
    """A tuning file that ``auto`` follows."""
    hosts: int | None = None
    """How many of the cluster's hosts, from the first one; None: all."""


def measure_with_progress(sessions: Sequence[Session], console: Console) -> list[Cell]:
    """Run the sessions one after the other, showing on ``console`` what is under way.

    Raises:
        TrunklineError: as :func:`trunkline.bench.bcast.measure` and the lab do.
    """
    cells: list[Cell] = []
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        total = sum(len(s.mpis) * len(s.sizes) * (len(s.algorithms) + 1) for s in sessions)
        task = progress.add_task("starting", total=total)
        for session in sessions:
            name = session.cluster.name
            progress.update(task, description=f"{name}: looking for the highest true rate")
            rate_bps = lab_rate(session.cluster, session.rate)
            with Lab(session.cluster, rate_bps=rate_bps) as lab:
                for mpi in session.mpis:
                    where = f"{name} at {format_rate(rate_bps)}, {mpi.name}"
                    progress.update(task, description=f"{where}: starting")

                    def show(repetition: Repetition, where: str = where) -> None:
                        what = "T" if repetition.algorithm == PING_PONG else repetition.algorithm
                        progress.update(
                            task,
                            description=f"{where}: {format_bytes(repetition.message_bytes)} {what} "
                            f"{format_seconds(repetition.seconds)}",
                            advance=1 if repetition.decided else 0,
                        )

                    cells += measure(
                        lab,
                        mpi,
                        session.sizes,
                        session.algorithms,
                        session.limits,
                        session.ranks_per_host,
                        show,
                        session.tuning,
                        session.hosts,
                    )
        progress.update(task, description="done")
    return cells


def segment_text(cell: Cell) -> str:
    """What ran in a cell: ``linear, 2824 B``, or nothing more than the algorithm's name."""
    return f"{cell.ran}, {cell.segment_bytes} B" if cell.segment_bytes else cell.ran


def cells_table(cells: Sequence[Cell]) -> Group:
    """The cells for the terminal, a table for each cluster: time, interval, and the ratios to T(m) and to native."""
    return Group(*(_table(list(rows)) for _, rows in groupby(cells, key=lambda cell: (cell.cluster, cell.rate_bps))))


def _table(cells: list[Cell]) -> Table:
    first = cells[0]
    place = f"{escape(first.cluster)} at {format_rate(first.rate_bps)}"
    title = f"{place}, {first.ranks} ranks: MPI_Bcast, slowest rank, median"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 0))
    for column in ("MPI", "size", "T(m)", "algorithm", "time", "95 %", "over T", "gain", "n"):
        left = column in ("MPI", "algorithm")
        table.add_column(column, justify="left" if left else "right", no_wrap=not left)
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
                f"{native / cell.seconds_median:.2f}" if native else "",
                str(cell.repetitions),
                end_section=k == len(rows) - 1,
            )
    return table
