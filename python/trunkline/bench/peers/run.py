"""Runs a comparison: first each library's race, then rounds over all clusters and peers."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trunkline import _core
from trunkline.bench.bcast import make_cell
from trunkline.bench.job import PATIENCE_S, PING_PONG, Limits, Outcome, follow, timing_words
from trunkline.bench.peers.driver import DEFAULT, Driver, Setting
from trunkline.bench.peers.results import PeerCell, Place, Results, place_of
from trunkline.bench.peers.sweep import Trial, best_setting, sweep
from trunkline.errors import Failed
from trunkline.lab.session import Lab
from trunkline.units import format_bytes

__all__ = ["BEST", "Comparison", "Step", "asked_for", "compare", "steps"]

BEST = "native-best"
RACE_PATIENCE_S = 60.0
"""After which a setting that hangs is out of its race."""
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
        best: Whether the libraries' own settings are raced.
        limits: Of each cell in one round.
        sweep_s: Seconds for the race of one peer on one cluster.
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
                    if number > 0:
                        due = _due(comparison, results, place, driver, number)
                        seconds = job * (1 + sum(1 for _, name, _ in due if name == BEST))
                    else:
                        settings = driver.settings(cluster, Path(folder)) if comparison.best else []
                        due = _unraced(comparison, results, place, driver) if settings else []
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
    cells = ((size, BEST, results.get(place, driver.mpi, BEST, size)) for size in comparison.sizes)
    return [entry for entry in cells if entry[2] is None]


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
    return [entry for entry in cells if entry[2] is None or entry[2].rounds < number]


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
        """Add what a job measured: size, algorithm as it ran, and name of the cell; says if it was not all."""
        known = [
            entry for entry in wanted if outcome.seconds.get(entry[:2]) and outcome.seconds.get((entry[0], PING_PONG))
        ]
        cells = (self._cell(outcome, size, algorithm, name, setting) for size, algorithm, name in known)
        self.results.add(cells, self.comparison.limits.width)
        if outcome.given_up is not None:
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
        """Find the best setting of each size that has none."""
        driver, place = self.step.driver, place_of(self.step.cluster, self.step.rate_bps)
        entries = _unraced(self.comparison, self.results, place, driver)
        sizes = [size for size, _, _ in entries]
        pings: dict[int, list[float]] = {size: [] for size in sizes}
        libraries: list[str] = []

        def run(setting: Setting, some: Sequence[int], beat: Sequence[float]) -> Outcome:
            limits = replace(self.comparison.limits, least=2, most=2, give_up=2.0, patience_s=RACE_PATIENCE_S)
            outcome = self._job(setting, some, ["native"], limits, beat)
            for size in some:
                pings[size] += outcome.seconds.get((size, PING_PONG), [])
            libraries.append(outcome.library)
            return outcome

        def show(setting: Setting, number: int, all_of_them: int) -> None:
            self.on_step(self.step, f"{setting.name} ({number + 1} of {all_of_them})")

        settings = driver.settings(self.step.cluster, self.folder)
        trials, untried = sweep(run, settings, sizes, self.comparison.sweep_s, show)
        self.results.put(
            self._raced(trials, size, pings[size], untried, libraries[0])
            for size in sizes
            if best_setting(trials, size)[1] != float("inf")
        )
        if missing := [size for size in sizes if best_setting(trials, size)[1] == float("inf")]:
            reasons = {trial.reason for trial in trials if trial.message_bytes == missing[0]}
            raise Failed(f"no setting of {driver.name} could be measured at {missing[0]} bytes: {'; '.join(reasons)}")

    def _raced(
        self, trials: Sequence[Trial], size: int, pings: Sequence[float], untried: int, library: str
    ) -> PeerCell:
        here = sorted((trial for trial in trials if trial.message_bytes == size), key=lambda trial: trial.median)
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
        """One job for the defaults and Trunkline in turns, one for each setting that won a race."""
        driver, place = self.step.driver, place_of(self.step.cluster, self.step.rate_bps)
        due = _due(self.comparison, self.results, place, driver, self.step.round)
        # Where the default won the race, its times serve for both.
        as_default = [size for size, name, cell in due if name == BEST and cell and cell.setting == DEFAULT.name]
        wanted = [(size, name, name) for size, name, _ in due if name != BEST]
        wanted += [(size, "native", BEST) for size in as_default]
        if wanted:
            plain = list(dict.fromkeys(algorithm for _, algorithm, _ in wanted))
            self.on_step(self.step, ", ".join(plain))
            outcome = self._whole_job(DEFAULT, sorted({size for size, _, _ in wanted}), plain)
            self._keep(outcome, wanted, DEFAULT.name)
        settings = {setting.name: setting for setting in driver.settings(self.step.cluster, self.folder)}
        won: dict[str, list[int]] = {}
        for size, name, cell in due:
            if name == BEST and cell is not None and size not in as_default:
                won.setdefault(cell.setting, []).append(size)
        for name, some in won.items():
            if name not in settings:
                raise Failed(f"{driver.name} has no setting '{name}' any more; remove its {BEST} cells from the file")
            self.on_step(self.step, f"{BEST}: {name}")
            outcome = self._whole_job(settings[name], some, ["native"])
            self._keep(outcome, [(size, "native", BEST) for size in some], name)
