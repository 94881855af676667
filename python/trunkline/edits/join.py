"""Two trees into one."""

from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput


def join(tree: HostTree, other: HostTree) -> HostTree:
    """Hang another tree below the root; its ranks come after those of the first, whose roots stay the only ones.

    Raises:
        BadInput: where both have ranks on one host.
    """
    if shared := [host for host in tree.host_names if host in other.hosts]:
        raise BadInput(f"both plans have ranks on {', '.join(shared[:3])}; plans of different hosts can be joined")
    first = len(tree.parent)
    moved = (tree.root if parent is None else first + parent for parent in other.parent)
    return HostTree((*tree.parent, *moved), (*tree.hosts, *other.hosts), tree.exchange)
