"""Measures candidates size by size and makes rules of the winners."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from trunkline import _core
from trunkline.bench.job import Limits, Repetition
from trunkline.bench.measure import Cell, measure
from trunkline.cluster import told_as_bad_input
from trunkline.compat import pairwise
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.placement import placement_on
from trunkline.tune.candidates import Candidate, Candidates


def first_size_of_next(before: int, after: int) -> int:
    """The least size at or above the geometric mean of two: above ``before`` also where they are neighbours."""
    return math.isqrt(before * after - 1) + 1


NATIVE_UNLESS = 1.02
"""A tree must have been this much faster than native to be chosen."""
LONG_S = 1.0
"""Seconds of a broadcast, from which on two repetitions are enough: such long times scatter by less than a percent."""
ONE_FRAME = _core.frame_payload_bytes - _core.mpi_header_bytes
"""Bytes that fill one Ethernet frame beside an MPI library's header."""


@dataclass(frozen=True)
class Winner:
    """What was fastest at one size, and everything it was measured against."""

    message_bytes: int
    algorithm: str
    segment_bytes: int
    """0: native."""
    seconds: float
    native_seconds: float
    tried: int
    """Candidates and native."""
    cells: list[Cell] = field(default_factory=list)
    """On the lab."""
    noise: float | None = None
    """Where the times scatter too much to tell, and the model decided: the widest interval, as a part of its median."""


def measure_size(
    lab: Lab,
    mpi: Mpi,
    collective: str,
    message_bytes: int,
    candidates: Sequence[Candidate],
    limits: Limits,
    ranks_per_host: int,
    on_progress: Callable[[Repetition], None] = lambda _: None,
    hosts: int | None = None,
) -> Winner:
    """Measure native and the candidates at one size, interleaved; those that fall behind are dropped.

    Long broadcasts are repeated less often: their times scatter less.

    Raises:
        TrunklineError: as :func:`trunkline.bench.measure.measure` does.
    """
    names = ["native", *(c.choice() for c in candidates)]
    fewest = 2 if candidates[0].predicted_s > LONG_S else limits.least
    limits = replace(limits, least=fewest, most=max(fewest, limits.most))
    cells = measure(lab, mpi, collective, [message_bytes], names, limits, ranks_per_host, on_progress, hosts=hosts)
    native = cells[0]
    fastest = min(cells, key=lambda cell: cell.seconds_median)
    best = native if fastest.seconds_median * NATIVE_UNLESS > native.seconds_median else fastest
    segment = in_one_piece(message_bytes, best.segment_bytes)
    return Winner(message_bytes, best.ran, segment, best.seconds_median, native.seconds_median, len(cells), cells)


def in_one_piece(message_bytes: int, segment_bytes: int) -> int:
    """The segment for a rule: where the message was one piece, that holds for other sizes of one frame too."""
    return max(segment_bytes, ONE_FRAME) if segment_bytes and message_bytes <= segment_bytes else segment_bytes


def rules_of(winners: Sequence[Winner]) -> list[_core.TuningRule]:
    """Rules from winners, whatever their order.

    Between two sizes with different winners the rule changes at their geometric mean; below the least size its own
    winner rules, above the largest one that size's.
    """
    winners = sorted(winners, key=lambda winner: winner.message_bytes)
    rules = [_core.TuningRule(0, winners[0].algorithm, winners[0].segment_bytes)]
    for before, after in pairwise(winners):
        if (before.algorithm, before.segment_bytes) != (after.algorithm, after.segment_bytes):
            start = first_size_of_next(before.message_bytes, after.message_bytes)
            rules.append(_core.TuningRule(start, after.algorithm, after.segment_bytes))
    return rules


def tune_entry(
    lab: Lab,
    mpi: Mpi,
    collective: str,
    sizes: Sequence[int],
    limits: Limits,
    ranks_per_host: int,
    on_progress: Callable[[Repetition], None] = lambda _: None,
    hosts: int | None = None,
    *,
    knowledge: _core.Knowledge,
) -> Iterator[Winner]:
    """Tune the collective over the lab's first hosts, or all, under one MPI; winners come as they are decided.

    Candidates are chosen by what its ranks would know.
    """
    candidates = Candidates(collective, lab.cluster, knowledge, placement_on(lab.cluster, ranks_per_host, hosts))
    for size in sorted(sizes):
        wanted = candidates.of_size(size)
        yield measure_size(lab, mpi, collective, size, wanted, limits, ranks_per_host, on_progress, hosts)


def entry_of(
    cluster: _core.Cluster,
    mpi: Mpi,
    collective: str,
    hosts: int,
    ranks_per_host: int,
    winners: Sequence[Winner],
    rates: Sequence[_core.TunedRate] | None = None,
    ranks_by_host: Sequence[int] = (),
) -> _core.TuningEntry:
    """The winners as an entry of a tuning file, for so many hosts, whose ranks are listed where they differ.

    With rates that were measured it holds for all networks of the cluster's topology, else for this one alone.
    """
    entry = _core.TuningEntry()
    entry.collective = collective
    entry.cluster, entry.cluster_fingerprint = cluster.name, cluster.fingerprint
    if rates is not None:
        entry.topology_fingerprint = cluster.topology_fingerprint
        entry.measured_rates = list(rates)
    entry.hosts, entry.ranks_per_host = hosts, ranks_per_host
    entry.ranks_by_host = list(ranks_by_host)
    entry.mpi, entry.mpi_version = mpi.counts_as, mpi.version
    entry.rules = rules_of(winners)
    return entry


def merged(old: Sequence[_core.TuningEntry], new: Sequence[_core.TuningEntry]) -> list[_core.TuningEntry]:
    """All entries; of two for the same case, the new one."""

    def case(entry: _core.TuningEntry) -> tuple[object, ...]:
        return (
            entry.collective,
            entry.cluster_fingerprint if entry.topology_fingerprint is None else entry.topology_fingerprint,
            entry.hosts,
            entry.ranks_per_host,
            tuple(entry.ranks_by_host),
            entry.mpi,
            entry.mpi_version,
        )

    replaced = {case(entry) for entry in new}
    return [*(entry for entry in old if case(entry) not in replaced), *new]


def load_tuning(path: str) -> _core.Tuning:
    """A tuning file.

    Raises:
        BadInput: with everything that is wrong with it.
    """
    with told_as_bad_input():
        return _core.read_tuning(path)
