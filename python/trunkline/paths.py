"""Where the parts of an installation are."""

from pathlib import Path

from trunkline import _core

__all__ = ["CLUSTERS", "EXAMPLES", "FABRIC", "IDLE_SHIM", "NATIVE", "example_program", "preload_library"]

NATIVE = Path(_core.__file__).parent
"""Folder of everything that was compiled."""

FABRIC = NATIVE / "libexec" / "trunkline-fabric"
IDLE_SHIM = NATIVE / "lib" / "libtrunkline-idle.so"
CLUSTERS = NATIVE / "clusters"
"""Folder of the bundled cluster files."""
EXAMPLES = ("gsum", "matmul")
"""Programs of ``examples/`` that are built for every MPI library."""


def preload_library(mpi: str) -> Path:
    """File of the preload library built for the MPI of this name (``mpich``, ``openmpi-5.0.11``); it may not exist."""
    return NATIVE / "lib" / f"libtrunkline-{mpi}.so"


def example_program(name: str, mpi: str) -> Path:
    """File of one of :data:`EXAMPLES`, built for the MPI of this name; it may not exist."""
    return NATIVE / "libexec" / f"trunkline-{name}-{mpi}"
