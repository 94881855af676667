"""The MPI job whose library is tuned in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.placement import hosts_used, placement_on


@dataclass(frozen=True)
class PeerJob:
    """Which of the library's collectives runs, where and how: on the lab's first hosts, or on all."""

    lab: Lab
    mpi: Mpi
    collective: str
    ranks_per_host: int = 1
    host_count: int | None = None

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts in use."""
        return hosts_used(self.lab.cluster, self.host_count)

    @property
    def ranks(self) -> int:
        """All of them."""
        return len(self.hosts) * self.ranks_per_host

    @property
    def placement(self) -> Sequence[int]:
        """Host of each rank."""
        return placement_on(self.lab.cluster, self.ranks_per_host, self.host_count)
