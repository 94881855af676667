"""Pictures of one tree's trace, as SVG text: the paper's timemap and curves, and the tree coloured by cost."""

from collections.abc import Sequence
from html import escape

import numpy as np

from trunkline.report.colours import ACCENT, AXIS, CONTENDED, GRID, INK, PAPER, SERIES, SOFT, dark_too
from trunkline.trace.analysis import AnalysedTree
from trunkline.trace.metrics import departure_wait, up_latency
from trunkline.trace.nodes import Node
from trunkline.trace.stages import Cost, Stage

__all__ = ["cost_tree", "departure_curves", "shown_ranks", "timemap"]

WIDTH, HEIGHT = 760.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 30.0, 46.0
MOST_LINES = 64
MOST_CURVES = 6


def shown_ranks(costs: Sequence[Cost], most: int = MOST_LINES) -> list[Cost]:
    """So many ranks at most: the fastest, the slowest, and others evenly in between; by their totals."""
    ordered = sorted(costs, key=lambda cost: cost.total)
    if len(ordered) <= most:
        return ordered
    return [ordered[round(place)] for place in np.linspace(0, len(ordered) - 1, most)]


class _Axes:
    """A frame with ticks from data to the picture."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.x, self.y = x, y
        self.parts: list[str] = []

    def at(self, x: float, y: float) -> tuple[float, float]:
        across, up = self.x[1] - self.x[0] or 1.0, self.y[1] - self.y[0] or 1.0
        return (
            LEFT + (x - self.x[0]) / across * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - self.y[0]) / up * (HEIGHT - TOP - BOTTOM),
        )

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, width: float = 1.2, opacity: float = 1.0
    ) -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in points))
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-opacity="{opacity:.2f}"/>'
        )

    def word(self, x: float, y: float, text: str, anchor: str = "middle", colour: str = INK, size: int = 12) -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">'
            f"{escape(text)}</text>"
        )

    def ticks(self, x_name: str, y_name: str, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> None:
        for tick in x_ticks:
            x, _ = self.at(tick, self.y[0])
            self.parts.append(
                f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="{GRID}" stroke-width="1"/>'
            )
            self.word(x, HEIGHT - BOTTOM + 16, f"{tick:g}", colour=SOFT)
        for tick in y_ticks:
            _, y = self.at(self.x[0], tick)
            self.parts.append(
                f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{GRID}" stroke-width="1"/>'
            )
            self.word(LEFT - 6, y + 4, f"{tick:g}", "end", SOFT)
        self.parts.append(
            f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" fill="none" '
            f'stroke="{AXIS}" stroke-width="1"/>'
        )
        self.word((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name)
        self.word(LEFT, TOP - 10, y_name, "start")

    def svg(self, title: str) -> str:
        return _document(WIDTH, HEIGHT, title, self.parts)


def _document(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return dark_too(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="DejaVu Sans, sans-serif" role="img"><title>{escape(title)}</title>'
        + "".join(parts)
        + "</svg>"
    )


def _round_ticks(least: float, most: float, about: int = 6) -> list[float]:
    span = most - least
    if span <= 0:
        return [least]
    raw = span / about
    size = 10 ** np.floor(np.log10(raw))
    step = float(size * next(factor for factor in (1, 2, 5, 10) if factor * size >= raw))
    first = np.ceil(least / step) * step
    return [float(round(tick, 10)) + 0.0 for tick in np.arange(first, most + step / 2, step) if tick <= most]


def timemap(tree: AnalysedTree, title: str) -> str:
    """Mean time of each rank (across) at each stage of its way (upwards), without arrival waits; 0 is the root.

    Ways differ in length; they are scaled to one height, as the paper does.
    """
    lines: list[tuple[Cost, list[tuple[float, float]]]] = []
    for cost in shown_ranks(tree.costs):
        way = tree.way_of(cost.rank)
        down = [one.stats.mean for one in way if one.is_down and one.kind != "arrival wait"]
        up = [one.stats.mean for one in way if not one.is_down]
        points = [(-float(sum(down[i:])), i / max(1, len(down)) - 1.0) for i in range(len(down) + 1)]
        points += [(float(sum(up[: i + 1])), (i + 1) / len(up)) for i in range(len(up))]
        lines.append((cost, points))
    least = min(x for _, points in lines for x, _ in points)
    most = max(x for _, points in lines for x, _ in points)
    axes = _Axes((least, most or 1.0), (-1.0, 1.0))
    axes.ticks(
        "µs before and after the root has the result",
        "entry at the bottom, exit at the top",
        _round_ticks(least, most),
        [],
    )
    fast, slow = tree.fastest.rank, tree.slowest.rank
    for cost, points in lines:
        if cost.rank not in (fast, slow):
            axes.line(points, SOFT, 1.0, 0.45)
    for cost, points in lines:
        if cost.rank in (fast, slow):
            axes.line(points, ACCENT if cost.rank == fast else CONTENDED, 2.2)
    axes.word(LEFT + 10, TOP + 18, f"fastest: rank {fast}", "start", ACCENT)
    axes.word(LEFT + 10, TOP + 34, f"slowest: rank {slow}", "start", CONTENDED)
    return axes.svg(title)


def _curve(node: Node) -> list[float] | None:
    """Mean up latency, then plus the wait of the second departure, the third, ..., microseconds."""
    first = up_latency(node)
    each = [wait for one in node.contributors if (wait := departure_wait(node, one)) is not None]
    if first is None or len(each) < 2:
        return None
    waits = np.sort(np.stack(each), axis=0)
    return [float((first + wait).mean()) / 1e3 for wait in waits]


def departure_curves(tree: AnalysedTree, title: str) -> str | None:
    """Up latency (at 0) and departure waits of the nodes with most contributors; flat is concurrent. None: no node."""
    nodes = sorted(tree.times.nodes.values(), key=lambda node: -len(node.contributors))[:MOST_CURVES]
    curves = [(node, curve) for node in nodes if (curve := _curve(node)) is not None]
    if not curves:
        return None
    longest = max(len(curve) for _, curve in curves)
    most = max(max(curve) for _, curve in curves)
    axes = _Axes((0.0, float(longest - 1)), (0.0, most))
    axes.ticks(
        "departures before this one",
        "µs since the result is back",
        sorted({round(tick) for tick in _round_ticks(0, longest - 1)}),
        _round_ticks(0.0, most, 4),
    )
    for number, (node, curve) in enumerate(curves):
        colour = SERIES[number % len(SERIES)]
        axes.line([(float(i), value) for i, value in enumerate(curve)], colour, 2.0)
        axes.word(LEFT + 10, TOP + 18 + 16 * number, f"rank {node.rank}", "start", colour)
    return axes.svg(title)


def cost_tree(tree: AnalysedTree, hosts: dict[int, str], title: str) -> str:
    """The tree, root on top: links and nodes as strong as the part of all time that they cost."""
    children: dict[int, list[int]] = {rank: [] for rank in tree.times.nodes}
    for rank, node in tree.times.nodes.items():
        if node.parent is not None:
            children[node.parent].append(rank)
    place, level = _places(children, tree.times.root)
    cost = _cost_by_place(tree.stages)
    most = max(cost.values(), default=1.0) or 1.0
    leaves = max(place.values()) + 1
    step = 44.0 if leaves <= 64 else max(6.0, 2816 / leaves)
    named = leaves <= 64
    width, height = max(420.0, step * leaves + 40), 70.0 * (max(level.values()) + 1) + (40 if named else 20)

    def at(rank: int) -> tuple[float, float]:
        return 20 + step * (place[rank] + 0.5), 30 + 70.0 * level[rank]

    parts = []
    for rank, below in children.items():
        for child in below:
            (x, y), (u, v) = at(rank), at(child)
            value = cost.get(("link", child), 0.0) / most
            parts.append(
                f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="{CONTENDED}" '
                f'stroke-width="{1.2 + 3 * value:.1f}" stroke-opacity="{0.2 + 0.8 * value:.2f}"/>'
            )
    for rank in children:
        x, y = at(rank)
        value = cost.get(("node", rank), 0.0) / most
        here, above = cost.get(("node", rank), 0.0), cost.get(("link", rank), 0.0)
        tip = f"rank {rank} on {hosts[rank]}: {here:.1%} of all time at it, {above:.1%} between it and its parent"
        radius = min(8.0, step / 2.6)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{PAPER}"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{ACCENT}" '
            f'fill-opacity="{0.2 + 0.8 * value:.2f}" stroke="{AXIS}" stroke-width="1">'
            f"<title>{escape(tip)}</title></circle>"
        )
        if named:
            parts.append(
                f'<text x="{x + 11:.1f}" y="{y:.1f}" font-size="10" fill="{INK}">{rank}</text>'
                f'<text x="{x + 11:.1f}" y="{y + 10:.1f}" font-size="8" fill="{SOFT}">'
                f"{escape(hosts[rank])}</text>"
            )
    return _document(width, height, title, parts)


def _places(children: dict[int, list[int]], root: int) -> tuple[dict[int, float], dict[int, int]]:
    """Across: leaves side by side, others above the middle of what hangs below; and levels."""
    place: dict[int, float] = {}
    level = {root: 0}
    order, stack, leaves = [], [root], 0
    while stack:
        order.append(here := stack.pop())
        for child in children[here]:
            level[child] = level[here] + 1
        stack += reversed(children[here])
    for rank in order:
        if not children[rank]:
            place[rank] = float(leaves)
            leaves += 1
    for rank in reversed(order):
        if children[rank]:
            place[rank] = (place[children[rank][0]] + place[children[rank][-1]]) / 2
    return place, level


def _cost_by_place(stages: Sequence[Stage]) -> dict[tuple[str, int], float]:
    """Part of all time at each node, and on the link above it."""
    whole = sum(one.stats.mean * one.ranks for one in stages if one.kind != "arrival wait") or 1.0
    found: dict[tuple[str, int], float] = {}
    for one in stages:
        if one.kind != "arrival wait":
            key = ("link" if one.kind.endswith("proxy") else "node", one.node)
            found[key] = found.get(key, 0.0) + one.stats.mean * one.ranks / whole
    return found
