"""Random clusters of several places: a tree of long links between sites, each a switch with its hosts."""

import random
import re

from trunkline import _core
from trunkline.errors import BadInput

__all__ = ["SITES_FORM", "SITES_PREFIXES", "named_random_sites"]

SITES_FORM = "sites[-dealt]:SITESxHOSTS[:SEED]"
SITES_PREFIXES = ("sites:", "sites-dealt:")
"""Hosts, and so ranks, stand site by site; or dealt, as a deck of cards is."""

_MOST_HOSTS = 100_000
_DELAYS_MS = 0.1, 100.0
_RATES_MBIT = 10.0, 100.0


def named_random_sites(name: str) -> _core.Cluster:
    """The cluster that ``sites:SITESxHOSTS[:SEED]`` stands for: the same one every time; without a seed, seed 1.

    Every site after the first has one long link, to a site before it, any with equal chances. Its latency is 0.1 to
    100 ms and its rate 10 to 100 Mbit/s, each with equal chances for equal ratios. Hosts' own links have 100 Mbit/s and
    10 us.

    Raises:
        BadInput: where the name is not of that form, or the numbers are out of range.
    """
    match = re.fullmatch(r"sites(-dealt)?:(\d+)x(\d+)(?::(\d+))?", name, re.ASCII)
    if not match:
        raise BadInput(f"'{name}' is no random cluster with sites: write {SITES_FORM}")
    dealt, sites, hosts, seed = bool(match[1]), int(match[2]), int(match[3]), int(match[4] or 1)
    if sites < 2 or hosts < 1 or sites * hosts > _MOST_HOSTS:
        raise BadInput(f"'{name}': there must be 2 sites at least, and from 1 to {_MOST_HOSTS} hosts in all")
    called = f"sites{'-dealt' if dealt else ''}-{sites}x{hosts}" + (f"-{seed}" if seed != 1 else "")
    return _core.parse_cluster(_yaml(called, sites, hosts, dealt, random.Random(seed)), called)


def _yaml(name: str, sites: int, hosts: int, dealt: bool, rng: random.Random) -> str:
    def evenly_by_ratio(least: float, most: float) -> float:
        return float(least * (most / least) ** rng.random())

    homes = (
        [site for _ in range(hosts) for site in range(sites)] if dealt else [n // hosts for n in range(sites * hosts)]
    )
    lines = [
        "trunkline: cluster/1",
        f"name: {name}",
        "defaults: {rate: 100Mbit, latency: 10us}",
        f"switches: [{', '.join(f's{site}' for site in range(sites))}]",
        "hosts:",
        *(f"  - {{hosts: h{host}, switch: s{site}}}" for host, site in enumerate(homes)),
        "links:",
    ]
    for site in range(1, sites):
        rate, delay = evenly_by_ratio(*_RATES_MBIT), evenly_by_ratio(*_DELAYS_MS)
        ends = f"between: [s{rng.randrange(site)}, s{site}]"
        lines.append(f"  - {{{ends}, rate: {rate:.3g}Mbit, latency: {delay:.3g}ms}}")
    return "\n".join(lines) + "\n"
