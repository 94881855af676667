"""The algorithms that MPI libraries bring themselves: their names, their parameters, how one is forced.

What is here was found in the libraries (``ompi_info --param coll tuned --level 9``; the control variables of MPICH) and
holds for MPICH 4.0 to 5.0 and Open MPI 4.1 to 5.0.
"""

from collections.abc import Sequence

from trunkline.mpi import Mpi
from trunkline.peers.algorithm import PeerAlgorithm
from trunkline.peers.mpich_algorithms import mpich_algorithms
from trunkline.peers.openmpi_algorithms import openmpi_algorithms

SEGMENTS = (1024, 4096, 16384)
"""Bytes of the segments worth trying; libraries wait for a receiver above some 64 KiB, which costs a line much."""


def own_algorithms(
    mpi: Mpi, collective: str, message_bytes: int, ranks: int, segments: Sequence[int] = SEGMENTS
) -> list[PeerAlgorithm]:
    """All algorithms of a library that differ for a message of that size on so many ranks; none: they are not known.

    Segments as long as the message are left out: without segments is the same.
    """
    fitting = [0, *(s for s in segments if s < message_bytes)]
    major = int(mpi.version.split(".")[0])
    if mpi.family == "openmpi":
        return list(openmpi_algorithms(collective, fitting, ranks, major))
    return list(mpich_algorithms(collective, fitting, ranks, major))
