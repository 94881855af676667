"""A node to another place."""

from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput


def move(tree: HostTree, rank: int, to: int) -> HostTree:
    """Hang a rank, with all below it, below another one.

    Raises:
        BadInput: for the root, for ranks that are not there, and where `to` is below `rank` or its parent already.
    """
    for one in (rank, to):
        if not 0 <= one < len(tree.parent):
            raise BadInput(f"there is no rank {one}; the ranks are 0 to {len(tree.parent) - 1}")
    if rank == tree.root:
        raise BadInput(f"rank {rank} is the root: all else hangs below it; move what is below it")
    if to in tree.subtree(rank):
        raise BadInput(f"rank {to} hangs below rank {rank}, or is it; move it away first, or name another place")
    if tree.parent[rank] == to:
        raise BadInput(f"rank {rank} hangs below rank {to} already")
    return tree.rehung({rank: to})
