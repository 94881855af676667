"""Runs a comparison: first each library's race, then rounds over all clusters and peers."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trunkline import _core
from trunkline.bench.bcast import make_cell
from trunkline.bench.job import PATIENCE_S, PING_PONG, Limits, Outcome, follow, timing_words
from trunkline.bench.peers.driver import DEFAULT, Driver, Setting
from trunkline.bench.peers.results import PeerCell, Place, Results, place_of
from trunkline.bench.peers.sweep import BEHIND, Trial, best_setting, sweep
from trunkline.errors import Failed
from trunkline.lab.session import Lab
from trunkline.units import format_bytes

__all__ = ["BEST", "Comparison", "Step", "asked_for", "compare", "steps"]

BEST = "native-best"
RACE_PATIENCE_S = 60.0
"""After which a setting that hangs is out of its race, at least."""
RACE_PATIENCE = 40.0
"""The same, in times of the longest message on the wire: nothing that works takes so long."""
_JOB_S = 3.0
"""Seconds that a job of 32 ranks takes to start and to end."""
_NATIVE = 12.0
"""What a library's own broadcast takes over T(m) by and large: for estimates only."""


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    Attributes:
        clusters: With the rate of the fastest link of each, bits per second.
        algorithms: Of Trunkline, for the peers it can be preloaded into.
        best: Whether the libraries' best settings take part.
        limits: Of each cell in one round.
        sweep_s: Seconds for the race of one peer on one cluster; 0: no race, earlier ones say which settings are best.
    """

    clusters: Sequence[tuple[_core.Cluster, float]]
    drivers: Sequence[Driver]
    sizes: Sequence[int]
    rounds: int
    limits: Limits
    sweep_s: float
    algorithms: Sequence[str] = ("auto",)
    best: bool = True


@dataclass(frozen=True)
class Step:
    """One thing to do: a race (``round`` 0) or the jobs of a peer on a cluster in one round.

    Attributes:
        seconds: Estimate.
    """

    cluster: _core.Cluster
    rate_bps: float
    driver: Driver
    round: int
    seconds: float


def steps(comparison: Comparison, results: Results) -> list[Step]:
    """What is still to be done, in order: races first, then round by round every cluster and every peer."""
    found: list[Step] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(comparison.rounds + 1):
            for cluster, rate in comparison.clusters:
                wire = sum(size * 8 / rate for size in comparison.sizes)
                place = place_of(cluster, rate)
                for driver in comparison.drivers:
                    job = _JOB_S + wire * _NATIVE * (comparison.limits.least + 1)
                    races = comparison.best and comparison.sweep_s > 0
                    settings = driver.settings(cluster, Path(folder)) if races else []
                    due = _unraced(comparison, results, place, driver) if settings else []
                    if number > 0:
                        # A race that goes on may find other winners, which have had no rounds.
                        due = [*_due(comparison, results, place, driver, number), *due]
                        seconds = job * (1 + len({size for size, name, _ in due if name == BEST}))
                    else:
                        seconds = min(comparison.sweep_s, len(settings) * job)
                    if due:
                        found.append(Step(cluster, rate, driver, number, seconds))
    return found


def asked_for(comparison: Comparison, results: Results) -> list[PeerCell]:
    """The measured cells that this comparison is about; a file may hold others, of other clusters, sizes and peers."""
    places = {place_of(cluster, rate) for cluster, rate in comparison.clusters}
    peers = {(driver.mpi.name, driver.mpi.version) for driver in comparison.drivers}
    names = {"native", *comparison.algorithms, *([BEST] if comparison.best else ())}
    return [
        cell
        for cell in results.cells
        if cell.rounds > 0
        and cell.place in places
        and (cell.mpi, cell.mpi_version) in peers
        and cell.algorithm in names
        and cell.message_bytes in comparison.sizes
    ]


def _unraced(
    comparison: Comparison, results: Results, place: Place, driver: Driver
) -> list[tuple[int, str, PeerCell | None]]:
    """Sizes whose race has not been run, or ran out of time."""
    cells = ((size, BEST, results.get(place, driver.mpi, BEST, size)) for size in comparison.sizes)
    return [entry for entry in cells if entry[2] is None or entry[2].untried > 0]


def _due(
    comparison: Comparison, results: Results, place: Place, driver: Driver, number: int
) -> list[tuple[int, str, PeerCell | None]]:
    """Cells that a round still has to measure: size, algorithm, and what there is of them."""
    # LAM/MPI and PVM have no settings to race: they are measured as they come.
    theirs = [*comparison.algorithms, *([BEST] if comparison.best else ())] if driver.preloads else []
    cells = (
        (size, name, results.get(place, driver.mpi, name, size))
        for name in ("native", *theirs)
        for size in comparison.sizes
    )
    return [
        entry
        for entry in cells
        if (entry[2] is None and (entry[1] != BEST or comparison.sweep_s > 0))
        or (entry[2] is not None and entry[2].rounds < number)
    ]


def compare(
    comparison: Comparison,
    results: Results,
    on_step: Callable[[Step, str], None] = lambda _step, _what: None,
) -> Iterator[tuple[Step, str]]:
    """Do all that is still to be done, saving after each job.

    Yields each step when it is over, with why it failed, or an empty text.
    """
    for step in steps(comparison, results):
        failure = ""
        with tempfile.TemporaryDirectory(prefix="trunkline-peers-") as name, Lab(step.cluster, step.rate_bps) as lab:
            folder = Path(name)
            folder.chmod(0o755)  # LAM/MPI reads it as another user
            work = _Work(comparison, results, step, lab, folder, on_step)
            try:
                work.race() if step.round == 0 else work.round()
            except Failed as error:
                failure = str(error)
        yield step, failure


@dataclass
class _Work:
    comparison: Comparison
    results: Results
    step: Step
    lab: Lab
    folder: Path
    on_step: Callable[[Step, str], None]

    def _job(
        self, setting: Setting, sizes: Sequence[int], algorithms: Sequence[str], limits: Limits, beat: Sequence[float]
    ) -> Outcome:
        driver = self.step.driver
        words = timing_words(self.lab.cluster, sizes, algorithms, limits, beat=beat)
        preload = any(name != "native" for name in algorithms)
        return follow(driver.start(self.lab, self.folder, words, setting, preload), driver.name)

    def _whole_job(self, setting: Setting, sizes: Sequence[int], algorithms: Sequence[str]) -> Outcome:
        limits = replace(self.comparison.limits, patience_s=PATIENCE_S)
        if not self.step.driver.preloads:
            limits = replace(limits, least=1)  # PVM needs minutes for 1 MiB; the budget decides
        return self._job(setting, sizes, algorithms, limits, [])

    def _keep(self, outcome: Outcome, wanted: Sequence[tuple[int, str, str]], setting: str) -> None:
        """Add what a job measured: size, algorithm as it ran, and name of the cell; says if it was not all.

        Raises:
            Failed: if something is missing.
        """
        known = [
            entry for entry in wanted if outcome.seconds.get(entry[:2]) and outcome.seconds.get((entry[0], PING_PONG))
        ]
        cells = (self._cell(outcome, size, algorithm, name, setting) for size, algorithm, name in known)
        self.results.add(cells, self.comparison.limits.width)
        if outcome.given_up is not None and len(known) < len(wanted):
            raise Failed(
                f"{self.step.driver.name} with setting '{setting}' did nothing for {PATIENCE_S:.0f} s at "
                f"{format_bytes(outcome.given_up)}; that size and longer ones are missing"
            )

    def _cell(self, outcome: Outcome, size: int, algorithm: str, name: str, setting: str) -> PeerCell:
        ping_pong = outcome.seconds[size, PING_PONG]
        return make_cell(
            PeerCell,
            self.lab,
            self.step.driver.mpi,
            size,
            name,
            (name, 0) if name == BEST else outcome.ran[size, algorithm],
            outcome.seconds[size, algorithm],
            ping_pong,
            self.comparison.limits.width,
            hosts=len(self.lab.cluster.hosts),
            ranks=len(self.lab.cluster.hosts),
            setting=setting,
            limits=list(ping_pong),
            library=outcome.library,
        )

    def race(self) -> None:
        """Find the best setting of each size that has none, or whose race ran out of time.

        Raises:
            Failed: where no setting could be measured at a size.
        """
        driver, place = self.step.driver, place_of(self.step.cluster, self.step.rate_bps)
        sizes = [size for size, _, _ in _unraced(self.comparison, self.results, place, driver)]
        before = {size: self.results.get(place, driver.mpi, BEST, size) for size in sizes}
        pings = {size: list(cell.limits) if cell else [] for size, cell in before.items()}
        known = [
            Trial(size, t["setting"], [t["seconds_median"]] if "seconds_median" in t else [], t.get("reason", ""))
            for size, cell in before.items()
            for t in (cell.trials if cell else [])
        ]
        wire_s = max(sizes) * 8 / self.step.rate_bps
        limits = replace(
            self.comparison.limits,
            least=1,
            most=2,
            budget_s=0.5,  # a second repetition of what takes longer would not change the order
            give_up=BEHIND,
            patience_s=max(RACE_PATIENCE_S, RACE_PATIENCE * wire_s),
        )
        library = ""

        def run(setting: Setting, some: Sequence[int], beat: Sequence[float]) -> Outcome:
            nonlocal library
            outcome = self._job(setting, some, ["native"], limits, beat)
            for size in some:
                pings[size] += outcome.seconds.get((size, PING_PONG), [])
            library = outcome.library or library
            return outcome

        def show(setting: Setting, number: int, all_of_them: int) -> None:
            self.on_step(self.step, f"{setting.name} ({number + 1} of {all_of_them})")

        missing: list[Trial] = []

        def keep(trials: Sequence[Trial], untried: Mapping[int, int]) -> None:
            missing[:] = [t for t in trials if best_setting(trials, t.message_bytes)[1] == float("inf")]
            self.results.put(
                self._raced(trials, size, before[size], pings[size], untried[size], library)
                for size in sizes
                if best_setting(trials, size)[1] != float("inf") and pings[size]
            )

        settings = driver.settings(self.step.cluster, self.folder)
        sweep(run, settings, sizes, self.comparison.sweep_s, known, show, keep)
        if missing:
            size = missing[0].message_bytes
            reasons = dict.fromkeys(trial.reason for trial in missing if trial.message_bytes == size)
            raise Failed(f"no setting of {driver.name} could be measured at {format_bytes(size)}: {'; '.join(reasons)}")

    def _raced(
        self,
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
            cell = self._cell(outcome, size, "native", BEST, here[0].setting)
        cell.untried = untried
        cell.trials = [
            {"setting": t.setting, "seconds_median": t.median}
            if t.seconds
            else {"setting": t.setting, "reason": t.reason}
            for t in here
        ]
        return cell

    def round(self) -> None:
        """One job for the defaults and Trunkline in turns, one for each setting that won a race.

        Raises:
            Failed: once all jobs have run, with what each of them failed for.
        """
        driver, place = self.step.driver, place_of(self.step.cluster, self.step.rate_bps)
        due = _due(self.comparison, self.results, place, driver, self.step.round)
        # Where the default won the race, its times serve for both.
        as_default = [size for size, name, cell in due if name == BEST and cell and cell.setting == DEFAULT.name]
        wanted = [(size, name, name) for size, name, _ in due if name != BEST]
        wanted += [(size, "native", BEST) for size in as_default]
        jobs: dict[str, list[tuple[int, str, str]]] = {DEFAULT.name: wanted} if wanted else {}
        for size, name, cell in due:
            if name == BEST and cell is not None and size not in as_default:
                jobs.setdefault(cell.setting, []).append((size, "native", BEST))
        settings = {DEFAULT.name: DEFAULT}
        settings |= {setting.name: setting for setting in driver.settings(self.step.cluster, self.folder)}
        failures: list[str] = []
        for name, some in jobs.items():
            try:
                self._round_job(settings, name, some)
            except Failed as failure:
                failures.append(str(failure))
        if failures:
            raise Failed("\n".join(failures))

    def _round_job(self, settings: Mapping[str, Setting], name: str, wanted: Sequence[tuple[int, str, str]]) -> None:
        """Measure cells under one setting: size, algorithm as it runs, and name of each."""
        if name not in settings:
            raise Failed(
                f"{self.step.driver.name} has no setting '{name}' any more; remove its {BEST} cells from the file"
            )
        plain = list(dict.fromkeys(algorithm for _, algorithm, _ in wanted))
        self.on_step(self.step, ", ".join(plain) if name == DEFAULT.name else f"{BEST}: {name}")
        sizes = sorted({size for size, _, _ in wanted})
        self._keep(self._whole_job(settings[name], sizes, plain), wanted, name)
