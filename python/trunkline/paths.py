"""Where the parts of an installation are."""

from pathlib import Path

from trunkline import _core

__all__ = ["CLUSTERS", "FABRIC", "IDLE_SHIM", "NATIVE", "preload_library"]

NATIVE = Path(_core.__file__).parent
"""Folder of everything that was compiled."""

FABRIC = NATIVE / "libexec" / "trunkline-fabric"
IDLE_SHIM = NATIVE / "lib" / "libtrunkline-idle.so"
CLUSTERS = NATIVE / "clusters"
"""Folder of the bundled cluster files."""


def preload_library(mpi: str) -> Path:
    """File of the preload library built for the MPI of this name (``mpich``, ``openmpi-5.0.11``); it may not exist."""
    return NATIVE / "lib" / f"libtrunkline-{mpi}.so"
