"""Plan files as what edits read and make."""

from pathlib import Path

from trunkline import _core
from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput
from trunkline.kinds import trees_of

__all__ = ["edited", "host_tree_of"]


def host_tree_of(plan: _core.PlanFile, file: str) -> HostTree:
    """The one tree of a plan; `file` is for messages.

    Raises:
        BadInput: where it is none, there are several, two roots exchange, or the plan names no hosts.
    """
    name = Path(file).name
    trees = trees_of(plan.plan, name, "plans of one tree can be edited")
    if len(trees) > 1:
        raise BadInput(f"{name} has {len(trees)} trees that alternate; plans of one tree can be edited")
    if trees[0].exchange is not None:
        raise BadInput(
            f"{name} has two roots, {trees[0].root} and {trees[0].exchange}, that exchange; plans of one root can be "
            "edited: take its line 'exchange' out"
        )
    if not plan.host_of_rank:
        raise BadInput(f"{name} does not say which rank sits on which host, and edits depend on it; give it hosts")
    return HostTree.of(trees[0], plan.host_of_rank)


def edited(plan: _core.PlanFile, tree: HostTree, what: str) -> _core.PlanFile:
    """The plan with another tree, proven by the checker; `what` was done goes into its provenance.

    Raises:
        InvalidPlan: where it is no tree.
    """
    made = _core.PlanFile()
    made.collective, made.algorithm = plan.collective, "custom"
    made.cluster, made.cluster_fingerprint = plan.cluster, plan.cluster_fingerprint
    made.topology_fingerprint = plan.topology_fingerprint
    made.segment_bytes, made.host_of_rank = plan.segment_bytes, list(tree.hosts)
    made.provenance = f"{plan.provenance}; {what}" if plan.provenance else what
    made.plan = _core.Plan([tree.as_tree()])
    made.plan.check(plan.collective)
    return made
