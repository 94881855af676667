"""The speed-up of ``papers/programs/matmul.c`` on simulated hosts: figure 5 of the paper on UDP broadcasts."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from trunkline import _core
from trunkline.accuracy import slowest_host_bps
from trunkline.cluster import fingerprint_text
from trunkline.peers.simulated import Simulated, simulated_algorithms
from trunkline.predict import setting_of
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import LeftOut, Part, parts_of
from trunkline_papers.simulated import run_program

__all__ = ["PAPER_READINGS", "PVM", "Multiplied", "largest_block", "matmul_algorithms", "multiply_all"]

PAPER_READINGS = {"within 20 % of the optimum": 0.8, "20 % of the optimum": 0.2}
"""Of figure 5 words alone are left: speed-ups with its broadcast over UDP "are near 20% of the optimal ones". Both are
what that may mean, as parts of the number of hosts."""

PVM = "pvm"
_PVM_FRAGMENT = 4080
"""Bytes that its daemons send at once, by default."""
_PVM_COSTS = "free,send-byte=233ns"
"""Figure 2 of the paper, in words: PVM has less than 1 MB/s for more than three receivers, whatever the length. So a
byte to each of four receivers takes a microsecond at least, and one to one 250 ns: these, and 17 ns that a fragment
waits for the wire at 100 Mbit/s. A faster PVM would not be the paper's."""


def matmul_algorithms(names: Sequence[str], library: _core.NativeLibrary) -> list[Simulated]:
    """Broadcasts by their names: as 'trunkline simulate bcast' takes them, and PVM's.

    ``pvm`` sends every receiver its own copy, one after another. ``multicast`` is told to ranks by the setting of
    broadcasts: for as few calls as these ``auto`` would open no group.

    Raises:
        BadInput: where there is no such broadcast.
    """
    found = []
    for name in names:
        if name == PVM:
            found.append(Simulated(PVM, f"flat:{_PVM_FRAGMENT}", {}, host_costs=_PVM_COSTS))
        else:
            found += simulated_algorithms("bcast", [name], library)
    return found


_ELEMENT_BYTES = 8
_LINE = re.compile(r"matmul: \d+ ranks, order \d+: ([0-9.]+) s, ([0-9.]+) s of them in MPI_Bcast")


@dataclass(frozen=True, kw_only=True)
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
    """What messages cost their hosts."""
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
            of_one = replace(job, host_costs=one.host_costs or job.host_costs)
            rows += [_multiply(of_one, one, part, order, host_gflops) for part in parts_of(of_one, one, leave_out)]
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
        host_rate_bps=slowest_host_bps(job.cluster),
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
