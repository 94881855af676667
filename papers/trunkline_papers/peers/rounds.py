"""One round of a comparison for one peer on one cluster: a job for each setting that has cells to measure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trunkline.bench.job import PATIENCE_S, PING_PONG, Outcome
from trunkline.errors import Failed
from trunkline.units import format_bytes
from trunkline_papers.peers.comparison import BEST, due
from trunkline_papers.peers.driver import DEFAULT, Setting
from trunkline_papers.peers.results import place_of
from trunkline_papers.peers.work import Work

__all__ = ["one_round"]


def one_round(work: Work) -> None:
    """One job for the defaults and Trunkline in turns, one for each setting that won a race.

    Raises:
        Failed: once all jobs have run, with what each of them failed for.
    """
    driver, place = work.step.driver, place_of(work.step.cluster, work.step.rate_bps)
    missing = due(work.comparison, work.results, place, driver, work.step.round)
    # Where the default won the race, its times serve for both.
    as_default = [size for size, name, cell in missing if name == BEST and cell and cell.setting == DEFAULT.name]
    wanted = [(size, name, name) for size, name, _ in missing if name != BEST]
    wanted += [(size, "native", BEST) for size in as_default]
    jobs: dict[str, list[tuple[int, str, str]]] = {DEFAULT.name: wanted} if wanted else {}
    for size, name, cell in missing:
        if name == BEST and cell is not None and size not in as_default:
            jobs.setdefault(cell.setting, []).append((size, "native", BEST))
    collective, settings = work.comparison.collective, {DEFAULT.name: DEFAULT}
    settings |= {setting.name: setting for setting in driver.settings(collective, work.step.cluster, work.folder)}
    failures: list[str] = []
    for name, some in jobs.items():
        try:
            _round_job(work, settings, name, some)
        except Failed as failure:
            failures.append(str(failure))
    if failures:
        raise Failed("\n".join(failures))


def _round_job(work: Work, settings: Mapping[str, Setting], name: str, wanted: Sequence[tuple[int, str, str]]) -> None:
    """Measure cells under one setting: size, algorithm as it runs, and name of each."""
    if name not in settings:
        raise Failed(f"{work.step.driver.name} has no setting '{name}' any more; remove its {BEST} cells from the file")
    plain = list(dict.fromkeys(algorithm for _, algorithm, _ in wanted))
    work.on_step(work.step, ", ".join(plain) if name == DEFAULT.name else f"{BEST}: {name}")
    sizes = sorted({size for size, _, _ in wanted})
    _keep(work, _whole_job(work, settings[name], sizes, plain), wanted, name)


def _whole_job(work: Work, setting: Setting, sizes: Sequence[int], algorithms: Sequence[str]) -> Outcome:
    limits = replace(work.comparison.limits, patience_s=PATIENCE_S)
    if not work.step.driver.preloads:
        limits = replace(limits, least=1)  # PVM needs minutes for 1 MiB; the budget decides
    return work.job(setting, sizes, algorithms, limits, [])


def _keep(work: Work, outcome: Outcome, wanted: Sequence[tuple[int, str, str]], setting: str) -> None:
    """Add what a job measured: size, algorithm as it ran, and name of the cell; says if it was not all.

    Raises:
        Failed: if something is missing.
    """
    known = [entry for entry in wanted if outcome.seconds.get(entry[:2]) and outcome.seconds.get((entry[0], PING_PONG))]
    cells = (work.cell(outcome, size, algorithm, name, setting) for size, algorithm, name in known)
    work.results.add(cells, work.comparison.limits.width)
    if outcome.given_up is not None and len(known) < len(wanted):
        raise Failed(
            f"{work.step.driver.name} with setting '{setting}' did nothing for {PATIENCE_S:.0f} s at "
            f"{format_bytes(outcome.given_up)}; that size and longer ones are missing"
        )
