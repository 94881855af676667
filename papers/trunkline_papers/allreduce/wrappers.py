"""Trees of the allreduce paper's wrappers: as plans over ranks stand for them, and as the paper lays them.

A thread is a wrapper without contributors. A plan has ranks alone, and a host's ranks may be too few to stand for all
wrappers on it; where they are, the paper's own tree is laid here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from trunkline.edits.host_tree import HostTree

__all__ = ["GATEWAY", "Wrapper", "layered", "on_8w", "papers_own", "through_gateway", "wrappers_of"]

GATEWAY = "gateway"
"""The host between 4W and 8W: a Pentium II with two processors (section 5.1)."""


@dataclass(eq=False)
class Wrapper:
    """A wrapper, or a thread: one without contributors."""

    host: str
    contributors: list[Wrapper] = field(default_factory=list)
    parent: Wrapper | None = None

    def __post_init__(self) -> None:
        for one in self.contributors:
            one.parent = self

    @cached_property
    def is_within(self) -> bool:
        """Whether it is of a host subtree: all threads below it are on its host."""
        return all(one.host == self.host for one in self.threads())

    def threads(self) -> Iterator[Wrapper]:
        """Below it, or itself."""
        if not self.contributors:
            yield self
        for one in self.contributors:
            yield from one.threads()

    def hosts(self) -> set[str]:
        """Of itself and all below."""
        return {one.host for one in self.all()}

    def all(self) -> Iterator[Wrapper]:
        """Itself and all below."""
        yield self
        for one in self.contributors:
            yield from one.all()


def layered(parts: Sequence[Wrapper], host: str, fan_in: int) -> Wrapper:
    """Wrappers on a host over parts, so many contributors each, and wrappers over these, down to one."""
    while len(parts) > 1:
        groups = [list(parts[start : start + fan_in]) for start in range(0, len(parts), fan_in)]
        parts = [group[0] if len(group) == 1 else Wrapper(host, group) for group in groups]
    return parts[0]


def _host_subtree(host: str, threads: int, fan_in: int) -> Wrapper:
    return layered([Wrapper(host) for _ in range(threads)], host, fan_in)


def on_8w(threads: int, fan_in: int) -> Wrapper:
    """Table 5: 8W with more threads on each host, one fan-in on both storeys."""
    return layered([_host_subtree(f"w{host}", threads, fan_in) for host in range(4)], "w0", fan_in)


def _groups(hosts: Sequence[str], threads: int, fan_in: int, size: int) -> list[Wrapper]:
    """Groups of hosts, each combined by wrappers on its first host."""
    return [
        layered([_host_subtree(host, threads, fan_in) for host in hosts[start : start + size]], hosts[start], fan_in)
        for start in range(0, len(hosts), size)
    ]


def _now() -> dict[str, Wrapper]:
    """Seven of the eight wrappers over four hosts are on other hosts, in quad and binary trees alike.

    Table 4 has threads 4 and 56 behind one proxy, 11 and 36 behind two. So host 18 leads no group, as it would in
    groups of two.
    """
    hosts = [f"n{number}" for number in range(30)]
    split_further = []
    for start in range(0, len(hosts), 8):
        parts = _groups(hosts[start : start + 8], 2, 2, 4)
        split_further.append(layered(parts, hosts[start], 2))
    return {
        "quadNOW": layered([_host_subtree(host, 2, 4) for host in hosts], "n0", 4),
        "splitNOW": layered(_groups(hosts, 2, 4, 4), "n0", 4),
        "binaryNOW": layered(_groups(hosts, 2, 2, 4), "n0", 2),
        "binaryNOW-2": layered(split_further, "n0", 2),
    }


def _blade() -> dict[str, Wrapper]:
    """The paper does not say what it started from: a level or more on the one root host, quad or binary."""
    hosts = [f"b{number}" for number in range(10)]

    def threads() -> list[Wrapper]:
        return [Wrapper(host) for host in hosts]

    return {
        "quadBlade": layered(threads(), "b0", 4),
        "binaryBlade": layered(threads(), "b0", 2),
    }


def papers_own(cluster: str) -> Mapping[str, Wrapper]:
    """By configuration, of a bundled cluster: those that its hosts have too few ranks to stand for."""
    return {"now": _now, "blade": _blade}.get(cluster, dict)()


def through_gateway(root: Wrapper) -> Wrapper:
    """What goes from 4W (hosts v...) to 8W (hosts w...) or back is handed on by a host between them."""
    for one in list(root.all()):
        one.contributors = [
            part if part.host[0] == one.host[0] else Wrapper(GATEWAY, [part]) for part in one.contributors
        ]
        for part in one.contributors:
            part.parent = one
    return root


def _combined(start: Wrapper | None, joining: list[tuple[int, Wrapper]], host: str) -> Wrapper:
    """A wrapper for each level, from below: who joins there, and what has come together before."""
    top = start
    for _, some in groupby(sorted(joining, key=lambda one: one[0]), key=lambda one: one[0]):
        below = [*([top] if top else []), *(node for _, node in some)]
        top = below[0] if len(below) == 1 else Wrapper(host, below)
    assert top is not None, "somebody joins, or there is a start"
    return top


class _OfPlan:
    """The paper's wrappers of a tree over ranks: those of a host by themselves, hosts in the cluster-root subtree.

    A rank that combines other hosts stands for a wrapper of that subtree; as a thread it belongs to its own host's.
    """

    def __init__(self, tree: HostTree) -> None:
        self._tree = tree

    def of(self, rank: int) -> tuple[int, Wrapper]:
        """A host's top with all below it, and how many levels hosts join on."""
        joining = self._others(rank)
        levels = 1 + max((level for level, _ in joining), default=-1)
        return levels, _combined(self._own(rank), joining, self._tree.hosts[rank])

    def _own(self, rank: int) -> Wrapper:
        below = [(self._tree.height_within(child), self._own(child)) for child in self._tree.within(rank)]
        return _combined(Wrapper(self._tree.hosts[rank]), below, self._tree.hosts[rank])

    def _others(self, rank: int) -> list[tuple[int, Wrapper]]:
        """Hosts that join below a rank of a host, and on which level."""
        joining = [self.of(child) for child in self._tree.beyond(rank)]
        for child in self._tree.within(rank):
            if others := self._others(child):
                levels = 1 + max(level for level, _ in others)
                joining.append((levels, _combined(None, others, self._tree.hosts[rank])))
        return joining


def wrappers_of(tree: HostTree) -> Wrapper:
    """The wrappers that the ranks of a tree stand for."""
    return _OfPlan(tree).of(tree.root)[1]
