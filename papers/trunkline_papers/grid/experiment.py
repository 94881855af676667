"""The grid paper's experiment (figure 4) in its own model: planned with what it measured, not run.

Five workstations on two local networks, four of them with two processors; 100 000 bytes. The paper states what a
message costs between the networks. It does not state what one costs within a network, nor between two processors of a
host, nor in which order processors were added, so these are assumed, and what depends on them is told.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial

from trunkline import _core
from trunkline_papers.grid.random_weights import LATENCY_S

__all__ = ["BINOMIAL", "WITHIN_HOSTS", "Grid", "grid_experiment", "processors_graph"]

BYTES = 100_000
INJECTION_S = 7.3e-3
"""Of 100 000 bytes, as the paper measured it."""
NEAR_S = 0.1e-3
"""Between processors of one local network. The paper does not say; this is a usual value."""
SITE_OF_HOST = (0, 0, 1, 1, 1)
"""Two workstations on one local network, three on another, 6 miles away."""
PROCESSORS = (0, 1, 2, 3, 4, 0, 1, 2, 3)
"""Host of each: four hosts have two. The paper does not say in which order; here each host has one first."""
BINOMIAL = "binomial"
"""By rank number, as MPICH's ``MPI_Bcast`` of that time."""
SHAPES = ("wave", "wave-mended", "local-search", "optimum", BINOMIAL)

WITHIN_HOSTS = {
    "network": (INJECTION_S, NEAR_S),
    "loopback": (2e-3, 0.05e-3),
    "memory": (0.5e-3, 0.05e-3),
}
"""Injection and weight between two processors of a host: as between hosts of a network, which is all that the paper's
model with one injection time a node can say; through the host's own TCP at 50 MB/s; through memory at 200 MB/s."""


@dataclass(frozen=True)
class Grid:
    """So many of the processors: a broadcast by one shape, as the paper's model has it."""

    within_hosts: str
    """A name of :data:`WITHIN_HOSTS`."""
    processors: int
    shape: str
    seconds: float
    sends_in_a_row: int
    """One after another on the way to the processor that has the message last."""
    far_in_a_row: int
    """Of the ways there, those between the two networks."""

    def as_json(self) -> dict[str, object]:
        """The row as the command writes it."""
        return asdict(self)


def processors_graph(processors: int, within_hosts: str) -> _core.WeightedGraph:
    """The first so many of the processors, and a way from each to each other one."""
    hosts = PROCESSORS[:processors]
    edges = []
    for u, of_u in enumerate(hosts):
        for v, of_v in enumerate(hosts):
            injection_s, weight_s = WITHIN_HOSTS[within_hosts]
            if of_u != of_v:
                injection_s = INJECTION_S
                weight_s = NEAR_S if SITE_OF_HOST[of_u] == SITE_OF_HOST[of_v] else LATENCY_S
            if u != v:
                edges.append((u, v, weight_s, injection_s))
    return _core.WeightedGraph(processors, edges)


def grid_experiment(within_hosts: str = "network") -> Iterator[Grid]:
    """Every shape over two to all of the processors."""
    for processors in range(2, len(PROCESSORS) + 1):
        graph = processors_graph(processors, within_hosts)
        sites = [SITE_OF_HOST[host] for host in PROCESSORS[:processors]]
        row = partial(Grid, within_hosts, processors)
        for shape in SHAPES:
            if shape == BINOMIAL:
                tree = _core.lay_trees("bcast", BINOMIAL, None, list(range(processors)), 0)[0]
            else:
                tree = _core.lay_weighted(shape, graph, 0)
            arrivals_s = _core.arrivals_s(graph, tree)
            last = max(range(processors), key=arrivals_s.__getitem__)
            yield row(shape, arrivals_s[last], *_way(tree, sites, last))


def _way(tree: _core.Tree, sites: list[int], rank: int) -> tuple[int, int]:
    """Sends one after another until a rank has the message, and how many of its ways lead to the other network."""
    sends = far = 0
    parents, children = tree.parent, tree.children
    while (parent := parents[rank]) is not None:
        sends += children[parent].index(rank) + 1
        far += sites[parent] != sites[rank]
        rank = parent
    return sends, far
