"""The algorithms that SimGrid's SMPI brings: other libraries' choices, and each by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from trunkline.errors import BadInput
from trunkline.registry import chosen_algorithms

__all__ = ["PIPELINED", "SELECTORS", "Simulated", "simulated_algorithms"]

SELECTORS = {"mpich": "MPICH", "ompi": "Open MPI", "mvapich2": "MVAPICH2", "impi": "Intel MPI"}
"""Rules by which libraries choose their algorithms, as SMPI knows them."""

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


@dataclass(frozen=True)
class Simulated:
    """One algorithm that can be simulated."""

    name: str
    """As it was asked for."""
    runs: str
    """What the ranks are told: a choice of Trunkline's, or ``native``."""
    options: dict[str, str]
    """SimGrid's options that make SMPI run it."""


def simulated_algorithms(collective: str, names: Sequence[str]) -> list[Simulated]:
    """What to run for each name; ``pipelined`` stands for all of SMPI's pipelined algorithms.

    Raises:
        BadInput: naming the first that is not there, and all that are.
    """
    wanted: list[Simulated] = []
    pipelined = {
        name: Simulated(name, "native", {f"smpi/{collective}": runs})
        for name, runs in PIPELINED.get(collective, {}).items()
    }
    for name in map(str.strip, names):
        if name in SELECTORS:
            wanted.append(Simulated(name, "native", {"smpi/coll-selector": name}))
        elif name == "pipelined":
            if not pipelined:
                raise BadInput(
                    f"SMPI has no pipelined algorithms of {collective} that are known; leave out 'pipelined'"
                )
            wanted += pipelined.values()
        elif name in pipelined:
            wanted.append(pipelined[name])
        elif name.partition(":")[0] == "native":
            raise BadInput(f"in a simulation there is no native library: name one, {', '.join(SELECTORS)}")
        else:
            try:
                own = chosen_algorithms(collective, [name])
            except BadInput as error:
                raise BadInput(f"{error}; others' are: {', '.join([*SELECTORS, *pipelined])}, pipelined") from None
            small = {f"smpi/{name}": runs for name, runs in SMALL.items()}
            wanted += [Simulated(one, one, small) for one in own if one != "native"]
    return list({one.name: one for one in wanted}.values())
