"""What ``auto`` gains over simulated rivals, by link rate and message size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from trunkline import _core
from trunkline.compat import pairwise
from trunkline.long_links import LongLinks, long_links_of
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import Row


@dataclass(frozen=True)
class Gain:
    """One line of ``simulate gains --json``: one rival at one rate and size."""

    collective: str
    cluster: str
    cluster_fingerprint: str
    """Of the cluster at this rate."""
    hosts: int
    ranks: int
    rate_bps: float
    """Of the fastest link."""
    host_rate_bps: float
    """Of the slowest host's link."""
    long_rate_bps: float
    """Of the fastest link between sites; 0: there are none."""
    long_latency_s: float
    """Of the longest one; 0: there are none."""
    library: str
    """The MPI library whose ranks these are, to which ``auto`` leaves what it does not plan."""
    host_costs: str
    """Name of what messages cost their hosts: ``free``, or the library it was measured with."""
    rival_host_costs: str
    """The same of the rival's messages."""
    message_bytes: int
    limit_seconds: float
    """T(m)."""
    bound_seconds: float
    """What no algorithm goes below: the longest way's latencies, and the bytes over its slowest link."""
    auto_seconds: float
    auto_ran: str
    auto_native_algorithm: str
    """What that library runs, where ``auto`` leaves the call to it; else empty."""
    segment_bytes: int
    rival: str
    rival_algorithm: str
    """What the rival runs, in its library's words."""
    rival_seconds: float
    at_least: bool
    """The rival was given up after ``rival_seconds``: the gain is larger."""
    gain: float
    """The rival's time over that of ``auto``: above 1 where Trunkline is faster."""

    def as_json(self) -> dict[str, object]:
        """The line as the command writes it."""
        return asdict(self)


def gains_of(rows: Sequence[Row], job: Job, auto: str = "auto") -> list[Gain]:
    """One for each rival and size, by size, where both have a time; ``rows`` are of this job.

    Raises:
        ValueError: where there are rows of several jobs.
    """
    for a, b in pairwise(rows):
        if (a.collective, a.cluster_fingerprint, a.ranks) != (b.collective, b.cluster_fingerprint, b.ranks):
            raise ValueError("the rows are of several jobs")
    own = {row.message_bytes: row for row in rows if row.algorithm == auto}
    others = [row for row in rows if row.algorithm != auto and row.message_bytes in own]
    others.sort(key=lambda row: list(own).index(row.message_bytes))
    long = long_links_of(job.cluster)
    bounds = {size: _core.least_crossing_s(job.cluster, job.placement, job.collective, job.root, size) for size in own}
    return [_gain(own[row.message_bytes], row, long, bounds[row.message_bytes]) for row in others]


def _gain(auto: Row, rival: Row, long: LongLinks | None, bound_s: float) -> Gain:
    return Gain(
        **{name: getattr(auto, name) for name in _ALIKE},
        long_rate_bps=long.most_bps if long else 0.0,
        long_latency_s=long.most_s if long else 0.0,
        rival_host_costs=rival.host_costs,
        bound_seconds=bound_s,
        auto_seconds=auto.seconds_median,
        auto_ran=auto.ran,
        auto_native_algorithm=auto.native_algorithm,
        rival=rival.algorithm,
        rival_algorithm=rival.native_algorithm or rival.algorithm,
        rival_seconds=rival.seconds_median,
        at_least=rival.gave_up,
        gain=rival.seconds_median / auto.seconds_median,
    )


_ALIKE = (
    *("collective", "cluster", "cluster_fingerprint", "hosts", "ranks", "rate_bps", "host_rate_bps", "library"),
    *("host_costs", "message_bytes", "limit_seconds", "segment_bytes"),
)
"""What a gain has of its call, as the row of ``auto`` has it."""
