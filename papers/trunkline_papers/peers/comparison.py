"""What a comparison is about, and what of it is still to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trunkline import _core
from trunkline.bench.job import Limits
from trunkline.temporary import temporary_folder
from trunkline_papers.peers.driver import Driver
from trunkline_papers.peers.results import PeerCell, Place, Results, place_of

__all__ = ["BEST", "Comparison", "Step", "asked_for", "due", "steps", "unraced"]

BEST = "native-best"
_JOB_S = 3.0
"""Seconds that a job of 32 ranks takes to start and to end."""
_NATIVE = 12.0
"""What a library's own broadcast takes over T(m) by and large: for estimates only."""


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    Attributes:
        collective: Which collective operation.
        clusters: With the rate of the fastest link of each, bits per second.
        algorithms: Of Trunkline, for the peers it can be preloaded into.
        best: Whether the libraries' best settings take part.
        limits: Of each cell in one round.
        sweep_s: Seconds for the race of one peer on one cluster; 0: no race, earlier ones say which settings are best.
    """

    collective: str
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
    with temporary_folder("peers") as folder:
        for number in range(comparison.rounds + 1):
            for cluster, rate in comparison.clusters:
                wire = sum(size * 8 / rate for size in comparison.sizes)
                place = place_of(cluster, rate)
                for driver in comparison.drivers:
                    job = _JOB_S + wire * _NATIVE * (comparison.limits.least + 1)
                    races = comparison.best and comparison.sweep_s > 0
                    settings = driver.settings(comparison.collective, cluster, folder) if races else []
                    missing = unraced(comparison, results, place, driver) if settings else []
                    if number > 0:
                        # A race that goes on may find other winners, which have had no rounds.
                        missing = [*due(comparison, results, place, driver, number), *missing]
                        seconds = job * (1 + len({size for size, name, _ in missing if name == BEST}))
                    else:
                        seconds = min(comparison.sweep_s, len(settings) * job)
                    if missing:
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
        and cell.collective == comparison.collective
        and cell.message_bytes in comparison.sizes
    ]


def unraced(
    comparison: Comparison, results: Results, place: Place, driver: Driver
) -> list[tuple[int, str, PeerCell | None]]:
    """Sizes whose race has not been run, or ran out of time."""
    cells = (
        (size, BEST, results.get(place, driver.mpi, comparison.collective, BEST, size)) for size in comparison.sizes
    )
    return [entry for entry in cells if entry[2] is None or entry[2].untried > 0]


def due(
    comparison: Comparison, results: Results, place: Place, driver: Driver, number: int
) -> list[tuple[int, str, PeerCell | None]]:
    """Cells that a round still has to measure: size, algorithm, and what there is of them."""
    # LAM/MPI and PVM have no settings to race: they are measured as they come.
    theirs = [*comparison.algorithms, *([BEST] if comparison.best else ())] if driver.preloads else []
    cells = (
        (size, name, results.get(place, driver.mpi, comparison.collective, name, size))
        for name in ("native", *theirs)
        for size in comparison.sizes
    )
    return [
        entry
        for entry in cells
        if (entry[2] is None and (entry[1] != BEST or comparison.sweep_s > 0))
        or (entry[2] is not None and entry[2].rounds < number)
    ]
