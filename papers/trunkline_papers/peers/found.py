"""The libraries that there are to measure against: those that Trunkline is preloaded into, LAM/MPI and PVM."""

import json

from trunkline.bench.job import program
from trunkline.mpi import Mpi, find_mpis
from trunkline_papers.paths import PROGRAMS, program_of

__all__ = ["find_peers", "timing_program"]


def find_peers() -> dict[str, Mpi]:
    """All of them, by name."""
    file = PROGRAMS / "mpis.json"
    entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return find_mpis() | {entry["name"]: Mpi(**entry) for entry in entries}


def timing_program(mpi: Mpi) -> str:
    """File of a library's timing program; it may not exist."""
    own = program_of(mpi.name)
    return str(own) if own.exists() or mpi.name not in find_mpis() else program(mpi)
