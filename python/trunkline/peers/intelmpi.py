"""Intel MPI: the runtime from PyPI under programs built for MPICH's ABI; its numbered broadcast algorithms."""

from pathlib import Path

from trunkline import _core
from trunkline.peers.driver import DEFAULT, PreloadDriver, Setting

__all__ = ["IntelMpiDriver"]

ALGORITHMS = range(1, 15)
"""Of ``I_MPI_ADJUST_BCAST``: binomial, ring, topology-aware ones, Knomial, ... in the numbers of its reference."""


class IntelMpiDriver(PreloadDriver):
    """Intel MPI."""

    def settings(self, cluster: _core.Cluster, folder: Path) -> list[Setting]:
        """See :meth:`trunkline.peers.driver.Driver.settings`."""
        del cluster, folder
        return [DEFAULT, *(Setting(f"algorithm {n}", {"I_MPI_ADJUST_BCAST": str(n)}) for n in ALGORITHMS)]
