"""Network links of a host: several let its ranks skip the host's own node, one sends fewest messages."""

from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput


def add_link(tree: HostTree, host: str) -> HostTree:
    """Let one more rank of a host send to where the host's leader sends: its child with most levels below it.

    Raises:
        BadInput: on the root's host, and where no other rank of the host hangs below its leader.
    """
    leader = _leader(tree, host)
    above, below = tree.parent[leader], tree.within(leader)
    if above is None or not below:
        raise BadInput(f"{host} has no rank below its leader {leader} that could get a link of its own")
    return tree.rehung({min(below, key=lambda rank: (-tree.height_within(rank), rank)): above})


def remove_link(tree: HostTree, host: str) -> HostTree:
    """Let a rank of a host that has a link of its own send to the host's leader: undoes :func:`add_link`.

    Raises:
        BadInput: on the root's host, and where the host has one link alone.
    """
    leader = _leader(tree, host)
    others = [rank for rank in tree.tops(host) if rank != leader]
    if not others:
        raise BadInput(f"{host} has one link alone, and needs it")
    return tree.rehung({max(others, key=lambda rank: (-tree.height_within(rank), rank)): leader})


def _leader(tree: HostTree, host: str) -> int:
    tree.ranks_on(host)
    if host in tree.root_hosts:
        raise BadInput(f"{host} is a root's own host: its ranks reach the root without a link; name another one")
    return tree.leader(host)
