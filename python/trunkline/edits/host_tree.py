"""A tree over ranks with the hosts of its ranks: what edits read and make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trunkline import _core
from trunkline.errors import BadInput


@dataclass(frozen=True)
class HostTree:
    """Who hangs below whom, and on which host.

    A *host subtree* is the ranks of a host as they hang below each other. Its *tops* are the ranks whose parents sit on
    other hosts; the *leader* is the top with the lowest number, and a root on its own host. Two roots may exchange:
    the second one hangs below the first, and is none of those that contribute to it.
    """

    parent: tuple[int | None, ...]
    """By rank; None for the root."""
    hosts: tuple[str, ...]
    """Names, by rank."""
    exchange: int | None = None
    """The second root; None: there is one alone."""

    @classmethod
    def of(cls, tree: _core.Tree, hosts: Sequence[str]) -> HostTree:
        """A tree of a plan with the hosts of its ranks."""
        return cls(tuple(tree.parent), tuple(hosts), tree.exchange)

    def as_tree(self) -> _core.Tree:
        """The tree for a plan, proven by the checker; each rank sends over the network first, then where most follows.

        Raises:
            InvalidPlan: where it is none.
        """
        numbers = {host: number for number, host in enumerate(dict.fromkeys(self.hosts))}
        tree = _core.Tree(self.root, [list(below) for below in self.children], self.exchange)
        return _core.order_children(tree, [numbers[host] for host in self.hosts])

    @cached_property
    def root(self) -> int:
        """The rank without a parent."""
        return self.parent.index(None)

    @cached_property
    def children(self) -> list[list[int]]:
        """By rank, by number."""
        below: list[list[int]] = [[] for _ in self.parent]
        for rank, parent in enumerate(self.parent):
            if parent is not None:
                below[parent].append(rank)
        return below

    @property
    def host_names(self) -> list[str]:
        """Each host once, in the order of their first ranks."""
        return list(dict.fromkeys(self.hosts))

    @property
    def roots(self) -> list[int]:
        """One, or the two that exchange."""
        return [self.root] if self.exchange is None else [self.root, self.exchange]

    @property
    def other_hosts(self) -> list[str]:
        """As :attr:`host_names`, without those of roots."""
        return [host for host in self.host_names if host not in self.root_hosts]

    @property
    def root_hosts(self) -> list[str]:
        """Where the roots sit."""
        return [self.hosts[root] for root in self.roots]

    def ranks_on(self, host: str) -> list[int]:
        """Its ranks.

        Raises:
            BadInput: where it has none.
        """
        found = [rank for rank, name in enumerate(self.hosts) if name == host]
        if not found:
            raise BadInput(f"no rank of the plan sits on '{host}'; its hosts are: {self.listed_hosts}")
        return found

    @property
    def listed_hosts(self) -> str:
        """For people."""
        return _core.compress_hostlist(self.host_names)

    def within(self, rank: int) -> list[int]:
        """Its children on its own host."""
        return [child for child in self._contributors(rank) if self.hosts[child] == self.hosts[rank]]

    def beyond(self, rank: int) -> list[int]:
        """Its children on other hosts."""
        return [child for child in self._contributors(rank) if self.hosts[child] != self.hosts[rank]]

    def tops(self, host: str) -> list[int]:
        """The ranks of a host whose parents are not on it."""
        return [rank for rank in self.ranks_on(host) if not self._hangs_within(rank)]

    def leader(self, host: str) -> int:
        """The rank that speaks for a host."""
        return next((root for root in self.roots if self.hosts[root] == host), min(self.tops(host)))

    def height_within(self, rank: int) -> int:
        """Levels below a rank on its own host."""
        return max((1 + self.height_within(child) for child in self.within(rank)), default=0)

    def subtree(self, rank: int) -> set[int]:
        """A rank and all that hangs below it."""
        found, stack = set(), [rank]
        while stack:
            found.add(one := stack.pop())
            stack += self.children[one]
        return found

    def rehung(self, parents: Mapping[int, int]) -> HostTree:
        """The tree in which these ranks hang below others.

        Raises:
            BadInput: where one would hang below itself, or no longer below the root with which it exchanges.
        """
        if self.exchange in parents:
            raise BadInput(
                f"rank {self.exchange} is a root: it exchanges with rank {self.root}, so it stays below it; "
                f"reroot --rank {self.root} makes that one the only root"
            )
        changed = list(self.parent)
        for rank, parent in parents.items():
            changed[rank] = parent
        for start in parents:
            above, steps = changed[start], 0
            while above is not None:
                steps += 1
                if above == start or steps > len(changed):
                    raise BadInput(f"rank {start} would hang below itself, so the root would not reach it any more")
                above = changed[above]
        return HostTree(tuple(changed), self.hosts, self.exchange)

    def _contributors(self, rank: int) -> list[int]:
        return [child for child in self.children[rank] if child != self.exchange]

    def _hangs_within(self, rank: int) -> bool:
        parent = self.parent[rank]
        return parent is not None and self.hosts[parent] == self.hosts[rank]


def on_each(tree: HostTree, edit: Callable[[HostTree, str], HostTree], hosts: Sequence[str]) -> HostTree:
    """A step that is about one host, for several of them, one after another."""
    for host in hosts:
        tree = edit(tree, host)
    return tree
