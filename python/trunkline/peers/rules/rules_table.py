"""What was measured of an MPI library's own algorithms, for the terminal."""

from __future__ import annotations

import shlex

from rich.markup import escape
from rich.table import Table

from trunkline.mpi import Mpi
from trunkline.peers.rules.check import Honoured
from trunkline.peers.rules.files import PeerFiles
from trunkline.peers.rules.winners import own_settings
from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_seconds


def peer_table(mpi: Mpi, where: str, files: PeerFiles) -> Table:
    """The library's fastest own algorithm at each size, and whether it follows the file."""
    seen = {one.message_bytes: one for one in files.honoured}
    columns = ("size", "fastest", "time", "by itself", "tried", "file")
    title = f"{escape(where)} {mpi.version}: the library's own algorithms"
    table = titled_table(title, *columns, left=["fastest", "file"])
    for winner in files.winners:
        table.add_row(
            format_bytes(winner.message_bytes),
            winner.algorithm.name if winner.algorithm else "by itself",
            format_seconds(winner.seconds),
            format_seconds(winner.default_seconds),
            str(winner.tried),
            _verdict(seen.get(winner.message_bytes)),
        )
    return table


def peer_notes(mpi: Mpi, files: PeerFiles) -> list[str]:
    """How the file is loaded, what no file can ask for, and what failed: lines to be copied from as they are."""
    notes = [f"load it with {_words(files.settings)}"]
    for winner in files.winners:
        if winner.beyond:
            algorithm, seconds = winner.beyond
            settings = own_settings(mpi, algorithm, files.coordinates)
            notes.append(
                f"{format_bytes(winner.message_bytes)}: {algorithm.name} took {format_seconds(seconds)}; no file can "
                f"ask for it, the environment can: {_words(settings)}"
            )
    return notes + files.winners[-1].failures


def _words(settings: dict[str, str]) -> str:
    return " ".join(f"{key}={shlex.quote(value)}" for key, value in settings.items())


def _verdict(seen: Honoured | None) -> str:
    if seen is None:
        return "too short"
    if not seen.as_forced:
        return "[bold red]ignored[/]"
    return "as by itself" if seen.as_default else "followed"
