"""``trunkline_papers program``: where a program of ``papers/programs`` was built."""

from typing import Annotated

import typer

from trunkline.cli.options import mpi_option
from trunkline.errors import BadInput
from trunkline.mpi import require_mpi
from trunkline_papers.paths import built

__all__ = ["program"]

_PROGRAMS = ("gsum", "lu", "matmul")
_ON_BLAS = ("lu", "matmul")


def program(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(_PROGRAMS)}.")],
    mpi: Annotated[str, mpi_option("The MPI library that it is built for.")] = "mpich",
) -> None:
    """Print the file of a program, built for an MPI library, for 'trunkline lab run' and the like."""
    if name not in _PROGRAMS:
        raise BadInput(f"there is no program '{name}'; there are: {', '.join(_PROGRAMS)}")
    file = built(name, require_mpi(mpi).name)
    if not file.exists():
        needs = ", where there is a BLAS (apt-get install libopenblas-serial-dev)" if name in _ON_BLAS else ""
        raise BadInput(f"{file} is missing: 'make papers-programs' builds it{needs}")
    print(file)
