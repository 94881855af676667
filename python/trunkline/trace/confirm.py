"""A suggestion confirmed: the job runs with the plan as it was and as it would be, in turns, and leaves traces."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, BinaryIO

from trunkline.compat import zip_equal
from trunkline.errors import BadInput, Failed
from trunkline.statistics import Median, median_with_interval
from trunkline.trace.analysis import Analysed, analyse, find_group
from trunkline.trace.folder import find_job
from trunkline.trace.suggest import AnyStep

MOST_SAID = 2000
"""Characters of what a failed job said."""


@dataclass(frozen=True)
class Confirmation:
    """What a step brought."""

    step: AnyStep
    gain: Median
    """How many times faster, a value for each pair of jobs."""
    before_us: float
    """Mean time of a call; the median of the jobs."""
    after_us: float

    @property
    def is_gain(self) -> bool:
        """Whether every likely value is one."""
        return self.gain.low > 1.0

    @property
    def is_loss(self) -> bool:
        """Whether every likely value is one."""
        return self.gain.high < 1.0

    @property
    def text(self) -> str:
        """For people."""
        found = "confirmed" if self.is_gain else "refuted" if self.is_loss else "not certain"
        return (
            f"{found}: {self.step.words}: {self.gain.value:.2f} times faster ({self.gain.low:.2f} to "
            f"{self.gain.high:.2f} in {self.gain.count} pairs of jobs; predicted {self.step.gain:.2f}); "
            f"a call took {self.before_us:.0f} µs, and takes {self.after_us:.0f} µs"
        )

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "edit": self.step.words,
            "predicted_gain": self.step.gain,
            "gain": self.gain.value,
            "gain_low": self.gain.low,
            "gain_high": self.gain.high,
            "pairs": self.gain.count,
            "before_us": self.before_us,
            "after_us": self.after_us,
        }


def confirm(
    step: AnyStep,
    traced: Analysed,
    command: Sequence[str],
    pairs: int,
    folder: Path,
    show: Callable[[str], None] = lambda _: None,
) -> Confirmation:
    """Run a job with and without a step, in turns.

    Args:
        step: Of :func:`trunkline.trace.suggest.advice_for`.
        traced: The calls that it was suggested for.
        command: Starts the job; settings of ranks reach it by its environment.
        pairs: Jobs of each plan.
        folder: Empty; where plans and traces are written, for the ranks to reach.
        show: Told after each job.

    Raises:
        BadInput: where the command is no program.
        Failed: where a job fails, or does not run the plan.
    """
    told = {"as it was": {"TRUNKLINE_PLAN": str(Path(step.file).absolute())}, step.words: step.settings(folder)}
    times: dict[str, list[float]] = {name: [] for name in told}
    for turn in range(pairs):
        for number, (name, settings) in enumerate(told.items()):
            trace = folder / f"{turn}-{number}"
            trace.mkdir()
            times[name].append(_mean_us(command, settings, trace, traced))
            show(f"pair {turn + 1} of {pairs}: {name}")
    ratios = [old / new for old, new in zip_equal(*times.values())]
    return Confirmation(step, median_with_interval(ratios), *map(median, times.values()))


def _last_of(said: BinaryIO) -> str:
    said.seek(max(0, said.seek(0, os.SEEK_END) - MOST_SAID))
    return said.read(MOST_SAID).decode(errors="replace").strip()


def _mean_us(command: Sequence[str], told: Mapping[str, str], trace: Path, traced: Analysed) -> float:
    """Of the calls in question, in one job."""
    settings = {**told, "TRUNKLINE_TRACE": str(trace)}
    with tempfile.TemporaryFile() as said:  # a program may say more than fits into memory
        try:
            done = subprocess.run(
                command,
                env=os.environ | settings,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except OSError as error:
            raise BadInput(f"cannot run '{command[0]}': {error.strerror}") from error
        if done.returncode != 0:
            raise Failed(f"the job ended with status {done.returncode}: {' '.join(command)}\n{_last_of(said)}")
    if not any(trace.glob("*.trace")):
        raise Failed(
            f"the job left no trace: {' and '.join(settings)} did not reach its ranks; "
            f"start it with 'trunkline run' or 'trunkline lab run': {' '.join(command)}"
        )
    found = find_group(analyse(find_job(str(trace))).groups, traced)
    wants_native = all(value == "native" for value in told.values())
    if found is None or found.group.is_native != wants_native:
        raise Failed(
            f"the job did not run {' '.join(told.values())} for a {traced.group.collective} of {traced.group.bytes} "
            f"bytes: run the program that was traced, with as many ranks on the same hosts: {' '.join(command)}"
        )
    return found.time.mean
