"""Plan files as what edits read and make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from trunkline import _core
from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput
from trunkline.kinds import trees_of


def host_trees_of(plan: _core.PlanFile, file: str) -> list[HostTree]:
    """All trees of a plan, which have the same ranks, hosts and root; `file` is for messages.

    Raises:
        BadInput: where it has none, or names no hosts.
    """
    name = Path(file).name
    trees = trees_of(plan.plan, name, "plans of trees can be edited")
    if not plan.host_of_rank:
        raise BadInput(f"{name} does not say which rank sits on which host, and edits depend on it; give it hosts")
    return [HostTree.of(tree, plan.host_of_rank) for tree in trees]


def host_tree_of(plan: _core.PlanFile, file: str) -> HostTree:
    """The one tree of a plan; `file` is for messages.

    Raises:
        BadInput: where it is none, there are several, two roots exchange, or the plan names no hosts.
    """
    name = Path(file).name
    trees = host_trees_of(plan, file)
    if len(trees) > 1:
        raise BadInput(f"{name} has {len(trees)} trees that alternate; give a plan of one tree")
    if trees[0].exchange is not None:
        raise BadInput(
            f"{name} has two roots, {trees[0].root} and {trees[0].exchange}, that exchange; give a plan of one root: "
            f"trunkline plan edit {name} reroot --rank {trees[0].root} makes one"
        )
    return trees[0]


def on_trees(
    trees: Sequence[HostTree], edit: Callable[[HostTree], HostTree], only: int | None = None
) -> list[HostTree]:
    """A step for all trees of a plan, or for the one of that number, counted from 1.

    Raises:
        BadInput: where there is no such tree, or the step cannot be done; of several trees it says which.
    """
    if only is not None and not 1 <= only <= len(trees):
        raise BadInput(f"there is no tree {only}; the plan has {len(trees)}, counted from 1")
    made = []
    for number, tree in enumerate(trees, 1):
        try:
            made.append(edit(tree) if only in (None, number) else tree)
        except BadInput as wrong:
            if len(trees) == 1:
                raise
            raise BadInput(f"tree {number} of {len(trees)}: {wrong}") from wrong
    return made


def edited(plan: _core.PlanFile, trees: HostTree | Sequence[HostTree], what: str) -> _core.PlanFile:
    """The plan with another tree, or with several, proven by the checker; `what` was done goes into its provenance.

    Raises:
        InvalidPlan: where one is no tree.
    """
    several = [trees] if isinstance(trees, HostTree) else trees
    made = _core.PlanFile()
    made.collective, made.algorithm = plan.collective, "custom"
    made.cluster, made.cluster_fingerprint = plan.cluster, plan.cluster_fingerprint
    made.topology_fingerprint = plan.topology_fingerprint
    made.segment_bytes, made.host_of_rank = plan.segment_bytes, list(several[0].hosts)
    made.provenance = f"{plan.provenance}; {what}" if plan.provenance else what
    made.plan = _core.Plan([tree.as_tree() for tree in several])
    made.plan.check(plan.collective)
    return made
