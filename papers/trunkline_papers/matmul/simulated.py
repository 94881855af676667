"""The speed-up of ``papers/programs/matmul.c`` on simulated hosts: figure 5 of the paper on UDP broadcasts."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict

from trunkline import _core
from trunkline.cluster import fingerprint_text
from trunkline.compat import keyword_dataclass
from trunkline.peers.simulated import Simulated
from trunkline.predict import setting_of
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import LeftOut, Part, host_rate_bps, parts_of
from trunkline_papers.simulated import run_program

__all__ = ["PAPER_PART", "Multiplied", "largest_block", "multiply_all"]

PAPER_PART = 0.8
"""Of figure 5 the words alone are left: speed-ups are "near 20% of the optimal ones", its broadcast over UDP."""

_ELEMENT_BYTES = 8
_LINE = re.compile(r"matmul: \d+ ranks, order \d+: ([0-9.]+) s, ([0-9.]+) s of them in MPI_Bcast")


@keyword_dataclass(frozen=True)
class Multiplied:
    """One line of ``trunkline_papers simulate matmul --json``: one algorithm on so many hosts."""

    cluster: str
    cluster_fingerprint: str
    rate_bps: float
    """Of the fastest link."""
    host_rate_bps: float
    """Of the slowest host's link."""
    library: str
    """The MPI library whose ranks these are."""
    host_costs: str
    """Name of what messages cost their hosts."""
    host_gflops: float
    """How fast a host multiplies."""
    order: int
    hosts: int
    """That take part, one rank on each."""
    message_bytes: int
    """Of the largest broadcast."""
    algorithm: str
    ran: str
    """What that was for the largest broadcast; what a library runs by itself in its own words."""
    seconds: float
    bcast_seconds: float
    """In MPI_Bcast, of the rank that was there longest."""
    alone_seconds: float
    """What one host takes."""
    speed_up: float
    trunkline_version: str

    def as_json(self) -> dict[str, object]:
        """The line as the command writes it."""
        return asdict(self)


def largest_block(order: int, hosts: int) -> int:
    """Bytes of the largest broadcast: the columns of one host."""
    return -(-order // hosts) * order * _ELEMENT_BYTES


def multiply_all(
    jobs: Sequence[Job],
    algorithms: Sequence[Simulated],
    order: int,
    host_gflops: float,
    on_progress: Callable[[Job, Simulated], None] = lambda _job, _one: None,
    on_left_out: Callable[[Job, LeftOut], None] = lambda _job, _one: None,
) -> list[Multiplied]:
    """One row for each job and algorithm, where SimGrid can run it.

    Args:
        jobs: Broadcasts of :func:`largest_block`, one rank a host.
        algorithms: Of broadcasts.
        order: Of the matrices.
        host_gflops: How fast a host multiplies.
        on_progress: Called with each job and algorithm before it is simulated.
        on_left_out: Called with each case that nobody here knows how to run.

    Raises:
        Failed: where a simulation ends badly.
    """
    rows: list[Multiplied] = []
    for job in jobs:

        def leave_out(one: LeftOut, job: Job = job) -> None:
            on_left_out(job, one)

        for one in algorithms:
            on_progress(job, one)
            rows += [_multiply(job, one, part, order, host_gflops) for part in parts_of(job, one, leave_out)]
    return rows


def _multiply(job: Job, one: Simulated, part: Part, order: int, host_gflops: float) -> Multiplied:
    settings = {} if part.runs.startswith("native") else {setting_of("bcast"): part.runs}
    words = ("matmul", "--order", str(order), "--pretend", repr(host_gflops))
    (times,) = run_program(job, part.runs, part.options, words, _times, settings)
    seconds, bcast_seconds = times
    (message_bytes,) = job.sizes
    decided = part.decided.get(message_bytes)
    planned = decided.algorithm if decided else one.name
    alone_seconds = 2.0 * order**3 / (host_gflops * 1e9)
    return Multiplied(
        cluster=job.cluster.name,
        cluster_fingerprint=fingerprint_text(job.cluster),
        rate_bps=max(link.most_bps for link in job.cluster.links),
        host_rate_bps=host_rate_bps(job.cluster),
        library=job.library.name,
        host_costs=job.host_costs,
        host_gflops=host_gflops,
        order=order,
        hosts=len(job.placement),
        message_bytes=message_bytes,
        algorithm=one.name,
        ran=f"{'native, ' if one.runs == 'auto' else ''}{part.native_algorithm}" if part.native_algorithm else planned,
        seconds=seconds,
        bcast_seconds=bcast_seconds,
        alone_seconds=alone_seconds,
        speed_up=alone_seconds / seconds,
        trunkline_version=_core.__version__,
    )


def _times(lines: Iterable[str]) -> Iterator[tuple[float, float]]:
    for line in lines:
        if found := _LINE.match(line):
            yield float(found[1]), float(found[2])
