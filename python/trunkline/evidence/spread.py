"""How far predictions are off, by what is known of a cell before it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import ceil, inf

from trunkline import _core
from trunkline.accuracy import fastest_host_bps
from trunkline.evidence.cells import Cell, laid, network_of, predicted_s
from trunkline.units import format_rate

NEAR, FAR = 0.15, 0.30
"""By what part of its time a prediction may be off that is near, and that is not far."""
MOST = 0.95
"""Part of the cells that a spread holds: 19 of 20."""
RATES_BPS = (1e9, 1e10, inf)
"""Up to which classes of fastest host links reach."""


@dataclass(frozen=True)
class Compared:
    """A cell beside its prediction."""

    cell: Cell
    predicted_s: float

    @property
    def ratio(self) -> float:
        """What it took, over what was predicted."""
        return self.cell.seconds / self.predicted_s

    @property
    def off(self) -> float:
        """By what part of the true time the prediction is off."""
        return abs(self.predicted_s / self.cell.seconds - 1.0)


@dataclass(frozen=True)
class Spread:
    """How far predictions of some cells are off."""

    feature: str
    value: str
    cells: int
    within_15: int
    """Cells that are off by 15 % or less."""
    within_30: int
    most: float
    """19 of 20 are off by no more than this part of their time."""
    least_ratio: float
    """Of true over predicted times: the least and the greatest."""
    most_ratio: float

    def as_json(self) -> dict[str, object]:
        """The row as the command writes it."""
        return asdict(self)


def compared(cells: Iterable[Cell]) -> list[Compared]:
    """Those cells of which something is predicted, plan by plan."""
    return [Compared(cell, seconds) for cell in sorted(cells, key=_plan_first) if (seconds := predicted_s(cell))]


def _plan_first(cell: Cell) -> tuple[object, ...]:
    where = (cell.collective, cell.cluster, cell.rate_bps, cell.ranks_per_host, cell.library, cell.host_costs)
    return (cell.library == "", *where, cell.algorithm, cell.message_bytes)


def spread_of(feature: str, value: str, some: Sequence[Compared]) -> Spread:
    """Of one cell or more."""
    off = sorted(one.off for one in some)
    ratios = [one.ratio for one in some]
    return Spread(
        feature=feature,
        value=value,
        cells=len(some),
        within_15=sum(one <= NEAR for one in off),
        within_30=sum(one <= FAR for one in off),
        most=off[ceil(MOST * len(off)) - 1],
        least_ratio=min(ratios),
        most_ratio=max(ratios),
    )


def _rate_class(cell: Cell) -> str:
    return (
        f"up to {format_rate(most)}" if (most := most_rate_bps(cell)) < inf else f"above {format_rate(RATES_BPS[-2])}"
    )


def most_rate_bps(cell: Cell) -> float:
    """The end of the class of rates that its fastest host link is in."""
    fastest = fastest_host_bps(network_of(cell))
    return next(most for most in RATES_BPS if fastest <= most)


_LIBRARYS = "the library's"
"""Of plans that are not ours."""


def _of_trees(cell: Cell, count: Callable[[_core.Tree], int], classes: Sequence[tuple[float, str]]) -> str:
    """The class of a plan's tree with most of what is counted: up to which number, and its name."""
    if cell.library:
        return _LIBRARYS
    trees = laid(cell)[2].trees
    if trees is None:
        return "rounds"
    found = max(map(count, trees))
    return next(words for most, words in classes if found <= most)


def _relays(cell: Cell) -> str:
    """Ranks that hand a message on, on its longest way."""
    return _of_trees(cell, lambda tree: tree.height - 1, ((0, "none"), (3, "1 to 3"), (inf, "more")))


def _fan(cell: Cell) -> str:
    """The most children of a rank."""
    return _of_trees(cell, lambda tree: tree.max_degree, ((1, "1"), (3, "2 or 3"), (inf, "more")))


def _shares_links(cell: Cell) -> str:
    if cell.library:
        return _LIBRARYS
    return "alone" if _core.contention_of(*laid(cell)).contention_free else "shared"


FEATURES: dict[str, Callable[[Cell], str]] = {
    "of": lambda cell: f"{cell.library}'s own" if cell.library else "Trunkline",
    "collective": lambda cell: cell.collective,
    "fastest host link": _rate_class,
    "ranks a host": lambda cell: "1" if cell.ranks_per_host == 1 else "several",
    "message": lambda cell: "one frame" if cell.message_bytes <= _core.frame_payload_bytes else "longer",
    "relays": _relays,
    "children": _fan,
    "links": _shares_links,
    "cluster": lambda cell: cell.cluster,
    "hosts as under": lambda cell: cell.host_costs,
    "by": lambda cell: cell.by,
}
"""What is known before a call runs, in words, by name."""


def spreads(rows: Sequence[Compared], features: Iterable[str] = FEATURES) -> list[Spread]:
    """By each of these features its values in order, each with cells."""
    found: list[Spread] = []
    for feature in features:
        groups: dict[str, list[Compared]] = defaultdict(list)
        for one in rows:
            groups[FEATURES[feature](one.cell)].append(one)
        found += [spread_of(feature, value, groups[value]) for value in sorted(groups)]
    return found
