"""What every timed collective says of itself, on the lab or in a simulation."""

from dataclasses import asdict

from trunkline.compat import keyword_dataclass
from trunkline.registry import limit_in_transfers


@keyword_dataclass
class Timed:
    """One algorithm at one size: what lines of ``bench --json`` and of ``simulate --json`` have in common."""

    collective: str
    cluster: str
    cluster_fingerprint: str
    """Of the cluster at this rate: another network may have the same name."""
    rate_bps: float
    """Of the fastest link."""
    hosts: int
    ranks: int
    mpi: str
    """As given with ``--mpi``; ``simgrid``."""
    mpi_version: str
    algorithm: str
    ran: str
    """The algorithm that ``auto`` picked; ``native`` for others' algorithms; else the same as ``algorithm``."""
    segment_bytes: int
    """0: not Trunkline's."""
    message_bytes: int
    seconds_median: float
    seconds_low: float
    seconds_high: float
    repetitions: int
    limit_seconds: float
    """T(m) in the same run."""
    trunkline_version: str

    @property
    def least_seconds(self) -> float:
        """What no algorithm can do better than: T(m) as often as the collective needs it."""
        return self.limit_seconds * limit_in_transfers(self.collective, self.hosts)

    def as_json(self) -> dict[str, object]:
        """The line as the command writes it."""
        return asdict(self)
