"""Other roots, one or two, for collectives whose result everybody gets: the tree stays, and is seen from there."""

from __future__ import annotations

from trunkline import _core
from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput


def free_roots() -> list[str]:
    """Collectives in which any rank may be the root of the tree."""
    known = map(_core.facts_of, _core.collectives())
    return [one.name for one in known if one.direction is not None and not one.has_root]


def reroot(tree: HostTree, rank: int, exchange: int | None = None) -> HostTree:
    """Make a rank the root: the ranks on its way to the old root hang the other way round.

    Args:
        tree: With one root or two.
        rank: The root.
        exchange: A neighbour of it, the second root; None: there is none.

    Raises:
        BadInput: where there is no such rank, the second one is no neighbour, or the roots are these already.
    """
    for one in [rank] if exchange is None else [rank, exchange]:
        if not 0 <= one < len(tree.parent):
            raise BadInput(f"there is no rank {one}; the plan has ranks 0 to {len(tree.parent) - 1}")
    if (rank, exchange) == (tree.root, tree.exchange):
        those = (
            f"rank {rank} is the root already" if exchange is None else f"ranks {rank} and {exchange} are roots already"
        )
        raise BadInput(f"{those}; name another one")
    changed = list(tree.parent)
    below: int | None = None
    here: int | None = rank
    while here is not None:
        changed[here], below, here = below, here, tree.parent[here]
    if exchange is not None and changed[exchange] != rank:
        neighbours = [one for one, parent in enumerate(changed) if parent == rank]
        raise BadInput(
            f"rank {exchange} does not hang beside rank {rank}, and roots that exchange do; those that do are: "
            + ", ".join(map(str, neighbours))
        )
    return HostTree(tuple(changed), tree.hosts, exchange)
