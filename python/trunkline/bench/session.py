"""A benchmark from start to table: lab up, each MPI in turn, progress, results for the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from trunkline._core import Cluster
from trunkline.bench.bcast import PING_PONG, Cell, Limits, measure
from trunkline.bench.bcast import Progress as Repetition
from trunkline.lab.rate import auto_rate
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.units import format_bytes, format_rate, format_seconds, parse_rate

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


def measure_with_progress(sessions: Sequence[Session], console: Console) -> list[Cell]:
    """Run the sessions one after the other, showing on ``console`` what is under way.

    Raises:
        TrunklineError: as :func:`trunkline.bench.bcast.measure` and the lab do.
    """
    cells: list[Cell] = []
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
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
            rate_bps = auto_rate(session.cluster) if session.rate == "auto" else parse_rate(session.rate)
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
                        lab, mpi, session.sizes, session.algorithms, session.limits, session.ranks_per_host, show
                    )
        progress.update(task, description="done")
    return cells


def segment_text(cell: Cell) -> str:
    """What ran in a cell: ``linear, 2824 B``, or nothing more than the algorithm's name."""
    return f"{cell.ran}, {cell.segment_bytes} B" if cell.segment_bytes else cell.ran


def cells_table(cells: Sequence[Cell]) -> Table:
    """The cells for the terminal: time, interval, and the ratios to T(m) and to native."""
    table = Table(title="MPI_Bcast: median of the slowest rank, 95 % interval", title_justify="left")
    for column in ("cluster", "rate", "MPI", "size", "T(m)"):
        table.add_column(column, justify="right" if column in ("rate", "size", "T(m)") else "left")
    table.add_column("algorithm")
    for column in ("time", "interval", "over T(m)", "native / this", "n"):
        table.add_column(column, justify="right")
    for _, group in groupby(cells, key=lambda c: (c.cluster, c.mpi, c.message_bytes)):
        rows = list(group)
        native = next((c.seconds_median for c in rows if c.algorithm == "native"), None)
        for k, cell in enumerate(rows):
            name = cell.algorithm if cell.algorithm == cell.ran else f"{cell.algorithm} ({segment_text(cell)})"
            head = (
                (
                    cell.cluster,
                    format_rate(cell.rate_bps),
                    cell.mpi,
                    format_bytes(cell.message_bytes),
                    format_seconds(cell.limit_seconds),
                )
                if k == 0
                else ("",) * 5
            )
            table.add_row(
                *head,
                name,
                format_seconds(cell.seconds_median),
                f"{format_seconds(cell.seconds_low)} - {format_seconds(cell.seconds_high)}",
                f"{cell.seconds_median / cell.limit_seconds:.2f}",
                f"{native / cell.seconds_median:.2f}" if native else "",
                str(cell.repetitions),
                end_section=k == len(rows) - 1,
            )
    return table
