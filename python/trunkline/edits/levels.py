"""Levels: more of them make each rank combine less, fewer make the way to the root shorter."""

from collections.abc import Callable, Sequence

from trunkline.compat import pairwise
from trunkline.edits.host_tree import HostTree
from trunkline.errors import BadInput

LEAST_TO_HALVE = 4
"""Contributors: halves of fewer are no groups."""


def add_host_level(tree: HostTree, hosts: Sequence[str] = ()) -> HostTree:
    """Halve the largest groups of each of these hosts, or of all.

    A group is a rank with its children on its host that have none there. The second half of a group gets a node of its
    own: its first rank, which keeps its place below the group's.

    Raises:
        BadInput: where no host has a group of four.
    """
    return _on_hosts(
        tree,
        hosts,
        _halved,
        f"no level can be added: no rank of {{}} has {LEAST_TO_HALVE - 1} leaves of its host below it, "
        "and halves of fewer are no groups",
    )


def remove_host_level(tree: HostTree, hosts: Sequence[str] = ()) -> HostTree:
    """Put the smallest pairs of groups of each of these hosts, or of all, together again.

    Raises:
        BadInput: where each host has one group alone.
    """
    return _on_hosts(tree, hosts, _reunited, "no level can be removed: the subtrees of {} have one level")


def add_root_level(tree: HostTree) -> HostTree:
    """Halve the largest groups of hosts that one rank combines: another rank of the same host takes the second half.

    It is the one nearest to the first with no hosts to combine yet. A host whose leader combines counts as one of the
    group.

    Raises:
        BadInput: where no rank combines four hosts, or a host has no rank left to take them.
    """
    sizes = _combined(tree)
    most = max(sizes.values(), default=0)
    if most < LEAST_TO_HALVE:
        raise BadInput(
            f"no level can be added to the cluster-root subtree: no rank combines {LEAST_TO_HALVE} hosts, and halves "
            "of fewer are no groups"
        )
    for rank in sorted(rank for rank, size in sizes.items() if size == most):
        moved = tree.beyond(rank)[-(most // 2) :]
        taker = _nearest_free(tree, rank, moved)
        tree = tree.rehung(dict.fromkeys(moved, taker))
    return tree


def remove_root_level(tree: HostTree) -> HostTree:
    """Put the smallest pairs of groups of hosts, that ranks of one host combine, together again.

    Raises:
        BadInput: where no host has two such groups.
    """
    sizes = _combined(tree)
    changes: dict[int, int] = {}
    for host in tree.host_names:
        leader = tree.leader(host)
        parts = sorted(
            (rank for rank in tree.ranks_on(host) if rank in sizes or rank == leader),
            key=lambda rank: (rank != leader, tree.beyond(rank)),
        )
        sums = [sizes.get(a, 1) + sizes.get(b, 0) for a, b in pairwise(parts)]
        place = len(sums) - 1
        while place >= 0:
            if sums[place] == min(sums):
                changes |= dict.fromkeys(tree.beyond(parts[place + 1]), parts[place])
                place -= 1
            place -= 1
    if not changes:
        raise BadInput(
            "no level can be removed from the cluster-root subtree: no host has two ranks that combine other hosts; "
            "merge-root takes back what was moved to other hosts"
        )
    return tree.rehung(changes)


def _on_hosts(
    tree: HostTree, hosts: Sequence[str], edit: Callable[[HostTree, list[int]], dict[int, int]], why_not: str
) -> HostTree:
    wanted = list(hosts) or tree.host_names
    changes: dict[int, int] = {}
    for host in wanted:
        changes |= edit(tree, tree.ranks_on(host))
    if not changes:
        raise BadInput(why_not.format(", ".join(wanted) if hosts else "any host"))
    return tree.rehung(changes)


def _group(tree: HostTree, rank: int) -> list[int]:
    return [rank, *(child for child in tree.within(rank) if not tree.within(child))]


def _halved(tree: HostTree, ranks: Sequence[int]) -> dict[int, int]:
    groups = [_group(tree, rank) for rank in ranks]
    most = max(len(group) for group in groups)
    if most < LEAST_TO_HALVE:
        return {}
    keeps = (most + 1) // 2
    return {rank: group[keeps] for group in groups if len(group) == most for rank in group[keeps + 1 :]}


def _reunited(tree: HostTree, ranks: Sequence[int]) -> dict[int, int]:
    pairs = [
        (rank, lower)
        for rank in ranks
        for lower in tree.within(rank)
        if tree.within(lower) and len(_group(tree, lower)) == 1 + len(tree.within(lower))
    ]
    together = {(a, b): len(_group(tree, a)) + len(_group(tree, b)) for a, b in pairs}
    least = min(together.values(), default=0)
    first: dict[int, int] = {}
    for (a, b), size in together.items():
        if size == least:
            first.setdefault(a, b)
    return {leaf: a for a, b in first.items() for leaf in tree.within(b)}


def _combined(tree: HostTree) -> dict[int, int]:
    """How many hosts each rank combines that combines any."""
    leaders = {tree.leader(host) for host in tree.host_names}
    return {rank: len(beyond) + (rank in leaders) for rank in range(len(tree.parent)) if (beyond := tree.beyond(rank))}


def _nearest_free(tree: HostTree, rank: int, moved: Sequence[int]) -> int:
    forbidden = set[int]().union(*(tree.subtree(one) for one in moved))
    distance, queue = {rank: 0}, [rank]
    for one in queue:
        above = tree.parent[one]
        near = [*tree.within(one), *([above] if above is not None and tree.hosts[above] == tree.hosts[one] else [])]
        fresh = [other for other in near if other not in distance]
        distance |= dict.fromkeys(fresh, distance[one] + 1)
        queue += fresh
    free = [one for one in queue if not tree.beyond(one) and one not in forbidden and one != rank]
    if not free:
        raise BadInput(
            f"no level can be added to the cluster-root subtree: {tree.hosts[rank]} has no rank left to combine hosts; "
            "split-root lets another host combine them"
        )
    return min(free, key=lambda one: (distance[one], len(tree.children[one]), one))
