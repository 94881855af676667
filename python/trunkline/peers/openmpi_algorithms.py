"""What Open MPI's ``coll/tuned`` runs, by its numbers, and how one of them is forced."""

from collections.abc import Iterator, Sequence

from trunkline.peers.algorithm import PeerAlgorithm, in_variables, named

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
    "reduce": ("ignore", "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner"),
    "allreduce": (
        "ignore",
        "basic_linear",
        "nonoverlapping",
        "recursive_doubling",
        "ring",
        "segmented_ring",
        "rabenseifner",
    ),
    "barrier": ("ignore", "linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
    "reduce-scatter": ("ignore", "non-overlapping", "recursive_halving", "ring", "butterfly"),
    "reduce-scatter-block": ("ignore", "basic_linear", "recursive_doubling", "recursive_halving", "butterfly"),
    "allgather": ("ignore", "linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit"),
    "alltoall": ("ignore", "linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"),
    "alltoallv": ("ignore", "basic_linear", "pairwise"),
    "gather": ("ignore", "basic_linear", "binomial", "linear_sync"),
    "scan": ("ignore", "linear", "recursive_doubling"),
    "exscan": ("ignore", "linear", "recursive_doubling"),
    "scatter": ("ignore", "basic_linear", "binomial", "linear_nb"),
    "allgatherv": ("ignore", "default", "bruck", "ring", "neighbor", "two_proc", "sparbit"),
}
"""By collective, names of Open MPI's ``coll/tuned`` algorithms; its rules give the position in this list."""

_SEGMENTED = {
    "bcast": ("chain", "pipeline", "split_binary_tree", "binary_tree"),
    "reduce": ("chain", "pipeline", "binary", "binomial", "in-order_binary"),
    "allreduce": ("segmented_ring",),
}
"""Those that are worth cutting into segments; the others take none, or gain nothing by it."""
_FANOUT = 4
"""Chains that leave the root under Open MPI's ``chain``, its default."""


def openmpi_algorithms(collective: str, segments: Sequence[int], ranks: int, major: int) -> Iterator[PeerAlgorithm]:
    """Those of a collective, in these segments; 0 among them: in one piece."""
    segmented = _SEGMENTED.get(collective, ())
    prefix = f"coll_tuned_{in_variables(collective)}_algorithm"
    for number, name in enumerate(OPENMPI.get(collective, ())):
        if not _serves(name, ranks, major):
            continue
        # A ring in segments of the whole block is the ring.
        own = [s for s in segments if s or name != "segmented_ring"] if name in segmented else [0]
        for segment in own:
            settings = {
                "coll": "^han",  # from 5.0 on it comes before tuned, which the settings are for
                "coll_tuned_use_dynamic_rules": "1",
                prefix: str(number),
            }
            if segmented:
                settings |= {f"{prefix}_segmentsize": str(segment), f"{prefix}_chain_fanout": str(_FANOUT)}
            yield PeerAlgorithm(
                named("gatherv_bcast" if name == "default" else name, segment),  # "default" is what runs unasked
                name,
                segment,
                k=_FANOUT if name == "chain" else 0,
                environment={f"OMPI_MCA_{key}": value for key, value in settings.items()},
            )


def _serves(name: str, ranks: int, major: int) -> bool:
    """Whether so many ranks run it: for others the library takes another one under the same number, or fails."""
    known = {"ignore": False, "two_proc": ranks == 2, "neighbor": ranks % 2 == 0, "sparbit": major >= 5}
    return known.get(name, True)
