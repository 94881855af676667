"""The algorithms that MPI libraries bring themselves: their names, their parameters, how one is forced.

What is here was found in the libraries (``ompi_info --param coll tuned --level 9``; the control variables of MPICH) and
holds for MPICH 4.0 to 5.0 and Open MPI 4.1 to 5.0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from trunkline.mpi import Mpi

__all__ = ["OPENMPI", "PeerAlgorithm", "own_algorithms"]

OPENMPI = {
    "bcast": (
        "ignore",
        "basic_linear",
        "chain",
        "pipeline",
        "split_binary_tree",
        "binary_tree",
        "binomial",
        "knomial",
        "scatter_allgather",
        "scatter_allgather_ring",
    ),
}
"""By collective, names of Open MPI's ``coll/tuned`` algorithms; its rules give the position in this list."""

SEGMENTS = (1024, 4096, 16384)
"""Bytes of the segments worth trying; libraries wait for a receiver above some 64 KiB, which costs a line much."""
_FANOUT = 4
"""Chains that leave the root under Open MPI's ``chain``, its default."""
_TREES = (("kary", 1), ("kary", 2), ("kary", 4), ("knomial_1", 2), ("knomial_2", 2))
"""Trees of MPICH with their ``k``: the first one is a line."""
_TOPOLOGY_TREES = (("topology_aware", 2), ("topology_aware_k", 2), ("topology_wave", 2))


@dataclass(frozen=True)
class PeerAlgorithm:
    """One of a library's own algorithms with its parameters.

    Attributes:
        name: For people, and one for each choice of parameters: ``pipeline:4096``.
        algorithm: As the library names it in its settings.
        segment_bytes: Bytes of a segment; 0: in one piece.
        tree: Type of the tree, where the library has several for one algorithm.
        k: Of that tree; or the fan-out, where the algorithm has one; 0: it has none.
        needs_coordinates: Whether MPICH must be given a coordinates file too. Its tuning JSON cannot ask for these: it
            takes their names for those of k-ary trees.
        environment: Variables of the ranks' environment that force it.
    """

    name: str
    algorithm: str
    segment_bytes: int = 0
    tree: str = ""
    k: int = 0
    needs_coordinates: bool = False
    environment: dict[str, str] = field(default_factory=dict, hash=False)


def own_algorithms(
    mpi: Mpi, collective: str, message_bytes: int, ranks: int, segments: Sequence[int] = SEGMENTS
) -> list[PeerAlgorithm]:
    """All algorithms of a library that differ for a message of that size on so many ranks; none: they are not known.

    Segments as long as the message are left out: without segments is the same.
    """
    fitting = [0, *(s for s in segments if s < message_bytes)]
    if collective not in OPENMPI:
        return []
    if mpi.family == "openmpi":
        return list(_openmpi(collective, fitting))
    return list(_mpich(collective, fitting, ranks, int(mpi.version.split(".")[0])))


def _named(algorithm: str, segment: int, tree: str = "", k: int = 0) -> str:
    shape = f"-{tree}" if tree else ""
    return f"{algorithm}{shape}{f'-{k}' if tree and k else ''}{f':{segment}' if segment else ''}"


def _openmpi(collective: str, segments: list[int]) -> Iterator[PeerAlgorithm]:
    segmented = {"chain", "pipeline", "split_binary_tree", "binary_tree"}
    for number, name in enumerate(OPENMPI[collective][1:], 1):
        for segment in segments if name in segmented else [0]:
            settings = {
                "coll": "^han",  # from 5.0 on it comes before tuned, which the settings are for
                "coll_tuned_use_dynamic_rules": "1",
                f"coll_tuned_{collective}_algorithm": str(number),
                f"coll_tuned_{collective}_algorithm_segmentsize": str(segment),
                f"coll_tuned_{collective}_algorithm_chain_fanout": str(_FANOUT),
            }
            yield PeerAlgorithm(
                _named(name, segment),
                name,
                segment,
                k=_FANOUT if name == "chain" else 0,
                environment={f"OMPI_MCA_{key}": value for key, value in settings.items()},
            )


def _mpich(collective: str, segments: list[int], ranks: int, major: int) -> Iterator[PeerAlgorithm]:
    def forced(algorithm: str, **parameters: str) -> dict[str, str]:
        settings = {f"{collective.upper()}_INTRA_ALGORITHM": algorithm, **parameters}
        return {f"MPIR_CVAR_{key}": value for key, value in settings.items()}

    def shaped(prefix: str, tree: str, k: int, segment: int) -> dict[str, str]:
        return {
            f"{prefix}_TREE_TYPE": tree,
            f"{prefix}_TREE_KVAL": str(k),
            f"{prefix}_TREE_PIPELINE_CHUNK_SIZE": str(segment),
        }

    powers = ["scatter_recursive_doubling_allgather"] if ranks & (ranks - 1) == 0 else []
    for name in ("binomial", *powers, "scatter_ring_allgather"):
        yield PeerAlgorithm(name, name, environment=forced(name))
    trees = (*_TREES, *(_TOPOLOGY_TREES if major >= 5 else ()))
    for (tree, k), segment in product(trees, segments):
        if major >= 5:
            name = "pipelined_tree" if segment else "tree"
            environment = forced(name, **shaped(collective.upper(), tree, k, segment))
        else:  # trees are in the non-blocking collective alone, which the blocking one can be told to use
            name = "tsp_tree"
            non_blocking = f"I{collective.upper()}"
            more = {f"{non_blocking}_INTRA_ALGORITHM": name, **shaped(non_blocking, tree, k, segment)}
            environment = forced("nb", **more)
        by_place = tree.startswith("topology")
        yield PeerAlgorithm(_named(name, segment, tree, k), name, segment, tree, k, by_place, environment)
