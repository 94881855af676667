"""``trunkline library``: where the preload library for an MPI is."""

from typing import Annotated

from trunkline.cli.options import mpi_option
from trunkline.mpi import preload_of, require_mpi

__all__ = ["library"]


def library(
    mpi: Annotated[str, mpi_option("The MPI library the program runs on: mpich, openmpi, mpich-5.0.2, ...")],
) -> None:
    """Print the path of the preload library built for an MPI library, for LD_PRELOAD."""
    print(preload_of(require_mpi(mpi)))
