"""The broadcasts that SimGrid's SMPI brings: other libraries' choices, and algorithms by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from trunkline.errors import BadInput
from trunkline.registry import chosen_algorithms

__all__ = ["PIPELINED", "SELECTORS", "Simulated", "simulated_algorithms"]

SELECTORS = {"mpich": "MPICH", "ompi": "Open MPI", "mvapich2": "MVAPICH2", "impi": "Intel MPI"}
"""Rules by which libraries choose their algorithms, as SMPI knows them."""

PIPELINED = {
    "smpi-line": "NTSL",
    "smpi-line-isend": "NTSL_Isend",
    "smpi-binary": "NTSB",
    "smpi-flat": "flattree_pipeline",
    "ompi-pipeline": "ompi_pipeline",
    "ompi-split-binary": "ompi_split_bintree",
}
"""SMPI's own pipelined broadcasts: none knows the switches. Without SMP_linear, which waits for ever where no message
leaves before it is asked for."""


@dataclass(frozen=True)
class Simulated:
    """One algorithm that can be simulated."""

    name: str
    """As it was asked for."""
    runs: str
    """What the ranks are told: a choice of Trunkline's, or ``native``."""
    options: dict[str, str]
    """SimGrid's options that make SMPI run it."""


def simulated_algorithms(names: Sequence[str]) -> list[Simulated]:
    """What to run for each name; ``pipelined`` stands for all of SMPI's pipelined broadcasts.

    Raises:
        BadInput: naming the first that is not there, and all that are.
    """
    wanted: list[Simulated] = []
    for name in names:
        if name in SELECTORS:
            wanted.append(Simulated(name, "native", {"smpi/coll-selector": name}))
        elif name == "pipelined":
            wanted += [_variant(one) for one in PIPELINED]
        elif name in PIPELINED:
            wanted.append(_variant(name))
        elif name.partition(":")[0] == "native":
            raise BadInput(f"in a simulation there is no native library: name one, {', '.join(SELECTORS)}")
        else:
            try:
                own = chosen_algorithms("bcast", [name])
            except BadInput as error:
                raise BadInput(f"{error}; others' are: {', '.join([*SELECTORS, *PIPELINED])}, pipelined") from None
            # Small messages of ours (agreement, set-up) go out as little as possible.
            wanted += [Simulated(one, one, {"smpi/bcast": "binomial_tree"}) for one in own if one != "native"]
    return list({one.name: one for one in wanted}.values())


def _variant(name: str) -> Simulated:
    return Simulated(name, "native", {"smpi/bcast": PIPELINED[name]})
