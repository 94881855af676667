"""Random weighted graphs of hosts, with latencies and injection times around those of the grid paper."""

import random
from collections.abc import Callable
from itertools import permutations

from trunkline import _core
from trunkline.compat import zip_equal

__all__ = ["FAMILIES", "LATENCY_S", "random_weighted"]

LATENCY_S = 1.6e-3
"""Between the two sites of the paper's experiment."""
LEAST_RATIO, MOST_RATIO = 0.1, 10.0
"""Of the injection time to the mean latency."""


def _spread(rng: random.Random, least: float, most: float) -> float:
    """As likely between 1 and 2 as between 2 and 4."""
    return float(least * (most / least) ** rng.random())


def _complete(hosts: int, rng: random.Random) -> dict[tuple[int, int], float]:
    """A tenth to ten times the paper's latency, in each direction by itself."""
    return {pair: _spread(rng, 0.1 * LATENCY_S, 10 * LATENCY_S) for pair in permutations(range(hosts), 2)}


def _sparse(hosts: int, rng: random.Random) -> dict[tuple[int, int], float]:
    """A ring through all, and three in ten of the other edges: strongly connected."""
    order = rng.sample(range(hosts), hosts)
    ring = set(zip_equal(order, order[1:] + order[:1]))
    return {pair: w for pair, w in _complete(hosts, rng).items() if pair in ring or rng.random() < 0.3}


def _sites(hosts: int, rng: random.Random) -> dict[tuple[int, int], float]:
    """Two to four sites: 0.1 to 0.5 ms within one, 1 to 40 ms between two, in each direction by itself."""
    sites = rng.randint(2, 4)
    site = [rng.randrange(sites) for _ in range(hosts)]
    between = {pair: _spread(rng, 1e-3, 40e-3) for pair in permutations(range(4), 2)}
    near = {pair: rng.uniform(0.1e-3, 0.5e-3) for pair in permutations(range(hosts), 2)}
    return {(u, v): w if site[u] == site[v] else between[site[u], site[v]] + w for (u, v), w in near.items()}


FAMILIES: dict[str, Callable[[int, random.Random], dict[tuple[int, int], float]]] = {
    "complete": _complete,
    "sparse": _sparse,
    "sites": _sites,
}
"""Latency by edge, of so many hosts."""


def random_weighted(family: str, hosts: int, rng: random.Random) -> _core.WeightedGraph:
    """One graph of a family of :data:`FAMILIES`.

    Injection takes a tenth to ten times the mean latency: in every other graph the same on all hosts, else drawn for
    each.
    """
    weights = FAMILIES[family](hosts, rng)
    mean = sum(weights.values()) / len(weights)
    alike = rng.random() < 0.5
    one = _spread(rng, LEAST_RATIO, MOST_RATIO)
    injection = [mean * (one if alike else _spread(rng, LEAST_RATIO, MOST_RATIO)) for _ in range(hosts)]
    return _core.WeightedGraph(hosts, [(u, v, w, injection[u]) for (u, v), w in weights.items()])
