"""The cluster-root subtree on several hosts: less work for the root's host, more messages between others."""

from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput


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
