"""Gsum, the allreduce paper's benchmark, on simulated hosts: its own processors, which no lab has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from trunkline import _core
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput, Failed
from trunkline.peers.simulated import Simulated, simulated_plan
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import LeftOut, parts_of
from trunkline_papers.allreduce.gsum import NATIVE_PLAN
from trunkline_papers.simulated import run_program

__all__ = [
    "PAPER_GAINS",
    "Claimed",
    "GsumRow",
    "Summed",
    "check_plan",
    "rows_of",
    "time_native",
    "time_plan",
    "verdict",
]

PAPER_GAINS = {"8w": 1.49, "4w": 1.20, "now": 2.44 * 1.37}
"""By bundled cluster: the paper's best configuration over its initial one. On NOW that is both of its steps from
``quadNOW``; its own 1.37 counts from ``splitNOW``. Blade's 1.18 counts from one that it does not state."""

_ALIKE = 0.05
"""Up to so much beside the paper's number counts as the same."""
_NO_CHANGE = 0.03
_LINE = re.compile(r"gsum: \d+ ranks, (\d+) bytes: ([0-9.]+) us an allreduce, sums (\w+)")


@dataclass(frozen=True)
class Claimed:
    """What the paper says, beside what came out."""

    over: str
    times_faster_in_paper: float
    times_faster: float
    """By Trunkline's executors."""
    times_faster_by_threads: float | None
    """By the paper's own runtime; None: it is not simulated."""

    @property
    def verdicts(self) -> tuple[str, str]:
        """In a few words, of both; the second one is empty where there is none."""
        threads = self.times_faster_by_threads
        paper = self.times_faster_in_paper
        return verdict(paper, self.times_faster), verdict(paper, threads) if threads else ""

    def as_json(self) -> dict[str, object]:
        """For ``--json``."""
        executors, threads = self.verdicts
        return {**asdict(self), "verdict": executors, "verdict_by_threads": threads}


@dataclass(frozen=True)
class Summed:
    """Times of one plan by size."""

    name: str
    ran: Mapping[int, str]
    """For people, by bytes."""
    seconds: Mapping[int, float]
    """Of one allreduce, by bytes."""
    by_threads: Mapping[int, float] = field(default_factory=dict)
    """The same by the paper's own runtime; empty: it is not simulated."""


@dataclass(frozen=True, kw_only=True)
class GsumRow:
    """One line of ``trunkline_papers simulate gsum --json``."""

    benchmark: str = "gsum"
    collective: str = "allreduce"
    cluster: str
    cluster_fingerprint: str
    rate_bps: float
    host_costs: str
    library: str
    """Whose own algorithm ``native`` is."""
    by_arrival: bool
    """Ranks of a host combine as they come, where they can."""
    hosts: int
    ranks: int
    mpi: str = "simgrid"
    algorithm: str
    """``initial``, ``tuned``, ``native``, a configuration of the paper or the name of a file."""
    ran: str
    message_bytes: int
    iterations: int
    seconds_median: float
    """Of one allreduce: a simulation has no spread."""
    over_initial: float | None
    over_native: float | None
    seconds_by_threads: float | None
    """By the paper's own runtime, in which threads combine in memory; None: it is not simulated."""
    over_initial_by_threads: float | None
    claims: list[Claimed] = field(default_factory=list)
    trunkline_version: str

    def as_json(self) -> dict[str, object]:
        """The line as the command writes it."""
        return {**asdict(self), "claims": [one.as_json() for one in self.claims]}


def verdict(paper: float, here: float) -> str:
    """Whether two gains say the same: ``as in the paper``, ``less than in the paper``, ..."""
    if abs(here / paper - 1.0) <= _ALIKE:
        return "as in the paper"
    gains = [0 if abs(one - 1.0) <= _NO_CHANGE else 1 if one > 1.0 else -1 for one in (paper, here)]
    if gains[0] != gains[1]:
        return "differs"
    nearer = abs(here - 1.0) < abs(paper - 1.0)
    return "less than in the paper" if nearer else "more than in the paper"


def check_plan(job: Job, file: Path) -> None:
    """Raise BadInput where the file is faulty, or none of its plans is for a size of the job."""
    for _ in parts_of(job, simulated_plan(str(file)), _refuse):
        pass


def time_plan(job: Job, file: Path, iterations: int) -> dict[int, float]:
    """Seconds of an allreduce by size, along the plans of a file.

    Raises:
        BadInput: where none of its plans is for a size, or it is faulty.
        Failed: where the simulation ends badly.
    """
    (part,) = parts_of(job, simulated_plan(str(file)), _refuse)
    return _run(job, part.runs, part.options, "gsum", iterations, part.settings)


def time_native(
    job: Job, iterations: int, on_left_out: Callable[[LeftOut], None]
) -> tuple[dict[int, float], dict[int, str]]:
    """Seconds of an allreduce by size as the job's library runs it by itself, and what that is.

    ``on_left_out`` hears of sizes for which nobody here knows that.

    Raises:
        Failed: where the simulation ends badly.
    """
    seconds: dict[int, float] = {}
    ran: dict[int, str] = {}
    for part in parts_of(job, Simulated(NATIVE_PLAN, "native", {}, job.library), on_left_out):
        program = "gsum-by-hosts" if part.runs == "native-by-hosts" else "gsum"
        seconds |= _run(part.job, part.runs, part.options, program, iterations, {})
        ran |= dict.fromkeys(part.job.sizes, part.native_algorithm)
    return seconds, ran


def rows_of(
    job: Job,
    iterations: int,
    summed: Sequence[Summed],
    claims: Mapping[str, Sequence[tuple[str, float, int]]],
    host_costs: str,
) -> list[GsumRow]:
    """A row for each plan and size, size by size.

    Args:
        job: What was simulated.
        iterations: Of two allreduces each.
        summed: What came out.
        claims: By plan what the paper says: over which other one it is how many times faster, at how many bytes.
        host_costs: What messages cost their hosts, as it was said: by the name of the paper's hosts.
    """
    by_name = {one.name: one for one in summed}

    def over(name: str, one: Summed, size: int) -> float | None:
        other = by_name.get(name)
        return other.seconds[size] / one.seconds[size] if other and size in other.seconds else None

    def over_by_threads(name: str, one: Summed, size: int) -> float | None:
        other = by_name.get(name)
        if other is None or size not in other.by_threads or size not in one.by_threads:
            return None
        return other.by_threads[size] / one.by_threads[size]

    def claimed(one: Summed, size: int) -> list[Claimed]:
        said = [(name, paper) for name, paper, at in claims.get(one.name, ()) if at == size]
        found = ((name, paper, over(name, one, size), over_by_threads(name, one, size)) for name, paper in said)
        return [Claimed(name, paper, here, threads) for name, paper, here, threads in found if here is not None]

    return [
        GsumRow(
            cluster=job.cluster.name,
            cluster_fingerprint=fingerprint_text(job.cluster),
            rate_bps=max(link.most_bps for link in job.cluster.links),
            host_costs=host_costs,
            library=job.library.name,
            by_arrival=job.by_arrival,
            hosts=len(job.cluster.hosts),
            ranks=len(job.placement),
            algorithm=one.name,
            ran=one.ran[size],
            message_bytes=size,
            iterations=iterations,
            seconds_median=one.seconds[size],
            over_initial=over("initial", one, size),
            over_native=over(NATIVE_PLAN, one, size),
            seconds_by_threads=one.by_threads.get(size),
            over_initial_by_threads=over_by_threads("initial", one, size),
            claims=claimed(one, size),
            trunkline_version=_core.__version__,
        )
        for size in job.sizes
        for one in summed
        if size in one.seconds
    ]


def _refuse(left: LeftOut) -> None:
    raise BadInput(f"{left.message_bytes} bytes: {left.why}")


def _run(
    job: Job, runs: str, options: Mapping[str, str], program: str, iterations: int, settings: Mapping[str, str]
) -> dict[int, float]:
    words = (program, str(iterations), *map(str, job.sizes))
    found = dict(run_program(job, runs, options, words, _times, settings))
    if set(found) != set(job.sizes):
        raise Failed(f"the simulation of {runs} has no times of {', '.join(map(str, set(job.sizes) - set(found)))} B")
    return found


def _times(lines: Iterable[str]) -> Iterator[tuple[int, float]]:
    for line in lines:
        if found := _LINE.match(line):
            if found[3] != "right":
                raise Failed(f"a simulated sum is wrong: {line.strip()}")
            yield int(found[1]), float(found[2]) * 1e-6
