"""Random trees of switches with machines placed at random, by one reading of the papers on pipelined broadcasts."""

import random
import re
from collections.abc import Sequence

from trunkline import _core
from trunkline.errors import BadInput

PREFIX = "random:"
"""Before ``HOSTSxSWITCHES[:SEED]`` wherever a cluster can be named."""

_MOST_HOSTS = 100_000


def named_random_cluster(name: str) -> _core.Cluster:
    """The cluster that ``random:HOSTSxSWITCHES[:SEED]`` stands for: the same one every time; without a seed, seed 1.

    Raises:
        BadInput: where the name is not of that form, or the numbers are out of range.
    """
    match = re.fullmatch(rf"{PREFIX}(\d+)x(\d+)(?::(\d+))?", name, re.ASCII)
    if not match:
        raise BadInput(f"'{name}' is no random cluster: write {PREFIX}HOSTSxSWITCHES or {PREFIX}HOSTSxSWITCHES:SEED")
    hosts, switches, seed = int(match[1]), int(match[2]), int(match[3] or 1)
    if not 1 <= switches <= hosts <= _MOST_HOSTS:
        raise BadInput(f"'{name}': there must be from 1 to {_MOST_HOSTS} hosts, and no more switches than hosts")
    # Results are told apart by the name: the same network has the same name, another one another.
    called = f"random-{hosts}x{switches}" + (f"-{seed}" if seed != 1 else "")
    return random_cluster(hosts, switches, random.Random(seed), called)


def random_cluster(machines: int, switches: int, rng: random.Random, name: str = "random") -> _core.Cluster:
    """A cluster by the reading of the papers that makes longer rows of switches.

    Random links between switches until they form a tree, those that would close a ring left out; then every machine on
    a switch picked with equal chances.
    """
    links = random_tree(switches, rng)
    return cluster_of_links(switches, links, random_homes(machines, switches, rng), name)


def random_tree(switches: int, rng: random.Random) -> list[tuple[int, int]]:
    """Links between random switches until all are joined, those that would close a ring left out; as they are drawn."""
    parent = list(range(switches))

    def piece(switch: int) -> int:
        while parent[switch] != switch:
            parent[switch] = parent[parent[switch]]
            switch = parent[switch]
        return switch

    links: list[tuple[int, int]] = []
    while len(links) < switches - 1:
        a, b = rng.randrange(switches), rng.randrange(switches)
        if piece(a) != piece(b):
            parent[piece(a)] = piece(b)
            links.append((a, b))
    return links


def random_homes(machines: int, switches: int, rng: random.Random) -> list[int]:
    """The switch of each machine, with equal chances."""
    return [rng.randrange(switches) for _ in range(machines)]


def cluster_of_links(
    switches: int, links: Sequence[tuple[int, int]], homes: Sequence[int], name: str = "random"
) -> _core.Cluster:
    """Switches joined by links, of which plans search those first that stand first, and machines below them."""
    home: dict[int, list[str]] = {}
    for machine, switch in enumerate(homes):
        home.setdefault(switch, []).append(f"h{machine}")
    return _core.parse_cluster(_yaml(name, switches, links, home), name)


def _yaml(name: str, switches: int, links: Sequence[tuple[int, int]], home: dict[int, list[str]]) -> str:
    lines = [
        "trunkline: cluster/1",
        f"name: {name}",
        "defaults: {rate: 100Mbit, latency: 10us}",
        f"switches: [{', '.join(f's{i}' for i in range(switches))}]",
        "hosts:",
        *(f"  - {{hosts: [{', '.join(hosts)}], switch: s{switch}}}" for switch, hosts in sorted(home.items())),
    ]
    if links:
        lines += ["links:", *(f"  - between: [s{a}, s{b}]" for a, b in links)]
    return "\n".join(lines) + "\n"
