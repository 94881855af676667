"""What people see at the terminal while something runs and when it is done: one kind of progress bar, one of table."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
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
from rich.table import Table as RichTable
from rich.text import Text

_FEIGNS_A_TERMINAL = "OMPI_COMM_WORLD_RANK"
"""Set in ranks of Open MPI, whose output goes to a terminal of its own wherever the job's goes."""
_UNBOUNDED = 10_000
"""Columns where output goes elsewhere than to a terminal: no table is as wide, so none loses a column or a word."""
_IN_A_PIPE = 120
"""Columns of a table there whose words may wrap: a mail, an editor and a page of a terminal show them."""


def _console(*, stderr: bool, highlight: bool = True) -> Console:
    """One without colours and without a width in a pipe, in a file and in a job.

    What people ask for in the environment counts: COLUMNS, FORCE_COLOR, NO_COLOR.
    """
    stream = sys.stderr if stderr else sys.stdout
    is_terminal = stream.isatty() and _FEIGNS_A_TERMINAL not in os.environ
    return Console(
        stderr=stderr,
        highlight=highlight,
        force_terminal=None if is_terminal or "FORCE_COLOR" in os.environ else False,
        width=None if is_terminal or "COLUMNS" in os.environ else _UNBOUNDED,
    )


def output(*, highlight: bool = True) -> Console:
    """Standard output, for what people read of a result."""
    return _console(stderr=False, highlight=highlight)


console = _console(stderr=True)
"""For people: progress and tables. Data goes to standard output."""


def tell(text: str, where: Console = console, *, style: str | None = None) -> None:
    """A line for people as it stands: names in it are no markup, and it is not broken into several."""
    where.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


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


class Table(RichTable):
    """A table whose title is as wide as the terminal, not as the table."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        title, self.title = self.title, None
        if title:
            yield Text.from_markup(str(title), style="bold")
        if options.max_width >= _UNBOUNDED and not all(column.no_wrap for column in self.columns):
            least = self.__rich_measure__(console, options).minimum  # what may not wrap is shown whole
            options = options.update(width=max(_IN_A_PIPE, least), max_width=max(_IN_A_PIPE, least))
        yield from super().__rich_console__(console, options)
        self.title = title


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
    table = Table(title=title, box=SIMPLE_HEAD, padding=padding)
    for column in columns:
        may_wrap = column in wrap
        table.add_column(
            column,
            justify="left" if column in left else "right",
            no_wrap=not may_wrap,
            overflow="fold" if may_wrap else "ellipsis",
        )
    return table
