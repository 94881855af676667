"""The configurations of the allreduce paper, each with the step that makes it and what the paper says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.edits.host_tree import HostTree, on_each
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level
from trunkline.edits.plans import host_tree_of
from trunkline.edits.steps import add_link, join, split_root
from trunkline.hierarchy import Hierarchy, hierarchical_plan
from trunkline_papers.allreduce.gsum import CPUS

__all__ = ["STUDIES", "Claim", "Configuration", "is_the_papers", "trees_of"]

Made = Mapping[str, HostTree]
"""The trees of the configurations before, by name."""


class Claim(NamedTuple):
    """What a configuration is compared with, and what the paper measured."""

    over: str
    """Another configuration."""
    times: float | None
    """So many times faster than that one in the paper; below 1 slower; None: the paper has no such configuration."""
    message_bytes: int = 4


@dataclass(frozen=True)
class Configuration:
    """One tree of the paper's study."""

    name: str
    """As in the paper, and in ``papers/plans``."""
    step: str
    """How it is made, in words of ``trunkline plan``."""
    make: Callable[[_core.Cluster, Made], HostTree]
    pointed: str = ""
    """What the paper's metrics showed, or what it says of the change."""
    claims: tuple[Claim, ...] = ()


def _composed(ranks_on: int, shape: Hierarchy) -> Callable[[_core.Cluster, Made], HostTree]:
    def make(cluster: _core.Cluster, _: Made) -> HostTree:
        placement = _core.block_placement(cluster, ranks_on)
        return host_tree_of(hierarchical_plan(cluster, "allreduce", shape, placement, 0).file, "plan")

    return make


def _edited(of: str, *steps: Callable[[HostTree], HostTree]) -> Callable[[_core.Cluster, Made], HostTree]:
    def make(_: _core.Cluster, made: Made) -> HostTree:
        tree = made[of]
        for step in steps:
            tree = step(tree)
        return tree

    return make


def _links_of_all(tree: HostTree) -> HostTree:
    return on_each(tree, add_link, tree.other_hosts)


def _split(*hosts: str) -> Callable[[HostTree], HostTree]:
    return lambda tree: on_each(tree, split_root, hosts)


def _flat_on(*hosts: str) -> Callable[[HostTree], HostTree]:
    return lambda tree: remove_host_level(tree, hosts)


def _in_order_of(cluster: _core.Cluster, tree: HostTree) -> HostTree:
    """The same tree, its ranks numbered in the order of the cluster's hosts."""
    places = {host: place for place, host in enumerate(cluster.hosts)}
    order = sorted(range(len(tree.hosts)), key=lambda rank: places[tree.hosts[rank]])
    new = {old: number for number, old in enumerate(order)}
    parents = [tree.parent[old] for old in order]
    return HostTree(
        tuple(None if parent is None else new[parent] for parent in parents), tuple(tree.hosts[old] for old in order)
    )


def _joined(first: str, second: str) -> Callable[[_core.Cluster, Made], HostTree]:
    def make(cluster: _core.Cluster, _: Made) -> HostTree:
        parts = trees_of("4w", load_cluster("4w")) | trees_of("8w", load_cluster("8w"))
        return _in_order_of(cluster, join(parts[first], parts[second]))

    return make


def is_the_papers(cluster: _core.Cluster, ranks_on: Sequence[int]) -> bool:
    """Whether the paper has configurations for this cluster with so many ranks on each host."""
    if cluster.name not in STUDIES or list(ranks_on) != CPUS[cluster.name]:
        return False
    return list(cluster.hosts) == list(load_cluster(cluster.name).hosts)


def trees_of(study: str, cluster: _core.Cluster) -> dict[str, HostTree]:
    """The trees of a study's configurations, by name.

    Args:
        study: One of :data:`STUDIES`.
        cluster: The bundled one of that name, at any rate.
    """
    made: dict[str, HostTree] = {}
    for one in STUDIES[study]:
        made[one.name] = one.make(cluster, made)
    return made


FLAT = Hierarchy(0, 0, 0)

_8W = (
    Configuration("nary8W", "compose, flat on both storeys", _composed(8, FLAT)),
    Configuration(
        "quad8W",
        "add-level",
        _edited("nary8W", add_host_level),
        "departure waits and up latency of the host subtrees: one node serves all ranks of a host",
        (Claim("nary8W", 1.17),),
    ),
    Configuration(
        "binaryquad8W",
        "add-level",
        _edited("quad8W", add_host_level),
        "departure waits and up latency of the host subtrees",
        (Claim("quad8W", 1.17),),
    ),
    Configuration(
        "binary8W",
        "add-level --root",
        _edited("binaryquad8W", add_root_level),
        "up latency of the host subtree on the root host, which the cluster-root subtree loads",
        (Claim("binaryquad8W", 1.08), Claim("nary8W", 1.49)),
    ),
    Configuration(
        "links8W",
        "add-link",
        _edited("binary8W", _links_of_all),
        "more network links: no faster, and no slower",
        (Claim("binary8W", 1.0),),
    ),
)

_4W = (
    Configuration("nary4W", "compose, flat on both storeys", _composed(4, FLAT)),
    Configuration(
        "binary4W",
        "add-level; add-level --root, twice",
        _edited("nary4W", add_host_level, add_root_level, add_root_level),
        "up latency and departure waits",
        (Claim("nary4W", 1.07),),
    ),
    Configuration(
        "links4W",
        "add-link",
        _edited("binary4W", _links_of_all),
        "more network links load the root host",
        (Claim("binary4W", 1 / 1.49),),
    ),
    Configuration(
        "split4W",
        "split-root --host v2 --host v4 --host v6",
        _edited("binary4W", _split("v2", "v4", "v6")),
        "the root host's load: its nodes of the cluster-root subtree go to other hosts",
        (Claim("binary4W", 1.10),),
    ),
    Configuration(
        "split4W-2",
        "remove-level on the hosts that combine no others",
        _edited("split4W", _flat_on("v1", "v3", "v5", "v7")),
        "host subtrees of the hosts that combine no others: flat ones were faster there",
        (Claim("split4W", 1.05), Claim("binary4W", 1.12), Claim("binary4W", 1 / 1.23, 256)),
    ),
)

_NOW = (
    Configuration("quadNOW", "compose, quad on both storeys", _composed(2, Hierarchy(4, 4, 0))),
    Configuration(
        "splitNOW",
        "compose --split 1",
        _composed(2, Hierarchy(4, 4, 1)),
        "the root host's load: seven of eight nodes on top go to other hosts",
        (Claim("quadNOW", 2.44),),
    ),
    Configuration(
        "binaryNOW",
        "compose, binary, --split 1",
        _composed(2, Hierarchy(2, 2, 1)),
        "departure waits: groups of two",
        (Claim("splitNOW", 1.37), Claim("quadNOW", 2.44 * 1.37)),
    ),
    Configuration(
        "binaryNOW-2",
        "compose, binary, --split 2",
        _composed(2, Hierarchy(2, 2, 2)),
        "split further, more proxies are on the way",
        (Claim("binaryNOW", 1 / 1.11),),
    ),
)

_BLADE = (
    Configuration("naryBlade", "compose, flat", _composed(1, FLAT)),
    Configuration(
        "splitBlade",
        "compose, 3-ary root, --split 1",
        _composed(1, Hierarchy(0, 3, 1)),
        "four hosts combine: no faster",
        (Claim("naryBlade", 1.0),),
    ),
)

_BOTH = (
    Configuration("4W+8W", "split4W join binary8W", _joined("split4W", "binary8W")),
    Configuration(
        "8W+4W",
        "binary8W join split4W",
        _joined("binary8W", "split4W"),
        "the wrong root: proxies through the gateway, on the way of the ranks that are slowest already",
        (Claim("4W+8W", 1 / 1.46),),
    ),
)

STUDIES: Mapping[str, tuple[Configuration, ...]] = {"8w": _8W, "4w": _4W, "now": _NOW, "blade": _BLADE, "4w+8w": _BOTH}
"""By bundled cluster, in the paper's order; the first one is the initial configuration."""
