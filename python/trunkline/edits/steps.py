"""Steps of an edit, each of which makes another tree of one.

Nodes go to other places. Network links of a host: several let its ranks skip the host's own node, one sends fewest
messages. Other roots, one or two, are for collectives whose result everybody gets: the tree stays, and is seen from
there. The cluster-root subtree goes to several hosts: less work for the root's host, more messages between others.
"""

from __future__ import annotations

from trunkline import _core
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


def split_root(tree: HostTree, host: str) -> HostTree:
    """Let a host combine the group of hosts that it is in, before a root's host gets it.

    The group is that of the rank of a root's host to which this host contributes. The root's own group is halved:
    its half stays, since the root's host contributes to it.

    Raises:
        BadInput: where the host does not contribute to a root's host, or alone.
    """
    leader = _leader_of_other(tree, host, "split off")
    taker = tree.parent[leader]
    assert taker is not None
    if tree.hosts[taker] not in tree.root_hosts:
        direct = [
            tree.hosts[one] for root in tree.root_hosts for rank in tree.ranks_on(root) for one in tree.beyond(rank)
        ]
        raise BadInput(
            f"{host} contributes to {tree.hosts[taker]}, not to the root's host {' or '.join(tree.root_hosts)}; those "
            f"that do are: {', '.join(dict.fromkeys(direct))}"
        )
    group = [one for one in tree.beyond(taker) if one == leader or tree.hosts[one] != host]
    if len(group) < 2:
        raise BadInput(f"{host} is alone in its group at {tree.hosts[taker]}: there is no other host for it to combine")
    if taker in tree.roots:
        size = max(2, (len(group) + 1) // 2)
        start = min(group.index(leader), len(group) - size)
        group = group[start : start + size]
    return tree.rehung({one: leader for one in group if one != leader})


def merge_root(tree: HostTree, host: str) -> HostTree:
    """Let the hosts that a host combines contribute where it contributes itself: undoes :func:`split_root`.

    Raises:
        BadInput: where it combines none.
    """
    leader = _leader_of_other(tree, host, "merged into it")
    taker = tree.parent[leader]
    assert taker is not None
    combined = tree.beyond(leader)
    if not combined:
        raise BadInput(f"{host} combines no other hosts, so there is nothing to merge")
    return tree.rehung(dict.fromkeys(combined, taker))


def _leader_of_other(tree: HostTree, host: str, done: str) -> int:
    tree.ranks_on(host)
    if host in tree.root_hosts:
        raise BadInput(f"{host} is a root's own host: nothing of it can be {done}; name another one")
    return tree.leader(host)


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
