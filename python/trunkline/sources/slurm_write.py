"""A cluster as Slurm's ``topology.conf``."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence

from trunkline import _core

_UPPER = "-up"
"""Ends the name of the upper half of a switch that has both hosts and switches below it."""


def topology_conf(cluster: _core.Cluster) -> str:
    """A file for ``TopologyPlugin=topology/tree``: the cluster's spanning tree, from the switch in its middle down.

    Slurm knows switches with nodes and switches with switches, and none with both. Such a one is written as two, its
    upper half with ``-up`` behind the name. Rates are left out: Slurm does not use them.
    """
    nodes: dict[str, list[str]] = defaultdict(list)
    for number, host in enumerate(cluster.hosts):
        nodes[cluster.switch_of(number)].append(host)
    return "".join(f"{line}\n" for line in _lines(_root(cluster), "", _neighbours(cluster), nodes))


def _neighbours(cluster: _core.Cluster) -> dict[str, list[str]]:
    """Of each switch, those that the spanning tree joins it to."""
    switches = dict.fromkeys(cluster.switches)
    unused = {(link.a, link.b) for link in cluster.unused_links}
    found: dict[str, list[str]] = {switch: [] for switch in switches}
    for link in cluster.links:
        if link.a in switches and link.b in switches and (link.a, link.b) not in unused:
            found[link.a].append(link.b)
            found[link.b].append(link.a)
    return {switch: list(dict.fromkeys(others)) for switch, others in found.items()}


def _root(cluster: _core.Cluster) -> str:
    """The switch from which the farthest one is nearest; of several the first."""
    neighbours = _neighbours(cluster)

    def depth(start: str) -> int:
        seen, waiting = {start: 0}, deque([start])
        while waiting:
            switch = waiting.popleft()
            for other in neighbours[switch]:
                if other not in seen:
                    seen[other] = seen[switch] + 1
                    waiting.append(other)
        return max(seen.values())

    return min(cluster.switches, key=depth)


def _name(switch: str) -> str:
    """As Slurm takes it: the name of merged switches has a plus sign."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", switch)


def _is_empty(
    switch: str, parent: str, neighbours: Mapping[str, list[str]], nodes: Mapping[str, Sequence[str]]
) -> bool:
    below = [other for other in neighbours[switch] if other != parent]
    return not nodes.get(switch) and all(_is_empty(other, switch, neighbours, nodes) for other in below)


def _lines(
    switch: str, parent: str, neighbours: Mapping[str, list[str]], nodes: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    below = [
        other for other in neighbours[switch] if other != parent and not _is_empty(other, switch, neighbours, nodes)
    ]
    for other in below:
        yield from _lines(other, switch, neighbours, nodes)
    if hosts := nodes.get(switch):
        yield f"SwitchName={_name(switch)} Nodes={_core.compress_hostlist(list(hosts))}"
    if below:
        own = [_name(switch)] if hosts else []
        uppers = [_top(other, switch, neighbours, nodes) for other in below]
        name = _top(switch, parent, neighbours, nodes)
        yield f"SwitchName={name} Switches={','.join([*own, *uppers])}"


def _top(switch: str, parent: str, neighbours: Mapping[str, list[str]], nodes: Mapping[str, Sequence[str]]) -> str:
    """The name under which the switch above knows one: that of its upper half, where it is written as two."""
    has_switches = any(
        other != parent and not _is_empty(other, switch, neighbours, nodes) for other in neighbours[switch]
    )
    return _name(switch) + (_UPPER if has_switches and nodes.get(switch) else "")
