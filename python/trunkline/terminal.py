"""What people see at the terminal while something runs and when it is done: one kind of progress bar, one of table."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

__all__ = ["Bar", "console", "progress_bar", "titled_table"]

console = Console(stderr=True)
"""For people: progress and tables. Data goes to standard output."""


class Bar:
    """A progress bar under way."""

    def __init__(self, progress: Progress, total: float | None, text: str) -> None:
        self._progress = progress
        self._task = progress.add_task(text, total=total)

    def show(self, text: str | None = None, *, done: float = 0, total: float | None = None) -> None:
        """Say what is under way, and how much more of the total is done; the total may become known late."""
        self._progress.update(self._task, description=text, advance=done, total=total)


@contextmanager
def progress_bar(total: float | None, text: str = "starting", *, seconds: bool = False) -> Iterator[Bar]:
    """A bar for as long as the ``with`` block takes; prints on :data:`console` go above it.

    Args:
        total: How much there is to do; None: not known yet.
        text: What is under way first.
        seconds: The total is an estimate in seconds, of which the rest is shown; else things that are counted.
    """
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}", markup=False)]
    columns += [BarColumn(bar_width=24), *([] if seconds else [MofNCompleteColumn()]), TimeElapsedColumn()]
    columns += [TimeRemainingColumn()] if seconds else []
    with Progress(*columns, console=console) as progress:
        yield Bar(progress, total, text)


def titled_table(
    title: str, *columns: str, left: Collection[str] = (), wrap: Collection[str] = (), tight: bool = False
) -> Table:
    """An empty table under a bold title.

    Args:
        title: May hold Rich markup.
        columns: Headings.
        left: Columns of words; all others are numbers, to the right.
        wrap: Columns that may take several lines where the terminal is narrow.
        tight: No space between columns, for wide tables.
    """
    padding = (0, 0) if tight else (0, 1, 0, 0)
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=padding)
    for column in columns:
        may_wrap = column in wrap
        table.add_column(
            column,
            justify="left" if column in left else "right",
            no_wrap=not may_wrap,
            overflow="fold" if may_wrap else "ellipsis",
        )
    return table
