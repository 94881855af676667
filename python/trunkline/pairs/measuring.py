"""The program that measures, and a job of it that somebody else may end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

from trunkline.errors import BadInput, Failed
from trunkline.files import LARGEST_TEXT, read_regular_text
from trunkline.mpi import BUILD_IT, Mpi
from trunkline.paths import mpi_program
from trunkline.temporary import temporary_folder

PAIRS_SIZE = "16KiB"
"""Long enough for headers to count little, short enough to be sent at once under every library."""
_ENDING_S = 5.0
"""What a launcher gets to end its ranks."""
_LAST_LINES = 6


def measuring_program(library: Mpi) -> Path:
    """The program behind ``trunkline measure``.

    Raises:
        BadInput: where none was built for that library.
    """
    program = mpi_program("measure", library.name)
    if program.exists():
        return program
    if library.counts_as != library.family:
        raise BadInput(f"there is no measuring program for {library.name}; measure with --mpi {library.counts_as}")
    raise BadInput(f"nothing was built for {library.name}; now that it is installed, run {BUILD_IT}")


def measure_pairs(
    launcher: Sequence[str],
    library: Mpi,
    cluster_file: Path,
    *,
    most_pairs: int,
    only: Sequence[tuple[str, str]] = (),
    message_bytes: int,
    least: int,
    budget_s: float,
    patience_s: float,
    most_s: float,
    environment: Mapping[str, str],
) -> str:
    """What a job of the measuring program wrote: JSON of pairs.

    Args:
        launcher: What starts it, up to the program: ``mpiexec -n 4``.
        library: The launcher's.
        cluster_file: The cluster, as the ranks can read it.
        most_pairs: Of more, a sample that tells the links apart.
        only: These pairs of hosts, by name; empty: all of them.
        message_bytes: Of the messages of the streams that bandwidth is taken from; 16 at least are a stream.
        least: Fewest samples of a figure.
        budget_s: How long a figure is repeated that varies.
        patience_s: How long a pair may take.
        most_s: After which the job is ended.
        environment: Of the launcher.

    Raises:
        Failed: where the job did not end, or ended in failure, with its last words.
    """
    with temporary_folder("monitor") as folder:
        output = folder / "pairs.json"
        words = [
            *launcher,
            str(measuring_program(library)),
            *("--cluster", str(cluster_file.resolve()), "--output", str(output)),
            *("--sizes", str(message_bytes), "--noise", "1", "--budget", str(budget_s)),
            *("--date", datetime.now(timezone.utc).isoformat(timespec="seconds")),
            *("--least", str(least), *(("--only", ",".join(f"{a}={b}" for a, b in only)) if only else ())),
            *("--pairs", str(most_pairs), "--patience", str(patience_s)),
        ]
        said, status = _run(words, most_s, environment)
        last = "\n".join(said.strip().splitlines()[-_LAST_LINES:])
        if status is None:
            raise Failed(f"measuring has not ended within {most_s:g} s and was ended\n{last}")
        if status != 0:
            raise Failed(f"measuring failed (exit status {status}): {last or 'without a word'}")
        if not output.exists():
            raise Failed("measuring left no file; the first rank must run on this machine")
        return read_regular_text(output, LARGEST_TEXT)


def _run(words: Sequence[str], most_s: float, environment: Mapping[str, str]) -> tuple[str, int | None]:
    """What was said on standard error, and the exit status; None: it was ended."""
    try:
        job = subprocess.Popen(
            words,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise BadInput(f"cannot start {words[0]}: {error.strerror}") from error
    try:
        return job.communicate(timeout=most_s)[1], job.returncode
    except subprocess.TimeoutExpired:
        return _ended(job), None
    except BaseException:
        _ended(job)
        raise


def _ended(job: subprocess.Popen[str]) -> str:
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(job.pid, how)
        except ProcessLookupError:
            break
        try:
            return job.communicate(timeout=_ENDING_S)[1]
        except subprocess.TimeoutExpired:
            continue
    return job.communicate()[1]
