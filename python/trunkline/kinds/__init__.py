"""Kinds of plans, as the command sees them: a module each, and their one table. Nobody else asks for the kind."""

from trunkline import _core
from trunkline.errors import BadInput, Failed
from trunkline.kinds.kind import PlanKind
from trunkline.kinds.multicast import Multicasts
from trunkline.kinds.rounds import Rounds
from trunkline.kinds.trees import Trees

KINDS: dict[str, PlanKind] = {"trees": Trees(), "rounds": Rounds(), "multicast": Multicasts()}
"""By the core's name."""


def kind_of(plan: _core.Plan) -> PlanKind:
    """The kind of a plan.

    Raises:
        Failed: where the core has a kind that the command does not know.
    """
    kind = KINDS.get(plan.kind)
    if kind is None:
        raise Failed(
            f"the command knows plans of {', '.join(KINDS)}, and none of {plan.kind}; "
            "give that kind a row in trunkline.kinds"
        )
    return kind


def trees_of(plan: _core.Plan, name: str, instead: str) -> list[_core.Tree]:
    """The trees of a plan, for what is there for trees alone.

    Args:
        plan: Of any kind.
        name: Of the plan, for the message.
        instead: What to do with it: which plans are served.

    Raises:
        BadInput: where it is of another kind.
    """
    if plan.trees is None:
        raise BadInput(f"{name} goes {kind_of(plan).way}; {instead}")
    return plan.trees
