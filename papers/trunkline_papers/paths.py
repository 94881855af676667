"""Where the checkout is that this is found in, and what was built there (``-DTRUNKLINE_PAPERS=ON``)."""

import os
from pathlib import Path

__all__ = ["CHECKOUT", "PROGRAMS", "built", "program_of"]

CHECKOUT = Path(__file__).resolve().parents[2]
PROGRAMS = CHECKOUT / os.environ.get("TRUNKLINE_BUILD", "build/dev") / "papers"
"""Folder of the programs; it need not be there."""


def built(name: str, mpi: str) -> Path:
    """File of a program of ``papers/programs``, such as ``gsum``, built for the MPI of this name; it may not exist."""
    return PROGRAMS / f"trunkline-{name}-{mpi}"


def program_of(peer: str) -> Path:
    """File of the timing program of a peer that is no MPI library of ours; it may not exist."""
    return built("bench", peer)
