"""Measures an MPI library's own algorithms, a job for each, and finds the fastest for every size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from trunkline.bench.job import Limits, Repetition
from trunkline.bench.measure import Cell, measure
from trunkline.errors import Failed
from trunkline.mpi import Mpi
from trunkline.peers.algorithm import PeerAlgorithm
from trunkline.peers.algorithms import own_algorithms
from trunkline.peers.rules.job import PeerJob
from trunkline.peers.rules.rule import PeerWinner
from trunkline.units import format_bytes

Kind = tuple[str, str, int]
"""An algorithm with its tree, whatever the segment."""
HOPELESS = 3.0
"""An algorithm that took this many times the best one's time at one size is left out at the next ones."""
PROMISING = 1.5
"""An algorithm's other segments are tried where its middle one took at most this many times the best one's time."""
WORTH_A_RULE = 1.02
"""It must have been this much faster than what the library does by itself."""


def own_settings(mpi: Mpi, algorithm: PeerAlgorithm | None, coordinates: Path) -> dict[str, str]:
    """The environment that forces an algorithm; None: what the library does by itself where no rule holds.

    That is ``tuned`` under Open MPI, whose rules they are; from 5.0 on another component comes before it.
    """
    if algorithm is None:
        return {"OMPI_MCA_coll": "^han"} if mpi.family == "openmpi" else {}
    file = {"MPIR_CVAR_COORDINATES_FILE": str(coordinates)} if algorithm.needs_coordinates else {}
    return {**algorithm.environment, **file}


def sweep(
    job: PeerJob,
    sizes: Sequence[int],
    limits: Limits,
    coordinates: Path,
    on_progress: Callable[[str, Repetition], None] = lambda _name, _repetition: None,
) -> Iterator[PeerWinner]:
    """The fastest of the library's own algorithms at each size; winners come as they are decided.

    A library takes its settings when it starts, so every algorithm has a job of its own and they cannot take turns:
    what is compared ran minutes apart, size by size. Those that fall far behind or fail
    are not tried at longer messages.

    Raises:
        TrunklineError: as :func:`trunkline.bench.measure.measure` does.
    """
    hopeless: set[Kind] = set()
    failed: dict[PeerAlgorithm, str] = {}
    for size in sorted(sizes):
        every = [one for one in own_algorithms(job.mpi, job.collective, size, job.ranks) if one not in failed]
        cells: dict[PeerAlgorithm | None, Cell] = {}

        def run(
            algorithm: PeerAlgorithm | None, size: int = size, cells: dict[PeerAlgorithm | None, Cell] = cells
        ) -> float:
            name = algorithm.name if algorithm else "by itself"
            show = partial(on_progress, name)
            settings = own_settings(job.mpi, algorithm, coordinates)
            try:
                (cell,) = measure(
                    job.lab,
                    job.mpi,
                    job.collective,
                    [size],
                    ["native"],
                    limits,
                    job.ranks_per_host,
                    show,
                    hosts=job.host_count,
                    settings=settings,
                )
            except Failed as error:
                if algorithm is None:
                    raise
                failed[algorithm] = f"{name} failed at {format_bytes(size)}: {str(error).splitlines()[-1]}"
                return math.inf
            cells[algorithm] = replace(
                cell, algorithm=f"own:{name}", ran=name, segment_bytes=algorithm.segment_bytes if algorithm else 0
            )
            return cell.seconds_median

        best = run(None)
        for first, others in _by_kind(one for one in every if _kind(one) not in hopeless):
            middle = run(first)
            best = min(best, middle)
            if middle > HOPELESS * best:
                hopeless.add(_kind(first))
            if middle <= PROMISING * best:
                best = min([best, *(run(other) for other in others)])
        yield replace(winner_of(size, cells), failures=list(failed.values()))


def winner_of(size: int, cells: Mapping[PeerAlgorithm | None, Cell]) -> PeerWinner:
    """The fastest that a rule can ask for, and the one that no rule can, where that is faster."""
    times = {one: cell.seconds_median for one, cell in cells.items()}
    for_rules = {one: seconds for one, seconds in times.items() if one is None or not one.needs_coordinates}
    fastest = min(for_rules, key=lambda one: times[one])
    winner = fastest if times[fastest] * WORTH_A_RULE < times[None] else None
    first = min(times, key=lambda one: times[one])
    beyond = (first, times[first]) if first and first not in for_rules else None
    return PeerWinner(size, winner, times[winner], times[None], len(times), beyond, list(cells.values()))


def _kind(algorithm: PeerAlgorithm) -> Kind:
    return algorithm.algorithm, algorithm.tree, algorithm.k


def _by_kind(algorithms: Iterable[PeerAlgorithm]) -> Iterator[tuple[PeerAlgorithm, list[PeerAlgorithm]]]:
    """Each kind's variant with the middle segment, which is seldom far from its best one, and its others."""
    for _, group in groupby(sorted(algorithms, key=_kind), key=_kind):
        variants = sorted(group, key=lambda one: one.segment_bytes)
        first = variants[len(variants) // 2]
        yield first, [variant for variant in variants if variant is not first]
