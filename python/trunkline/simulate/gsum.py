"""Gsum, the allreduce paper's benchmark, on simulated hosts: its own processors, which no lab has."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from trunkline import _core
from trunkline.bench.gsum import NATIVE_PLAN
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput, Failed
from trunkline.peers.simulated import Simulated, simulated_plan
from trunkline.simulate.engine import Job, run_ranks
from trunkline.simulate.rows import LeftOut, parts_of

__all__ = [
    "PAPER_GAINS",
    "PAPER_HOSTS",
    "Claimed",
    "GsumRow",
    "Summed",
    "rows_of",
    "time_native",
    "time_plan",
    "verdict",
]

PAPER_HOSTS = {
    "8w": "pentium-pro-200",
    "4w": "pentium-pro-166",
    "now": "pentium-ii-300",
    "blade": "pentium-iii-900",
    "4w+8w": "pentium-pro-166",
}
"""By bundled cluster: what messages cost its hosts. Those of 4w+8w differ; all count as 4w's, the slower ones."""

PAPER_GAINS = {"8w": 1.49, "4w": 1.20, "now": 1.37, "blade": 1.18}
"""By bundled cluster: the paper's best configuration over its initial one."""

_ALIKE = 0.1
"""Up to so much beside the paper's number counts as the same."""
_NO_CHANGE = 0.03
_LINE = re.compile(r"gsum: \d+ ranks, (\d+) bytes: ([0-9.]+) us an allreduce, sums (\w+)")


@dataclass(frozen=True)
class Claimed:
    """What the paper says, beside what came out."""

    over: str
    times_faster_in_paper: float
    times_faster: float

    @property
    def verdict(self) -> str:
        """In a few words."""
        return verdict(self.times_faster_in_paper, self.times_faster)

    def as_json(self) -> dict[str, object]:
        """For ``--json``."""
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class Summed:
    """Times of one plan by size."""

    name: str
    ran: Mapping[int, str]
    """For people, by bytes."""
    seconds: Mapping[int, float]
    """Of one allreduce, by bytes."""


@dataclass(frozen=True, kw_only=True)
class GsumRow:
    """One line of ``simulate gsum --json``."""

    benchmark: str = "gsum"
    collective: str = "allreduce"
    cluster: str
    cluster_fingerprint: str
    rate_bps: float
    host_costs: str
    library: str
    """Whose own algorithm ``native`` is."""
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


def time_plan(job: Job, file: Path, iterations: int) -> dict[int, float]:
    """Seconds of an allreduce by size, along the plans of a file.

    Raises:
        BadInput: where none of its plans is for a size, or it is faulty.
        Failed: where the simulation ends badly.
    """

    def refuse(left: LeftOut) -> None:
        raise BadInput(f"{left.message_bytes} bytes: {left.why}")

    one = simulated_plan(str(file))
    (part,) = parts_of(job, one, refuse)
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
    job: Job, iterations: int, summed: Sequence[Summed], claims: Mapping[str, Sequence[tuple[str, float, int]]]
) -> list[GsumRow]:
    """A row for each plan and size, size by size.

    Args:
        job: What was simulated.
        iterations: Of two allreduces each.
        summed: What came out.
        claims: By plan what the paper says: over which other one it is how many times faster, at how many bytes.
    """
    by_name = {one.name: one for one in summed}

    def over(name: str, one: Summed, size: int) -> float | None:
        other = by_name.get(name)
        return other.seconds[size] / one.seconds[size] if other and size in other.seconds else None

    def claimed(one: Summed, size: int) -> list[Claimed]:
        found = ((name, paper, over(name, one, size)) for name, paper, at in claims.get(one.name, ()) if at == size)
        return [Claimed(name, paper, here) for name, paper, here in found if here is not None]

    return [
        GsumRow(
            cluster=job.cluster.name,
            cluster_fingerprint=fingerprint_text(job.cluster),
            rate_bps=max(link.rate_bps for link in job.cluster.links),
            host_costs=job.host_costs,
            library=job.library.name,
            hosts=len(job.cluster.hosts),
            ranks=len(job.placement),
            algorithm=one.name,
            ran=one.ran[size],
            message_bytes=size,
            iterations=iterations,
            seconds_median=one.seconds[size],
            over_initial=over("initial", one, size),
            over_native=over(NATIVE_PLAN, one, size),
            claims=claimed(one, size),
            trunkline_version=_core.__version__,
        )
        for size in job.sizes
        for one in summed
        if size in one.seconds
    ]


def _run(
    job: Job, runs: str, options: Mapping[str, str], program: str, iterations: int, settings: Mapping[str, str]
) -> dict[int, float]:
    words = (program, str(iterations), *map(str, job.sizes))
    found = dict(run_ranks(job, runs, options, words, _times, settings))
    if set(found) != set(job.sizes):
        raise Failed(f"the simulation of {runs} has no times of {', '.join(map(str, set(job.sizes) - set(found)))} B")
    return found


def _times(lines: Iterable[str]) -> Iterator[tuple[int, float]]:
    for line in lines:
        if found := _LINE.match(line):
            if found[3] != "right":
                raise Failed(f"a simulated sum is wrong: {line.strip()}")
            yield int(found[1]), float(found[2]) * 1e-6
