"""Intel MPI: the runtime from PyPI under programs built for MPICH's ABI; its numbered algorithms."""

from pathlib import Path

from trunkline import _core
from trunkline.peers.algorithm import in_variables
from trunkline_papers.peers.driver import DEFAULT, PreloadDriver, Setting

__all__ = ["IntelMpiDriver"]

ALGORITHMS = {
    "bcast": range(1, 15),
    "reduce": range(1, 8),
    "allreduce": range(1, 13),
    "barrier": range(1, 7),
    "reduce-scatter": range(1, 6),
    "allgather": range(1, 6),
    "allgatherv": range(1, 5),
}
"""Of ``I_MPI_ADJUST_BCAST`` and its like: binomial, ring, topology-aware ones, ... in the numbers of its reference. It
names none for MPI_Reduce_scatter_block."""


class IntelMpiDriver(PreloadDriver):
    """Intel MPI."""

    def settings(self, collective: str, cluster: _core.Cluster, folder: Path) -> list[Setting]:
        """See :meth:`trunkline_papers.peers.driver.Driver.settings`."""
        del cluster, folder
        variable = f"I_MPI_ADJUST_{in_variables(collective).upper()}"
        return [DEFAULT, *(Setting(f"algorithm {n}", {variable: str(n)}) for n in ALGORITHMS.get(collective, ()))]
