"""Another root for collectives whose result everybody gets: the tree stays, and is seen from another rank."""

from trunkline import _core
from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput

__all__ = ["free_roots", "reroot"]


def free_roots() -> list[str]:
    """Collectives in which any rank may be the root of the tree."""
    known = map(_core.facts_of, _core.collectives())
    return [one.name for one in known if one.direction is not None and not one.has_root]


def reroot(tree: HostTree, rank: int) -> HostTree:
    """Make a rank the root: the ranks on its way to the old root hang the other way round.

    Raises:
        BadInput: where there is no such rank, or it is the root already.
    """
    if not 0 <= rank < len(tree.parent):
        raise BadInput(f"there is no rank {rank}; the plan has ranks 0 to {len(tree.parent) - 1}")
    if rank == tree.root:
        raise BadInput(f"rank {rank} is the root already; name another one")
    changed = list(tree.parent)
    below: int | None = None
    here: int | None = rank
    while here is not None:
        changed[here], below, here = below, here, tree.parent[here]
    return HostTree(tuple(changed), tree.hosts)
