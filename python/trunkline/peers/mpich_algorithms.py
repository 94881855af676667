"""What MPICH runs, by its control variables, and how one of its algorithms is forced.

Trees, rings and exchanges of a radix are in the non-blocking collectives alone where a name begins with ``tsp_``; the
blocking ones can be told to use those.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from trunkline.peers.algorithm import PeerAlgorithm, in_variables, named

_TREES = (("kary", 1), ("kary", 2), ("kary", 4), ("knomial_1", 2), ("knomial_2", 2))
"""Trees of MPICH with their ``k``: the first one is a line."""
_TOPOLOGY_TREES = (("topology_aware", 2), ("topology_aware_k", 2), ("topology_wave", 2))
_RADICES = (2, 4, 8)


@dataclass(frozen=True)
class _Row:
    """One algorithm.

    Attributes:
        name: As the library's settings name it.
        majors: Major versions that have it and in which it is worth trying: from, to.
        radix: The variable that holds its radix; empty: it has none.
        trees: Whether it runs on trees, in segments.
        chunks: The variable that holds its segment, where it runs on no tree; empty: it has none.
        power_of_two: Whether it serves such numbers of ranks alone.
    """

    name: str
    majors: tuple[int, int] = (4, 5)
    radix: str = ""
    trees: bool = False
    chunks: str = ""
    power_of_two: bool = False


_REDUCE_SCATTER = (
    _Row("recursive_halving"),
    _Row("pairwise"),
    _Row("recursive_doubling"),
    _Row("noncommutative", power_of_two=True),
    _Row("tsp_recexch", radix="RECEXCH_KVAL"),
)
_ROWS = {
    "bcast": (
        _Row("binomial"),
        _Row("scatter_recursive_doubling_allgather", power_of_two=True),
        _Row("scatter_ring_allgather"),
        _Row("tsp_tree", (4, 4), trees=True),
        _Row("tree", (5, 5), trees=True),
    ),
    "reduce": (
        _Row("binomial"),
        _Row("reduce_scatter_gather"),
        _Row("tsp_tree", trees=True),
        _Row("tsp_ring", chunks="RING_CHUNK_SIZE"),
    ),
    "allreduce": (
        _Row("recursive_doubling"),
        _Row("reduce_scatter_allgather"),
        _Row("ring", (5, 5)),
        _Row("tsp_ring", (4, 4)),
        _Row("tree", (5, 5), trees=True),
        _Row("tsp_tree", (4, 4), trees=True),
        _Row("recexch", (5, 5), radix="RECEXCH_KVAL"),
        _Row("recursive_multiplying", (5, 5), radix="RECURSIVE_MULTIPLYING_KVAL"),
        _Row("k_reduce_scatter_allgather", (5, 5), radix="RECEXCH_KVAL"),
        _Row("tsp_recexch_single_buffer", (4, 4), radix="RECEXCH_KVAL"),
        _Row("tsp_recexch_reduce_scatter_recexch_allgatherv", (4, 4), radix="RECEXCH_KVAL"),
    ),
    "barrier": (
        _Row("dissemination", (4, 4)),
        _Row("k_dissemination", (5, 5), radix="DISSEM_KVAL"),
        _Row("recexch", (5, 5), radix="RECEXCH_KVAL"),
    ),
    "reduce-scatter": _REDUCE_SCATTER,
    "reduce-scatter-block": _REDUCE_SCATTER,
    "allgather": (
        _Row("ring"),
        _Row("brucks"),
        _Row("recursive_doubling", power_of_two=True),
        _Row("k_brucks", (5, 5), radix="BRUCKS_KVAL"),
        _Row("recexch_doubling", (5, 5), radix="RECEXCH_KVAL"),
        _Row("recexch_halving", (5, 5), radix="RECEXCH_KVAL"),
        _Row("tsp_brucks", (4, 4), radix="BRUCKS_KVAL"),
        _Row("tsp_recexch_doubling", (4, 4), radix="RECEXCH_KVAL"),
        _Row("tsp_recexch_halving", (4, 4), radix="RECEXCH_KVAL"),
    ),
    "alltoall": (_Row("brucks"), _Row("scattered"), _Row("pairwise")),
    "alltoallv": (_Row("scattered"),),
    "gather": (_Row("binomial"),),
    "scatter": (_Row("binomial"),),
    "scan": (_Row("recursive_doubling"),),
    "exscan": (_Row("recursive_doubling"),),
    "allgatherv": (
        _Row("ring"),
        _Row("brucks"),
        _Row("recursive_doubling", power_of_two=True),
        _Row("tsp_brucks", radix="BRUCKS_KVAL"),
        _Row("tsp_recexch_doubling", radix="RECEXCH_KVAL"),
        _Row("tsp_recexch_halving", radix="RECEXCH_KVAL"),
    ),
}


def mpich_algorithms(collective: str, segments: Sequence[int], ranks: int, major: int) -> Iterator[PeerAlgorithm]:
    """Those of a collective, in these segments; 0 among them: in one piece."""
    for row in _ROWS.get(collective, ()):
        if row.majors[0] <= major <= row.majors[1] and not (row.power_of_two and ranks & (ranks - 1)):
            yield from _with_parameters(row, collective, segments, major)


def _with_parameters(row: _Row, collective: str, segments: Sequence[int], major: int) -> Iterator[PeerAlgorithm]:
    whose = _whose(row.name, collective)
    if row.trees:
        # The reduction's trees are in the non-blocking one alone, which knows no topology.
        by_place = major >= 5 and not row.name.startswith("tsp_")
        for (tree, k), segment in product((*_TREES, *(_TOPOLOGY_TREES if by_place else ())), segments):
            name = "pipelined_tree" if (collective, row.name) == ("bcast", "tree") and segment else row.name
            more = {"TREE_TYPE": tree, "TREE_KVAL": str(k), "TREE_PIPELINE_CHUNK_SIZE": str(segment)}
            environment = _forced(name, collective, {f"{whose}_{key}": value for key, value in more.items()})
            full = named(name, segment, tree, k)
            yield PeerAlgorithm(full, name, segment, tree, k, tree.startswith("topology"), environment)
    elif row.chunks:
        for segment in segments:
            environment = _forced(row.name, collective, {f"{whose}_{row.chunks}": str(segment)})
            yield PeerAlgorithm(named(row.name, segment), row.name, segment, environment=environment)
    elif row.radix:
        for k in _RADICES:
            environment = _forced(row.name, collective, {f"{whose}_{row.radix}": str(k)})
            yield PeerAlgorithm(named(row.name, 0, k=k), row.name, k=k, environment=environment)
    else:
        yield PeerAlgorithm(row.name, row.name, environment=_forced(row.name, collective, {}))


def _whose(algorithm: str, collective: str) -> str:
    """Whose variables an algorithm reads: the collective's, or its non-blocking twin's."""
    spelled = in_variables(collective).upper()
    return f"I{spelled}" if algorithm.startswith("tsp_") else spelled


def _forced(algorithm: str, collective: str, parameters: Mapping[str, str]) -> dict[str, str]:
    spelled, whose = in_variables(collective).upper(), _whose(algorithm, collective)
    settings = {f"{whose}_INTRA_ALGORITHM": algorithm, **parameters}
    if whose != spelled:
        settings = {f"{spelled}_INTRA_ALGORITHM": "nb", **settings}
    return {f"MPIR_CVAR_{key}": value for key, value in settings.items()}
