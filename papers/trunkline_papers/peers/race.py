"""The race of a library's own settings on one cluster: the best of each size, kept as it stands after each job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trunkline.bench.job import PING_PONG, Outcome
from trunkline.errors import Failed
from trunkline.units import format_bytes
from trunkline_papers.peers.comparison import BEST, unraced
from trunkline_papers.peers.driver import Setting
from trunkline_papers.peers.results import PeerCell, place_of
from trunkline_papers.peers.sweep import BEHIND, Trial, best_setting, sweep
from trunkline_papers.peers.work import Work

__all__ = ["race"]

RACE_PATIENCE_S = 60.0
"""After which a setting that hangs is out of its race, at least."""
RACE_PATIENCE = 40.0
"""The same, in times of the longest message on the wire: nothing that works takes so long."""


def race(work: Work) -> None:
    """Find the best setting of each size that has none, or whose race ran out of time.

    Raises:
        Failed: where no setting could be measured at a size.
    """
    driver, place = work.step.driver, place_of(work.step.cluster, work.step.rate_bps)
    before = {size: cell for size, _, cell in unraced(work.comparison, work.results, place, driver)}
    sizes = list(before)
    pings = {size: list(cell.limits) if cell else [] for size, cell in before.items()}
    known = [
        Trial(size, t["setting"], [t["seconds_median"]] if "seconds_median" in t else [], t.get("reason", ""))
        for size, cell in before.items()
        for t in (cell.trials if cell else [])
    ]
    wire_s = max(sizes) * 8 / work.step.rate_bps
    limits = replace(
        work.comparison.limits,
        least=1,
        most=2,
        budget_s=0.5,  # a second repetition of what takes longer would not change the order
        give_up=BEHIND,
        patience_s=max(RACE_PATIENCE_S, RACE_PATIENCE * wire_s),
    )
    library = ""

    def run(setting: Setting, some: Sequence[int], beat: Sequence[float]) -> Outcome:
        nonlocal library
        outcome = work.job(setting, some, ["native"], limits, beat)
        for size in some:
            pings[size] += outcome.seconds.get((size, PING_PONG), [])
        library = outcome.library or library
        return outcome

    def show(setting: Setting, number: int, all_of_them: int) -> None:
        work.on_step(work.step, f"{setting.name} ({number + 1} of {all_of_them})")

    missing: list[Trial] = []

    def keep(trials: Sequence[Trial], untried: Mapping[int, int]) -> None:
        missing[:] = [t for t in trials if best_setting(trials, t.message_bytes)[1] == float("inf")]
        work.results.put(
            _raced(work, trials, size, before[size], pings[size], untried[size], library)
            for size in sizes
            if best_setting(trials, size)[1] != float("inf") and pings[size]
        )

    settings = driver.settings(work.comparison.collective, work.step.cluster, work.folder)
    sweep(run, settings, sizes, work.comparison.sweep_s, known, show, keep)
    if missing:
        size = missing[0].message_bytes
        reasons = dict.fromkeys(trial.reason for trial in missing if trial.message_bytes == size)
        raise Failed(f"no setting of {driver.name} could be measured at {format_bytes(size)}: {'; '.join(reasons)}")


def _raced(
    work: Work,
    trials: Sequence[Trial],
    size: int,
    before: PeerCell | None,
    pings: Sequence[float],
    untried: int,
    library: str,
) -> PeerCell:
    """The cell of a size as the race stands: measured in the rounds already, where the winner is the same."""
    here = sorted((trial for trial in trials if trial.message_bytes == size), key=lambda trial: trial.median)
    if before is not None and before.setting == here[0].setting:
        cell = before
    else:
        outcome = Outcome(library=library)
        outcome.seconds[size, "native"], outcome.seconds[size, PING_PONG] = here[0].seconds, list(pings)
        cell = work.cell(outcome, size, "native", BEST, here[0].setting)
    cell.untried = untried
    cell.trials = [
        {"setting": t.setting, "seconds_median": t.median} if t.seconds else {"setting": t.setting, "reason": t.reason}
        for t in here
    ]
    return cell
