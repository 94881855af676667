import pytest
from borrowed import borrow

theirs = borrow("runtime")
globals().update({name: one for name, one in vars(theirs).items() if not name.startswith("__")})


def blas_program(name, mpi):
    """The file of a program that is built where there is a BLAS."""
    found = theirs.BUILD / "papers" / f"trunkline-{name}-{mpi.name}"
    if not found.exists():
        pytest.skip("there is no BLAS here")
    return found
