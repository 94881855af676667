"""``native-best``: the best over a library's own settings, found in a race of jobs, decided for each size apart."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from trunkline.bench.job import Outcome
from trunkline.errors import Failed
from trunkline_papers.peers.driver import Setting

__all__ = ["BEHIND", "LEFT_OUT", "Trial", "Trials", "best_setting", "sweep"]

BEHIND = 2.0
"""What takes so many times the best time at a size is not repeated there."""
HOPELESS = 2
"""At a size where so many settings of one kind fell behind, its others are left out."""
FINALISTS = 3
"""Settings of each size that are measured once more: the least of few values is too low by chance."""
LEFT_OUT = "left out: other segments fell behind at this size"


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


Trials = dict[tuple[int, str], Trial]
"""By size and setting."""

Run = Callable[[Setting, Sequence[int], Sequence[float]], Outcome]
"""Measures native at ascending sizes under a setting; the seconds to beat at each, 0 where nothing is known."""


def sweep(
    run: Run,
    settings: Sequence[Setting],
    sizes: Sequence[int],
    budget_s: float,
    known: Iterable[Trial] = (),
    on_setting: Callable[[Setting, int, int], None] = lambda _setting, _number, _all: None,
    on_trials: Callable[[Sequence[Trial], Mapping[int, int]], None] = lambda _trials, _untried: None,
) -> None:
    """Race the settings over the sizes.

    Args:
        run: Starts one job.
        settings: The default first, then likely winners first.
        sizes: Bytes.
        budget_s: Seconds after which no further setting is tried, except the finals and what no size has a time from.
        known: Of an earlier race that ran out of time: not tried again.
        on_setting: Told before each job: its setting, its number and how many there are.
        on_trials: Told after each job: all trials, and for each size how many settings are still untried there.
    """
    trials = {(trial.message_bytes, trial.setting): trial for trial in known}
    until = time.monotonic() + budget_s

    def to_try(setting: Setting) -> list[int]:
        return [s for s in sorted(sizes) if s >= setting.least_bytes and (s, setting.name) not in trials]

    def tell() -> None:
        untried = {size: sum(size in to_try(setting) for setting in settings) for size in sizes}
        on_trials(list(trials.values()), untried)

    fresh = False
    for number, setting in enumerate(settings):
        if time.monotonic() > until and trials:
            break
        wanted = []
        for size in to_try(setting):
            if _hopeless(setting, size, trials.values()):
                trials[size, setting.name] = Trial(size, setting.name, [], LEFT_OUT)
            else:
                wanted.append(size)
        if wanted:
            fresh = True
            on_setting(setting, number, len(settings))
            _try(run, setting, wanted, trials)
            tell()
    if fresh:
        _finals(run, settings, sizes, trials, on_setting)
    tell()


def _finals(
    run: Run,
    settings: Sequence[Setting],
    sizes: Sequence[int],
    trials: Trials,
    on_setting: Callable[[Setting, int, int], None],
) -> None:
    finals: dict[str, list[int]] = {}
    for size in sorted(sizes):
        ranked = sorted((t for t in trials.values() if t.message_bytes == size and t.seconds), key=lambda t: t.median)
        for trial in ranked[:FINALISTS]:
            finals.setdefault(trial.setting, []).append(size)
    by_name = {setting.name: setting for setting in settings}
    for number, (name, some) in enumerate(finals.items()):
        if name in by_name:  # else known from a library that had it
            on_setting(by_name[name], number, len(finals))
            _try(run, by_name[name], some, trials)


def _kind(setting: str) -> str:
    return setting.partition(":")[0]


def _hopeless(setting: Setting, size: int, trials: Iterable[Trial]) -> bool:
    """Whether enough settings that differ in the segment alone have fallen behind at this size."""
    here = [trial for trial in trials if trial.message_bytes == size]
    worth = BEHIND * min((trial.median for trial in here), default=float("inf"))
    kind = [trial for trial in here if _kind(trial.setting) == _kind(setting.name)]
    return sum(trial.reason != LEFT_OUT and trial.median > worth for trial in kind) >= HOPELESS


def _try(run: Run, setting: Setting, sizes: Sequence[int], trials: Trials) -> None:
    """One setting at all sizes: a job, and one more behind each size where it had to be given up."""
    wanted = list(sizes)

    def have_none(some: Sequence[int], reason: str) -> None:
        for size in some:
            trials.setdefault((size, setting.name), Trial(size, setting.name, [], reason))

    while wanted:
        beat = [best_setting(list(trials.values()), size)[1] for size in wanted]
        try:
            outcome = run(setting, wanted, [0.0 if value == float("inf") else value for value in beat])
        except Failed as failure:
            have_none(wanted, str(failure).splitlines()[-1])
            return
        for size in wanted:
            values = outcome.seconds.get((size, "native"), [])
            if values:
                trials.setdefault((size, setting.name), Trial(size, setting.name, [])).seconds += values
        given_up = outcome.given_up
        if given_up is None:
            have_none(wanted, "the job ended without a time")
            return
        if given_up not in wanted:
            have_none(wanted, "hung before the first repetition")
            return
        have_none([given_up], "hung" if outcome.hung else f"given up: over {BEHIND:g} times the best time")
        wanted = [size for size in wanted if size > given_up]


def best_setting(trials: Sequence[Trial], size: int) -> tuple[str, float]:
    """Name and seconds of the fastest setting at a size; infinite seconds where none was measured."""
    known = [trial for trial in trials if trial.message_bytes == size]
    best = min(known, key=lambda trial: trial.median, default=Trial(size, "", []))
    return best.setting, best.median
