"""``trunkline library``: where the preload library for an MPI is."""

from typing import Annotated

import typer

from trunkline.errors import BadInput
from trunkline.mpi import require_mpi
from trunkline.paths import preload_library

__all__ = ["library"]


def library(
    mpi: Annotated[str, typer.Option(help="The MPI library the program runs on: mpich, openmpi, mpich-5.0.2, ...")],
) -> None:
    """Print the path of the preload library built for an MPI library, for LD_PRELOAD."""
    found = require_mpi(mpi)
    path = preload_library(found.name)
    if not path.exists():
        raise BadInput(
            f"no preload library was built for {found.name}; run 'make setup' again now that it is installed"
        )
    print(path)
