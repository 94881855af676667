"""Where the parts of an installation are."""

import os
import sys
from pathlib import Path

from trunkline import __version__, _core

_OWN = Path(_core.__file__).parent
NATIVE = _OWN if (_OWN / "clusters").is_dir() else _OWN.parents[1]
"""Folder of everything that was compiled with the package: itself or, where CMake installed it, ``lib/trunkline``."""
SOURCE = NATIVE / "source"
"""What preload libraries are built from, and ``trunkline.h`` in its ``include``."""

FABRIC = NATIVE / "libexec" / "trunkline-fabric"
IDLE_SHIM = NATIVE / "lib" / "libtrunkline-idle.so"
CHOOSER = NATIVE / "lib" / "libtrunkline.so"
"""The preload library that takes the one for whichever MPI library it finds in a program."""
SLURM_PLUGIN = NATIVE / "lib" / "trunkline-spank.so"
"""It need not be there: Slurm's header may have been missing."""
CLUSTERS = NATIVE / "clusters"
"""Folder of the bundled cluster files."""


def kept_folders() -> list[Path]:
    """Where ``trunkline library --build`` keeps what it builds for this version, a folder for each MPI library in it.

    First the one of a virtual environment, which all of its users find and which goes with it; then the user's own
    (``XDG_DATA_HOME``, by default ``~/.local/share``). They need not exist.
    """
    prefix = Path(sys.prefix)
    is_environment = sys.prefix != sys.base_prefix or (prefix / "conda-meta").is_dir()
    data = os.environ.get("XDG_DATA_HOME", "")
    own = Path(data) if data.startswith("/") else Path.home() / ".local" / "share"
    return [folder / "trunkline" / __version__ for folder in ([prefix / "share"] if is_environment else []) + [own]]


def built_for(mpi: str) -> Path:
    """Folder with ``lib`` and ``libexec`` of what was built for the MPI of this name.

    That of the package comes before those that are kept; it is given as well where nothing was built for this MPI.
    """
    folders = [NATIVE, *(folder / mpi for folder in kept_folders())]
    return next((folder for folder in folders if (folder / "lib" / f"libtrunkline-{mpi}.so").exists()), NATIVE)


def preload_library(mpi: str) -> Path:
    """File of the preload library built for the MPI of this name (``mpich``, ``openmpi-5.0.11``); it may not exist."""
    return built_for(mpi) / "lib" / f"libtrunkline-{mpi}.so"


def mpi_program(name: str, mpi: str) -> Path:
    """File of a program behind the command (``bench``, ``measure``, ``traffic``), built for the MPI of this name.

    It may not exist.
    """
    return built_for(mpi) / "libexec" / f"trunkline-{name}-{mpi}"
