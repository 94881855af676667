"""Collectives and algorithms by name, as the core's registry has them."""

import difflib
from collections.abc import Sequence

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.units import parse_segment


def check_collective(name: str) -> str:
    """The name, where it is that of a collective that Trunkline runs.

    Raises:
        BadInput: where it is not, naming those that are.
    """
    known = _core.collectives()
    if name in known:
        return name
    plain = name.lower().removeprefix("mpi_").replace("_", "-")
    there = f"there are: {', '.join(known)}"
    if plain == "alltoallw":
        raise BadInput(f"--collective: MPI_Alltoallw runs as alltoallv does; {there}")
    if plain in _NEVER_PLANNED:
        raise BadInput(f"--collective: MPI_{plain.capitalize()} always runs as the MPI library has it; {there}")
    if plain in known:
        raise BadInput(f"there is no collective '{name}'; it is called {plain} here; {there}")
    near = difflib.get_close_matches(plain, known, 1, _ALIKE)
    nearest = f"the nearest is {near[0]}; " if near else ""
    raise BadInput(f"there is no collective '{name}'; {nearest}{there}")


_NEVER_PLANNED = ("gatherv", "scatterv", "scan", "exscan")
"""MPI's other blocking collectives: a name like one of ours, such as allgather, is no help there."""
_ALIKE = 0.6
"""Of names that somebody may have mistyped; less alike ones are other names."""


def find_algorithm(collective: str, name: str) -> _core.Algorithm:
    """The registry's entry.

    Args:
        collective: By name.
        name: One that the registry has for it; KeyError for any other.
    """
    for algorithm in _core.algorithms():
        if (algorithm.collective, algorithm.name) == (collective, name):
            return algorithm
    raise KeyError(name)


def chosen_algorithms(collective: str, words: Sequence[str]) -> list[str]:
    """The algorithms asked for, each once; ``all`` stands for one of each family, and all that ``auto`` compares.

    Raises:
        BadInput: naming the first that the registry does not have, and those that are near it.
    """
    known = [a for a in _core.algorithms() if a.collective == collective]
    spellings = {"auto", *(a.name for a in known)}
    wanted: list[str] = []
    for name in map(str.strip, words):
        if name == "all":
            families = {a.family or a.name: a.name for a in reversed(known)}
            compared = {one.name for one in _core.candidates(collective) if one.is_compared}
            wanted += [a.name for a in known if families[a.family or a.name] == a.name or a.name in compared]
        elif name.partition(":")[0] in spellings:
            _check_segment(name)
            wanted.append(name)
        else:
            raise BadInput(_core.no_such_algorithm(collective, name.partition(":")[0]))
    return list(dict.fromkeys(wanted))


def _check_segment(name: str) -> None:
    """Refuse the segment behind a name's colon where it is none, or where the algorithm takes none."""
    algorithm, colon, segment = name.partition(":")
    if not colon:
        return
    if algorithm in ("auto", "native"):
        raise BadInput(f"'{name}': {algorithm} chooses by itself; a segment can be fixed for the others alone")
    parse_segment(segment, f"'{name}'")
