"""``trunkline_papers bench wave-optimality``: trees over weighted graphs beside the fastest broadcast there is."""

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from trunkline import _core
from trunkline_papers.grid.random_weights import FAMILIES, random_weighted

__all__ = ["BEST", "OPTIMUM", "Optimality", "Ratios", "measure_ratios", "summarize"]

OPTIMUM = "optimum"
BEST = "local-search"
"""The best that we plan without trying all."""
LEAST_HOSTS, MOST_HOSTS = 6, 10


@dataclass(frozen=True)
class Ratios:
    """One random graph: broadcast time of each shape over the least possible."""

    family: str
    hosts: int
    optimum_s: float
    over_optimum: dict[str, float]


@dataclass(frozen=True)
class Optimality:
    """One shape over the graphs of one family, or over all."""

    collective: str
    family: str
    shape: str
    graphs: int
    seed: int
    mean: float
    """Time over the least possible."""
    worst: float
    optimal: float
    """Share of the graphs on which no broadcast is faster."""
    trunkline_version: str

    def as_json(self) -> dict[str, object]:
        """The row as the command writes it."""
        return asdict(self)


def measure_ratios(graphs: int, seed: int) -> Iterator[Ratios]:
    """Lay every shape over so many random graphs of 6 to 10 hosts, the families by turns, each from a random root.

    Each graph draws from a generator of its own, so that it does not depend on how many there are.
    """
    shapes = [shape.name for shape in _core.weighted_shapes() if shape.name != OPTIMUM]
    names = list(FAMILIES)
    for number in range(graphs):
        rng = random.Random(f"{seed}/{number}")
        family = names[number % len(names)]
        hosts = rng.randint(LEAST_HOSTS, MOST_HOSTS)
        graph = random_weighted(family, hosts, rng)
        root = rng.randrange(hosts)
        least = _core.broadcast_s(graph, _core.lay_weighted(OPTIMUM, graph, root))
        over = {name: _core.broadcast_s(graph, _core.lay_weighted(name, graph, root)) / least for name in shapes}
        yield Ratios(family, hosts, least, over)


def summarize(ratios: Sequence[Ratios], seed: int) -> list[Optimality]:
    """A row for each shape over all graphs, then over those of each family."""
    rows = []
    for family in ("all", *dict.fromkeys(one.family for one in ratios)):
        some = [one for one in ratios if family in ("all", one.family)]
        for shape in some[0].over_optimum:
            over = [one.over_optimum[shape] for one in some]
            rows.append(
                Optimality(
                    collective="bcast",
                    family=family,
                    shape=shape,
                    graphs=len(some),
                    seed=seed,
                    mean=statistics.mean(over),
                    worst=max(over),
                    optimal=sum(ratio < 1 + 1e-9 for ratio in over) / len(over),
                    trunkline_version=_core.__version__,
                )
            )
    return rows
