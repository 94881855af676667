"""``trunkline simulate COLLECTIVE``: algorithms against each other, against T(m) and against the bound."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trunkline import _core
from trunkline.bench.cell import Timed
from trunkline.cluster import fingerprint_text
from trunkline.peers.simulated import Simulated
from trunkline.registry import limit_in_transfers
from trunkline.simulate.engine import Job, Outcome, simulate

__all__ = ["Row", "bound_seconds", "simulate_all"]


@dataclass(kw_only=True)
class Row(Timed):
    """One line of ``simulate COLLECTIVE --json``; median, low and high are one time, that of every repetition."""

    gave_up: bool
    """It took longer than ``seconds_median``, and was not simulated to its end."""
    bound_seconds: float
    """See :func:`bound_seconds`."""
    wall_seconds: float
    """How long the simulation took, from the size before or the start on."""


def bound_seconds(job: Job, message_bytes: int) -> float:
    """m/B as often as the collective needs it; where data goes one way, plus the latency of a tree.

    B is the rate that the slowest host has for data besides headers, of all its links side by side. The tree is the
    least deep contention-free binary one: each level of it, over one rank of each host, costs at least the latency of
    the two links between the nearest hosts.
    """
    cluster = job.cluster
    hosts = sorted(set(job.placement))
    switches = set(cluster.switches)
    ports = [link for link in cluster.links if not {link.a, link.b} <= switches]
    least = limit_in_transfers(job.collective, len(hosts))
    levels = _core.height_bound(cluster, hosts, hosts.index(job.placement[job.root])) if least == 1.0 else 0
    data_bps = min(port.width * port.rate_bps for port in ports) * _core.frame_payload_bytes / _core.frame_wire_bytes
    return least * message_bytes * 8 / data_bps + levels * 2 * min(port.latency_s for port in ports)


def simulate_all(
    job: Job,
    algorithms: Sequence[Simulated],
    race: float = 0.0,
    on_progress: Callable[[Simulated, int], None] = lambda _one, _size: None,
) -> list[Row]:
    """One row for each algorithm and size, in that order; ``on_progress`` hears of each when it is there.

    Args:
        job: Collective, cluster, placement, root and sizes.
        algorithms: In the order in which they are simulated.
        race: An algorithm is given up at a size once it has taken this many times the fastest before it; 0: none is.
        on_progress: Called with algorithm and size.

    Raises:
        Failed: where a simulation ends badly.
    """
    rows: list[Row] = []
    best: dict[int, float] = {}
    for one in algorithms:
        start = time.monotonic()
        most_s = {size: race * seconds for size, seconds in best.items() if race > 0.0}
        for outcome in simulate(job, one.runs, one.options, most_s):
            now = time.monotonic()
            size = outcome.message_bytes
            rows.append(_row(job, one, outcome, most_s.get(size, 0.0), now - start))
            start = now
            if outcome.seconds is not None:
                best[size] = min(outcome.seconds, best.get(size, outcome.seconds))
            on_progress(one, size)
    return rows


def _row(job: Job, one: Simulated, outcome: Outcome, given_up_s: float, wall_s: float) -> Row:
    seconds = given_up_s if outcome.seconds is None else outcome.seconds
    return Row(
        collective=job.collective,
        cluster=job.cluster.name,
        cluster_fingerprint=fingerprint_text(job.cluster),
        rate_bps=max(link.rate_bps for link in job.cluster.links),
        hosts=len(job.cluster.hosts),
        ranks=len(job.placement),
        mpi="simgrid",
        mpi_version=outcome.simgrid,
        algorithm=one.name,
        ran=outcome.ran,
        segment_bytes=outcome.segment_bytes,
        message_bytes=outcome.message_bytes,
        seconds_median=seconds,
        seconds_low=seconds,
        seconds_high=seconds,
        repetitions=1,
        gave_up=outcome.seconds is None,
        limit_seconds=outcome.limit_seconds,
        bound_seconds=bound_seconds(job, outcome.message_bytes),
        wall_seconds=wall_s,
        trunkline_version=_core.__version__,
    )
