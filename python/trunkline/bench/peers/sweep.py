"""``native-best``: the best over a library's own settings, found in a race of jobs that drops what falls behind."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trunkline.bench.job import Outcome
from trunkline.bench.peers.driver import Setting
from trunkline.errors import Failed

__all__ = ["Trial", "best_setting", "sweep"]

FALLS = 2
"""A setting is out once it was too slow at so many sizes in a row."""
HOPELESS = 2
"""A kind of algorithm is out once so many of its settings were too slow at most of their sizes."""
FINALISTS = 3
"""Settings of each size that are measured once more: the least of few values is too low by chance."""


@dataclass
class Trial:
    """One setting at one size.

    Attributes:
        seconds: All times; none where the job gave up or failed.
        reason: Why there are none.
    """

    message_bytes: int
    setting: str
    seconds: list[float]
    reason: str = ""

    @property
    def median(self) -> float:
        """Seconds; infinite where there are none. Of an even number the lower one of the middle."""
        return sorted(self.seconds)[(len(self.seconds) - 1) // 2] if self.seconds else float("inf")


Run = Callable[[Setting, Sequence[int], Sequence[float]], Outcome]
"""Measures native at ascending sizes under a setting; the seconds to beat at each, 0 where nothing is known."""


def sweep(
    run: Run,
    settings: Sequence[Setting],
    sizes: Sequence[int],
    budget_s: float,
    on_setting: Callable[[Setting, int, int], None] = lambda _setting, _number, _all: None,
) -> tuple[list[Trial], int]:
    """Race the settings over the sizes.

    Args:
        run: Starts one job.
        settings: The default first, then likely winners first.
        sizes: Bytes.
        budget_s: Seconds after which no further setting is tried, except the finals.
        on_setting: Told before each job: its setting, its number and how many there are.

    Returns:
        All trials, and how many settings were not tried for lack of time.
    """
    trials: dict[tuple[int, str], Trial] = {}
    until = time.monotonic() + budget_s
    untried = 0
    for number, setting in enumerate(settings):
        if time.monotonic() > until and number > 0:
            untried = len(settings) - number
            break
        wanted = [size for size in sorted(sizes) if size >= setting.least_bytes]
        if _hopeless(setting, trials.values()):
            for size in wanted:
                trials[size, setting.name] = Trial(size, setting.name, [], "left out: others of its kind were too slow")
            continue
        on_setting(setting, number, len(settings))
        _try(run, setting, wanted, trials)
    finals: dict[str, list[int]] = {}
    for size in sorted(sizes):
        ranked = sorted((t for t in trials.values() if t.message_bytes == size and t.seconds), key=lambda t: t.median)
        for trial in ranked[:FINALISTS]:
            finals.setdefault(trial.setting, []).append(size)
    by_name = {setting.name: setting for setting in settings}
    for number, (name, some) in enumerate(finals.items()):
        on_setting(by_name[name], number, len(finals))
        _try(run, by_name[name], some, trials)
    return list(trials.values()), untried


def _kind(setting: str) -> str:
    return setting.partition(":")[0]


def _hopeless(setting: Setting, trials: Iterable[Trial]) -> bool:
    """Whether enough settings that differ in the segment alone have fallen behind."""
    tried: dict[str, list[bool]] = {}
    for trial in trials:
        if _kind(trial.setting) == _kind(setting.name):
            tried.setdefault(trial.setting, []).append(bool(trial.seconds))
    return sum(2 * sum(measured) < len(measured) for measured in tried.values()) >= HOPELESS


def _try(run: Run, setting: Setting, sizes: Sequence[int], trials: dict[tuple[int, str], Trial]) -> None:
    """One setting at all sizes: a job, and one more behind each size where it had to be given up."""
    wanted, falls = list(sizes), 0
    while wanted and falls < FALLS:
        beat = [best_setting(list(trials.values()), size)[1] for size in wanted]
        try:
            outcome = run(setting, wanted, [0.0 if value == float("inf") else value for value in beat])
        except Failed as failure:
            for size in wanted:
                trials.setdefault((size, setting.name), Trial(size, setting.name, [], str(failure).splitlines()[-1]))
            return
        for size in wanted:
            values = outcome.seconds.get((size, "native"), [])
            if values:
                trials.setdefault((size, setting.name), Trial(size, setting.name, [])).seconds += values
        given_up = outcome.given_up
        if given_up is None:
            return
        if given_up not in wanted:
            reason = "hung before the first repetition"
            for size in wanted:
                trials.setdefault((size, setting.name), Trial(size, setting.name, [], reason))
            return
        trials.setdefault((given_up, setting.name), Trial(given_up, setting.name, [], "given up: too slow"))
        falls += 1
        wanted = [size for size in wanted if size > given_up]


def best_setting(trials: Sequence[Trial], size: int) -> tuple[str, float]:
    """Name and seconds of the fastest setting at a size; infinite seconds where none was measured."""
    known = [trial for trial in trials if trial.message_bytes == size]
    best = min(known, key=lambda trial: trial.median, default=Trial(size, "", []))
    return best.setting, best.median
