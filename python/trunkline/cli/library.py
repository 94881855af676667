"""``trunkline library``: where the preload library for an MPI is."""

from typing import Annotated

import typer

from trunkline.mpi import preload_of, require_mpi

__all__ = ["library"]


def library(
    mpi: Annotated[str, typer.Option(help="The MPI library the program runs on: mpich, openmpi, mpich-5.0.2, ...")],
) -> None:
    """Print the path of the preload library built for an MPI library, for LD_PRELOAD."""
    print(preload_of(require_mpi(mpi)))
