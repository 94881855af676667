"""``trunkline trace top``: what the running job spends in collectives, live."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Annotated, Optional

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from trunkline.errors import BadInput
from trunkline.terminal import console, tell
from trunkline.trace.tables import top_table
from trunkline.trace.top import Look, Top

FolderArgument = Annotated[str, typer.Argument(metavar="FOLDER", help="What TRUNKLINE_TRACE named.")]
JobOption = Annotated[
    Optional[str],
    typer.Option(metavar="NAME", help="Which job, where the folder holds several; how it begins is enough."),
]

SILENT_INTERVALS = 3
"""After so many without a record it is said that there was none."""


def top(
    folder: FolderArgument,
    interval: Annotated[
        float, typer.Option(min=0.1, max=86_400, metavar="SECONDS", help="Time between two looks.")
    ] = 2.0,
    count: Annotated[
        Optional[int], typer.Option(min=1, metavar="N", help="Stop after N looks; default: when the job ends.")
    ] = None,
    job: JobOption = None,
) -> None:
    """What a running job spends in collectives: calls, time, and the ranks with most and least of it.

    Looks at the job's files again and again, and reads what is new. Waits for the job where it has not begun, and ends
    with it, or at ctrl-C. Where the output is no terminal, one table follows another.
    """
    watched = Top(folder, job)
    try:
        with Live(console=console, auto_refresh=False) if console.is_terminal else nullcontext() as live:
            found = _watch(watched, interval, count, live)
    except KeyboardInterrupt:
        return
    if found is None:
        raise BadInput(f"{watched.waits_for}, after {count} looks; run the job with TRUNKLINE_TRACE={folder}")


def _watch(watched: Top, interval: float, count: int | None, live: Live | None) -> Look | None:
    """The last look; None where no job has begun until then."""
    looks, found, has_told = 0, None, False
    while True:
        started = time.monotonic()
        found = watched.look()
        looks += 1
        is_last = looks == count or (found is not None and found.ended)
        if live is not None:
            live.update(
                Text(f"{watched.waits_for}: waiting for a job") if found is None else _shown(found, interval),
                refresh=True,
            )
        elif live is None and found is not None:
            console.print(_shown(found, interval))
        elif live is None and not has_told:
            tell(f"{watched.waits_for}: waiting for a job")
            has_told = True
        if is_last:
            return found
        time.sleep(max(0.0, started + interval - time.monotonic()))


def _shown(look: Look, interval: float) -> Group:
    """One table, and what the reader should know."""
    lines = [f"job {look.job}: {look.ranks} ranks, {look.mpi}"]
    lines += [f"note: {note}" for note in look.notes]
    if look.ended:
        lines.append("the job has ended; all of it:")
    elif look.silent_s > SILENT_INTERVALS * interval:
        lines.append(
            f"note: nothing new for {look.silent_s:.0f} s: all ranks compute or wait, or the program was killed"
        )
    spent = look.whole if look.ended else look.last
    table = top_table(look, spent, f"In collectives, {'whole job' if look.ended else 'last'} {spent.seconds:.1f} s")
    return Group(*(Text(line) for line in lines), table)
