"""What tests of jobs know in every room: where things were built, and how a job of an MPI library is started."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("TRUNKLINE_BUILD", "build/dev")
"""`cmake --build --preset dev` makes all that is needed there."""
AS_ROOT = dict.fromkeys(
    (
        *("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"),
        *("PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"),
    ),
    "1",
)
"""Open MPI wants to be told that root is allowed, 5 by other names than 4."""

os.environ.setdefault("HWLOC_COMPONENTS", "-pci,-linuxio")
"""Debian's MPI libraries read all that the kernel knows of PCI as each rank starts: a sixth of a short job's time."""


def run_job(
    words: Sequence[Any], *, again: bool = True, said: Path | None = None, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """Runs a job to its end, as text; one that takes too long tells what it had said.

    What its ranks write into the file `said`, if there is one by then, stands behind its standard error.

    Open MPI 4's launcher may miss that a rank has ended in order, in one job of some hundreds on a busy machine
    (https://github.com/open-mpi/ompi/issues/7833). Such a job is started once more, where `again` allows that. A rank
    that really leaves without MPI_Finalize does so again.
    """
    done = _to_its_end(words, said, options)
    if again and done.returncode == 1 and "exiting improperly" in (done.stderr or ""):
        if said is not None:
            said.unlink(missing_ok=True)
        done = _to_its_end(words, said, options)
    return done


def _to_its_end(words: Sequence[Any], said: Path | None, options: dict[str, Any]) -> "subprocess.CompletedProcess[str]":
    options = {"capture_output": True, "text": True, "check": False} | options
    try:
        done = subprocess.run(words, **options)
    except subprocess.TimeoutExpired as late:
        late.add_note("\n".join([" ".join(map(str, words)), _text(late.stdout), _text(late.stderr), _said_in(said)]))
        raise
    if more := _said_in(said):
        done.stderr += more
    return done


def _said_in(file: Path | None) -> str:
    return file.read_text(errors="replace") if file is not None and file.exists() else ""


def _text(said: bytes | str | None) -> str:
    """What a program had said by the time it was ended."""
    return said.decode(errors="replace") if isinstance(said, bytes) else said or ""
