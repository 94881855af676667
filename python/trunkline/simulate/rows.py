"""``trunkline simulate COLLECTIVE``: algorithms against each other, against T(m) and against the bound."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from trunkline import _core
from trunkline.accuracy import slowest_host_bps
from trunkline.bench.cell import Timed
from trunkline.cluster import fingerprint_text, told_as_bad_input
from trunkline.compat import zip_equal
from trunkline.errors import Failed
from trunkline.peers.simulated import Simulated, own_choice
from trunkline.simulate.engine import Job, Outcome, simulate
from trunkline.statistics import median_with_interval


@dataclass
class Row(Timed):
    """One line of ``simulate COLLECTIVE --json``; median, low and high differ where datagrams get lost."""

    native_algorithm: str
    """What the MPI library runs, in its own words, where the call is left to it; empty: ours, or not named."""
    host_rate_bps: float
    """Of the slowest host's link; of links side by side all together."""
    host_costs: str
    """Name of what messages cost their hosts."""
    library: str
    """The MPI library whose ranks these are."""
    by_arrival: bool
    """Ranks of a host combine as they come, where they can."""
    gave_up: bool
    """It took longer than ``seconds_median``, and was not simulated to its end."""
    bound_seconds: float
    """See :func:`bound_seconds`."""
    wall_seconds: float
    """How long the simulation took, from the size before or the start on."""
    work_seconds: Optional[float] = None
    """Of the work beside the call, where it ran once more with it."""
    overlapped_seconds: Optional[float] = None
    """Of the call, started, and that work, both together."""


MOST_DECIDING = 1024
"""Ranks up to which they decide themselves what ``auto`` runs. More are told what was decided here, and open no groups
of multicasts before the calls that are timed."""


@dataclass(frozen=True)
class LeftOut:
    """A case without a time."""

    algorithm: str
    message_bytes: int
    why: str


def bound_seconds(job: Job, message_bytes: int) -> float:
    """What no algorithm goes below, multicasts and trees of many children neither.

    The greater of two: m/B as often as the collective needs it, where B is the rate that the slowest host has for data
    besides headers, of all its links side by side; and the latencies of the longest way with the bytes over the slowest
    link on it (:func:`least_crossing_s` of the core), which is all where a cluster has sites.
    """
    cluster = job.cluster
    crossing = _core.least_crossing_s(cluster, job.placement, job.collective, job.root, message_bytes)
    hosts = set(job.placement)
    if cluster.has_sites or len(hosts) < 2 or _core.facts_of(job.collective).goes_by_pairs:
        return crossing
    switches = set(cluster.switches)
    ports = [link for link in cluster.links if not {link.a, link.b} <= switches]
    data_bps = min(port.width * port.rate_bps for port in ports) * _core.frame_payload_bytes / _core.frame_wire_bytes
    return max(crossing, _core.facts_of(job.collective).limit_in_transfers(len(hosts)) * message_bytes * 8 / data_bps)


def simulate_all(
    job: Job,
    algorithms: Sequence[Simulated],
    race: float = 0.0,
    on_progress: Callable[[Simulated, int], None] = lambda _one, _size: None,
    on_left_out: Callable[[LeftOut], None] = lambda _one: None,
) -> list[Row]:
    """One row for each algorithm and size, in that order; ``on_progress`` hears of each when it is there.

    Where ``auto`` leaves a call to the MPI library, the library's own choice is what is simulated.

    Args:
        job: Collective, cluster, placement, root and sizes.
        algorithms: In the order in which they are simulated.
        race: An algorithm is given up at a size once it has taken this many times the fastest before it; 0: none is.
        on_progress: Called with algorithm and size.
        on_left_out: Called with each case that has no row, because nobody here knows what the library runs.

    Raises:
        BadInput: where a file of plans is faulty, or is for another cluster.
        Failed: where a simulation ends badly, or its ranks do not run what :func:`decisions_of` says.
    """
    rows: list[Row] = []
    best: dict[int, float] = {}
    for algorithm in algorithms:
        own: list[Row] = []
        of_one = replace(job, host_costs=algorithm.host_costs or job.host_costs)
        for part in parts_of(of_one, algorithm, on_left_out):
            start = time.monotonic()
            most_s = {size: race * seconds for size, seconds in best.items() if race > 0.0}
            for outcome in simulate(part.job, part.runs, part.options, most_s, part.settings):
                now = time.monotonic()
                size = outcome.message_bytes
                part.check(outcome)
                own.append(_row(of_one, algorithm, part, outcome, most_s.get(size, 0.0), now - start))
                start = now
                on_progress(algorithm, size)
        for row in own:
            if not row.gave_up:
                best[row.message_bytes] = min(row.seconds_median, best.get(row.message_bytes, row.seconds_median))
        rows += sorted(own, key=lambda row: list(job.sizes).index(row.message_bytes))
    return rows


@dataclass(frozen=True)
class Part:
    """Sizes of one algorithm that SimGrid can run in one go."""

    job: Job
    runs: str
    options: Mapping[str, str]
    native_algorithm: str = ""
    decided: Mapping[int, _core.Decision] = field(default_factory=dict)
    """By size, what ``auto`` must run."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the preload library."""
    shapes: Mapping[str, str] = field(default_factory=dict)
    """By the name of a plan of a file, what ranks call it."""

    def check(self, outcome: Outcome) -> None:
        """Raise Failed where ranks do not run what 'trunkline explain' says."""
        one = self.decided.get(outcome.message_bytes)
        if one is None or outcome.seconds is None:
            return
        segments = (one.segment_bytes, min(one.segment_bytes, outcome.message_bytes))
        if outcome.ran == self.shapes.get(one.algorithm, one.algorithm) and outcome.segment_bytes in segments:
            return
        raise Failed(
            f"of {outcome.message_bytes} B the ranks ran {outcome.ran} in segments of {outcome.segment_bytes} B, but "
            f"'trunkline explain' says {one.algorithm}, {one.segment_bytes} B: a fault of Trunkline, please report it"
        )


def decisions_of(job: Job) -> dict[int, _core.Decision]:
    """By size, what ``auto`` runs under the job's library and costs: for so few calls it opens no multicast group."""
    knowledge = _core.Knowledge(job.cluster, job.library, "", "", host_costs=job.host_costs, multicasts=False)
    decider = _core.Decider(knowledge, job.collective, job.placement, job.root)
    return {size: decider.decide(size) for size in job.sizes}


def parts_of(job: Job, algorithm: Simulated, on_left_out: Callable[[LeftOut], None]) -> Iterator[Part]:
    """What SimGrid is to run for an algorithm at the job's sizes; ``on_left_out`` hears of those that nobody knows."""
    if algorithm.plan:
        yield from _planned(job, algorithm, on_left_out)
        return
    if algorithm.library is None and algorithm.runs != "auto":
        yield Part(job, algorithm.runs, algorithm.options)
        return
    decided = decisions_of(job) if algorithm.library is None else {}
    planned = [size for size, decision in decided.items() if decision.algorithm != "native"]
    if planned and len(job.placement) <= MOST_DECIDING:
        yield Part(replace(job, sizes=planned), algorithm.runs, algorithm.options, decided=decided)
    elif planned:
        told: dict[str, list[int]] = {}
        for size in planned:
            told.setdefault(f"{decided[size].algorithm}:{decided[size].segment_bytes}", []).append(size)
        for runs, sizes in told.items():
            yield Part(replace(job, sizes=sizes), runs, algorithm.options, decided=decided)
    library = job.library if algorithm.library is None else algorithm.library
    alike: dict[str, Part] = {}
    for size in job.sizes:
        if size in planned:
            continue
        choice = own_choice(library, job.collective, job.placement, job.root, size)
        if not choice.algorithm:
            on_left_out(LeftOut(algorithm.name, size, choice.why_not))
            continue
        before = alike.get(choice.algorithm)
        sizes = [*(before.job.sizes if before else ()), size]
        alike[choice.algorithm] = Part(replace(job, sizes=sizes), choice.runs, choice.options, choice.algorithm)
    yield from alike.values()


def _planned(job: Job, algorithm: Simulated, on_left_out: Callable[[LeftOut], None]) -> Iterator[Part]:
    """What runs plans of a file; ``on_left_out`` hears of sizes that none of them is for."""
    knowledge = _core.Knowledge(job.cluster, job.library, "", "", host_costs=job.host_costs, multicasts=False)
    with told_as_bad_input():
        read = _core.read_plans(algorithm.plan)
        knowledge.take_plans(read, algorithm.plan)
    decider = _core.Decider(knowledge, job.collective, job.placement, job.root)
    decided = {size: decider.decide(size) for size in job.sizes}
    planned = [size for size in job.sizes if _core.is_given(decided[size].algorithm)]
    for size in job.sizes:
        if size not in planned:
            on_left_out(LeftOut(algorithm.name, size, f"{algorithm.plan} has no plan for it: {decided[size].reason}"))
    if not planned:
        return
    names = ["TRUNKLINE_PLAN"] if len(read.plans) == 1 else [f"TRUNKLINE_PLAN {i + 1}" for i in range(len(read.plans))]
    shapes = {name: plan.algorithm for name, plan in zip_equal(names, read.plans)}
    settings = {"TRUNKLINE_PLAN": str(Path(algorithm.plan).absolute())}
    small = replace(job, sizes=planned)
    yield Part(small, algorithm.runs, algorithm.options, decided=decided, settings=settings, shapes=shapes)


def _row(job: Job, algorithm: Simulated, part: Part, outcome: Outcome, given_up_s: float, wall_s: float) -> Row:
    times = median_with_interval(outcome.times or [given_up_s])
    return Row(
        collective=job.collective,
        cluster=job.cluster.name,
        cluster_fingerprint=fingerprint_text(job.cluster),
        rate_bps=max(link.most_bps for link in job.cluster.links),
        host_rate_bps=slowest_host_bps(job.cluster),
        host_costs=job.host_costs,
        library=job.library.name,
        by_arrival=job.by_arrival,
        hosts=len(job.cluster.hosts),
        ranks=len(job.placement),
        mpi="simgrid",
        mpi_version=outcome.simgrid,
        algorithm=algorithm.name,
        ran=outcome.ran,
        native_algorithm=part.native_algorithm,
        segment_bytes=outcome.segment_bytes,
        message_bytes=outcome.message_bytes,
        seconds_median=times.value,
        seconds_low=times.low,
        seconds_high=times.high,
        repetitions=times.count,
        gave_up=outcome.seconds is None,
        limit_seconds=outcome.limit_seconds,
        bound_seconds=bound_seconds(job, outcome.message_bytes),
        wall_seconds=wall_s,
        work_seconds=job.work_s if outcome.overlapped_s else None,
        overlapped_seconds=outcome.overlapped_s,
        trunkline_version=_core.__version__,
    )
