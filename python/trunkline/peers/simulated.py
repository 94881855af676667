"""The algorithms that SimGrid's SMPI brings: other libraries' choices, and each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.peers.algorithm import in_variables
from trunkline.registry import chosen_algorithms

SELECTORS = {"mpich": "MPICH", "openmpi": "Open MPI", "mvapich2": "MVAPICH2", "intelmpi": "Intel MPI"}
"""Libraries whose own choice can be asked for, as people call them."""
LIBRARIES = {"mpich": _core.NativeLibrary.mpich, "openmpi": _core.NativeLibrary.openmpi}
"""Those whose rules are known here: SMPI runs what they select by its name."""
UNNAMED = {"mvapich2": "mvapich2", "intelmpi": "impi", "smpi-mpich": "mpich", "smpi-openmpi": "ompi"}
"""SMPI's own rules by which libraries choose. Which algorithm that is, SMPI does not say."""
_OLD_NAMES = {"ompi": "openmpi", "impi": "intelmpi", "smpi-ompi": "smpi-openmpi"}
"""SimGrid's names of libraries, which are still taken; results then have the name that was asked for."""

PIPELINED = {
    "bcast": {
        "smpi-line": "NTSL",
        "smpi-line-isend": "NTSL_Isend",
        "smpi-binary": "NTSB",
        "smpi-flat": "flattree_pipeline",
        "ompi-pipeline": "ompi_pipeline",
        "ompi-split-binary": "ompi_split_bintree",
    },
    "reduce": {"smpi-line": "NTSL", "ompi-pipeline": "ompi_pipeline", "ompi-chain": "ompi_chain"},
    "allreduce": {"smpi-ring": "lr", "ompi-ring": "ompi_ring_segmented"},
}
"""By collective, SMPI's own pipelined algorithms: none knows the switches. Without SMP_linear, which waits for ever
where no message leaves before it is asked for."""
SMALL = {"bcast": "binomial_tree", "reduce": "binomial", "allreduce": "rdb"}
"""By collective, what SMPI runs for small messages of ours (agreement, set-up): they go out as little as possible."""


_BY_NAME = {
    _core.NativeLibrary.mpich: {
        "bcast": {
            "binomial": "binomial_tree",
            "scatter_recursive_doubling_allgather": "scatter_rdb_allgather",
            "scatter_ring_allgather": "scatter_LR_allgather",
        },
        "reduce": {"binomial": "binomial", "reduce_scatter_gather": "scatter_gather"},
        "allreduce": {"recursive_doubling": "rdb", "reduce_scatter_allgather": "rab_rdb"},
        "allgather": {"recursive_doubling": "rdb", "brucks": "bruck", "ring": "NTSLR"},
        "alltoall": {"brucks": "bruck", "scattered": "mvapich2_scatter_dest", "pairwise": "pair"},
        "alltoallv": {"scattered": "ompi_basic_linear"},
        "gather": {"binomial": "ompi_binomial"},
        "scatter": {"binomial": "ompi_binomial"},
        "allgatherv": {"recursive_doubling": "mpich_rdb", "brucks": "ompi_bruck", "ring": "mpich_ring"},
        "reduce-scatter": {"recursive_halving": "ompi_basic_recursivehalving", "pairwise": "mpich_pair"},
        "reduce-scatter-block": {"recursive_halving": "ompi_basic_recursivehalving", "pairwise": "mpich_pair"},
    },
    _core.NativeLibrary.openmpi: {
        "bcast": {
            "basic_linear": "flattree",
            "split_binary_tree": "ompi_split_bintree",
            "binomial": "binomial_tree",
            "knomial": "mvapich2_knomial_intra_node",
            "scatter_allgather": "scatter_rdb_allgather",
        },
        "reduce": {
            "linear": "ompi_basic_linear",
            "binary": "ompi_binary",
            "binomial": "binomial",
            "in-order_binary": "ompi_in_order_binary",
        },
        "allreduce": {
            "nonoverlapping": "redbcast",
            "recursive_doubling": "rdb",
            "ring": "lr",
            "segmented_ring": "lr",
            "rabenseifner": "rab_rdb",
        },
    },
}
"""By library and collective: what SMPI calls the library's algorithms, where it has the same one in as many pieces. Not
Open MPI's chains and its binary tree of a broadcast, which SMPI cuts into segments of its own."""
_OF_OTHER_NUMBERS = {"pair": "ring"}
"""What SMPI calls an algorithm of that name where the ranks are no power of two: one function in the library."""


@dataclass(frozen=True)
class Simulated:
    """One algorithm that can be simulated."""

    name: str
    """As it was asked for."""
    runs: str
    """What the ranks are told: a choice of Trunkline's, or ``native``."""
    options: dict[str, str]
    """SimGrid's options that make SMPI run it."""
    library: _core.NativeLibrary | None = None
    """Whose own choice it is: the algorithm then depends on the call (:func:`own_choice`)."""
    plan: str = ""
    """A file of plans, in whose place nothing else runs; empty: none."""
    host_costs: str = ""
    """What its messages cost their hosts; empty: as those of the job."""


@dataclass(frozen=True)
class OwnChoice:
    """What an MPI library runs for one call, and how SMPI is made to run it."""

    algorithm: str
    """As the library names it, with how hosts take part; empty: it cannot be simulated."""
    runs: str
    """What the ranks are told."""
    options: dict[str, str]
    why_not: str = ""
    """Where there is no algorithm: for people."""


def named_now(name: str) -> str:
    """A library's name as ``--mpi`` takes it, whichever of its names was asked for."""
    return _OLD_NAMES.get(name, name)


def own_choice(
    library: _core.NativeLibrary, collective: str, placement: Sequence[int], root: int, message_bytes: int
) -> OwnChoice:
    """What a library runs by itself, by the same rules as predictions of native."""
    choice = _core.native_choice(library, collective, placement, root, message_bytes)
    if not choice.algorithm:
        return OwnChoice("", "", {}, choice.unknown)
    words = {collective: choice.algorithm, "reduce": choice.reduce, "bcast": choice.bcast}
    if collective in ("reduce", "bcast"):
        words[collective] = choice.algorithm
    options = {}
    for name, algorithm in words.items():
        if not algorithm:
            continue
        smpi = _BY_NAME[library].get(name, {}).get(algorithm)
        if smpi is None:
            return OwnChoice("", "", {}, f"SimGrid has no {algorithm} as the library runs it")
        if len(placement) & (len(placement) - 1):
            smpi = _OF_OTHER_NUMBERS.get(smpi, smpi)
        options[f"smpi/{_in_smpi(name)}"] = smpi
    if choice.by_hosts:
        return OwnChoice(f"{choice.algorithm} among hosts", "native-by-hosts", options)
    parts = [word for word in (choice.reduce, choice.bcast) if word]
    return OwnChoice(" ".join([choice.algorithm, *([f"({', '.join(parts)})"] if parts else [])]), "native", options)


def _in_smpi(collective: str) -> str:
    """SMPI runs a reduce-scatter of equal blocks as any other."""
    return in_variables(collective).removesuffix("_block")


def simulated_plan(file: str) -> Simulated:
    """The plans of a file, as a row of their own."""
    return Simulated(Path(file).stem, "auto", {f"smpi/{name}": runs for name, runs in SMALL.items()}, plan=file)


def simulated_algorithms(
    collective: str, names: Sequence[str], native: _core.NativeLibrary = _core.NativeLibrary.mpich
) -> list[Simulated]:
    """What to run for each name; ``pipelined`` stands for all of SMPI's pipelined algorithms, ``all`` for all that can.

    Args:
        collective: By name.
        names: As asked for.
        native: The library whose own choice ``native`` stands for.

    Raises:
        BadInput: naming the first that is not there, and all that are; or one that cannot be simulated, and why.
    """
    wanted: list[Simulated] = []
    key = f"smpi/{_in_smpi(collective)}"
    pipelined = {name: Simulated(name, "native", {key: runs}) for name, runs in PIPELINED.get(collective, {}).items()}
    for name in map(str.strip, names):
        if name == "native":
            wanted.append(Simulated(name, "native", {}, native))
        elif named_now(name) in LIBRARIES:
            wanted.append(Simulated(name, "native", {}, LIBRARIES[named_now(name)]))
        elif named_now(name) in UNNAMED:
            wanted.append(Simulated(name, "native", {"smpi/coll-selector": UNNAMED[named_now(name)]}))
        elif name == "pipelined":
            if not pipelined:
                raise BadInput(
                    f"SMPI has no pipelined algorithms of {collective} that are known; leave out 'pipelined'"
                )
            wanted += pipelined.values()
        elif name in pipelined:
            wanted.append(pipelined[name])
        else:
            try:
                own = chosen_algorithms(collective, [name])
            except BadInput as error:
                others = ", ".join([*LIBRARIES, *UNNAMED, *pipelined, "pipelined"])
                raise BadInput(f"{error}; others' are: {others}") from None
            small = {f"smpi/{name}": runs for name, runs in SMALL.items()}
            wanted += [Simulated(one, one, small) for one in own if one != "native"]
    return list({one.name: one for one in wanted}.values())
