"""Sets of plans: one file for several collectives, communicators, roots and classes of sizes."""

from collections.abc import Mapping, Sequence

from trunkline import __version__, _core
from trunkline.cluster import told_as_bad_input
from trunkline.compat import pairwise, zip_equal
from trunkline.errors import BadInput
from trunkline.planned import read_plan_set
from trunkline.units import parse_message_bytes


def set_text(words: Sequence[str]) -> str:
    """A file of all plans of some files, each named as ``FILE`` or ``FILE@FROM-BELOW``.

    Raises:
        BadInput: where a file is faulty, sizes cannot be read, or two plans are for the same calls.
    """
    made = _core.PlanSet()
    plans: list[_core.PlanFile] = []
    for word in words:
        file, at, sizes = word.rpartition("@") if "@" in word else (word, "", "")
        read = read_plan_set(file).plans
        if at:
            _set_sizes(read, sizes, word)
        plans += read
    made.plans = plans
    made.provenance = f"trunkline plan set {__version__}"
    return _checked(made, " ".join(words))


def by_size(plans: Mapping[int, _core.PlanFile], provenance: str) -> str:
    """A file with the plan that was best at each of some sizes, in bytes.

    Each holds from its size on, up to the next one whose plan is another, and the first from 0 bytes on.
    """
    order = sorted(plans)
    changes = [order[0], *(after for before, after in pairwise(order) if _steps(plans[before]) != _steps(plans[after]))]
    chosen = []
    for size, following in zip_equal(changes, [*changes[1:], None]):
        one = _core.parse_plan(_core.write_plan(plans[size]), "plan")  # two sizes may share one
        one.from_bytes, one.below_bytes = 0 if size == order[0] else size, following
        chosen.append(one)
    made = _core.PlanSet()
    made.plans, made.provenance = chosen, provenance
    return _checked(made, "the plans by size")


def _steps(plan: _core.PlanFile) -> str:
    return _core.write_plan(plan).partition("\nroot:")[2]


def _set_sizes(plans: Sequence[_core.PlanFile], sizes: str, word: str) -> None:
    low, dash, high = sizes.partition("-")
    if not dash:
        raise BadInput(f"{word}: give sizes as FROM-BELOW, such as 64B-1KiB, 0B-64B or 1KiB-")
    for plan in plans:
        plan.from_bytes = parse_message_bytes(low, word) if low else None
        plan.below_bytes = parse_message_bytes(high, word) if high else None


def _checked(made: _core.PlanSet, what: str) -> str:
    text = _core.write_plans(made)
    with told_as_bad_input():
        _core.parse_plans(text, what)
    return text.rstrip("\n")
