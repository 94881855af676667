"""Pictures of one tree's trace, as SVG text: the paper's timemap and curves, and the tree coloured by cost."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.cluster import MOST_HOSTS
from trunkline.draw.colours import ACCENT, AXIS, CONTENDED, PAPER, SERIES, SOFT
from trunkline.draw.costs import CostsDrawing
from trunkline.draw.layout import Point as Place
from trunkline.draw.layout import leaves_in_a_row
from trunkline.draw.names import without_domain
from trunkline.draw.svg import picture, text
from trunkline.trace.analysis import AnalysedTree
from trunkline.trace.axes import Axes, Line, Point, round_ticks
from trunkline.trace.folder import Job
from trunkline.trace.metrics import departure_wait, up_latency
from trunkline.trace.nodes import Node
from trunkline.trace.stages import Cost, Stage
from trunkline.trace.subtrees import Subtree

MOST_LINES = 64
MOST_CURVES = 6
BOTH_WAYS = "µs before and after the root has the result"
"""What is across a timemap, where data go to the root and back."""


def shown_ranks(costs: Sequence[Cost], most: int = MOST_LINES) -> list[Cost]:
    """So many ranks at most: the fastest, the slowest, and others evenly in between; by their totals."""
    ordered = sorted(costs, key=lambda cost: cost.total)
    if len(ordered) <= most:
        return ordered
    return [ordered[round(place)] for place in np.linspace(0, len(ordered) - 1, most)]


def _way_through(tree: AnalysedTree, rank: int) -> list[Point]:
    """Mean time and height of each stage of a rank's way, from -1, its entry, to 1, its exit."""
    way = tree.way_of(rank)
    down = [one.stats.mean for one in way if one.is_down and one.kind != "arrival wait"]
    up = [one.stats.mean for one in way if not one.is_down]
    points = (
        [(-float(sum(down[i:])), i / max(1, len(down)) - 1.0) for i in range(len(down) + 1)] if down else [(0.0, 0.0)]
    )
    return points + [(float(sum(up[: i + 1])), (i + 1) / len(up)) for i in range(len(up))]


def timemap(tree: AnalysedTree, title: str, axis: str = BOTH_WAYS, rank: int | None = None) -> str:
    """Mean time of each rank (across) at each stage of its way (upwards), without arrival waits; 0 is the root.

    Ways differ in length; they are scaled to one height, as the paper does. The stages on the left are those of the
    slowest rank, or of the one that is named.
    """
    fast, slow = tree.fastest.rank, tree.slowest.rank
    named = slow if rank is None or rank not in tree.times.nodes else rank
    others = [cost.rank for cost in shown_ranks(tree.costs) if cost.rank not in (fast, slow, named)]
    lines = [Line(_way_through(tree, one), SOFT, "", 1.0, 0.45) for one in others]
    lines.append(Line(_way_through(tree, fast), ACCENT, f"fastest: rank {fast}"))
    if slow != fast:
        lines.append(Line(_way_through(tree, slow), CONTENDED, f"slowest: rank {slow}"))
    if named not in (fast, slow):
        lines.append(Line(_way_through(tree, named), SERIES[2], f"rank {named}"))
    return _ways(lines, title, axis, _stage_names(tree, named))


def ways_of_ranks(runs: Sequence[tuple[str, AnalysedTree, int]], title: str, axis: str = BOTH_WAYS) -> str:
    """As :func:`timemap`, of one rank in each of several runs or sizes, which have names."""
    return _ways(
        [
            Line(_way_through(tree, rank), SERIES[i % len(SERIES)], f"{name}: rank {rank}")
            for i, (name, tree, rank) in enumerate(runs)
        ],
        title,
        axis,
        _stage_names(runs[0][1], runs[0][2]),
    )


def _stage_names(tree: AnalysedTree, rank: int) -> list[tuple[float, str]]:
    """The stages of a rank's way, each with the height in the middle of its line."""
    shown = [one for one in tree.labelled_way(rank) if one[0].kind != "arrival wait"]
    down = [label for stage, label in shown if stage.is_down]
    up = [label for stage, label in shown if not stage.is_down]
    return [((i + 0.5) / len(down) - 1.0, label) for i, label in enumerate(down)] + [
        ((i + 0.5) / len(up), label) for i, label in enumerate(up)
    ]


def _ways(lines: Sequence[Line], title: str, axis: str, names: Sequence[tuple[float, str]]) -> str:
    points = [point for line in lines for point in line.points]
    times = [x for x, _ in points]
    heights = min(y for _, y in points), max(y for _, y in points)
    axes = Axes((min(times), max(times) or 1.0), heights, ROOM_FOR_STAGES)
    bottom, top = "entry" if heights[0] < 0 else "the root", "exit" if heights[1] > 0 else "the root"
    axes.ticks(axis, f"{bottom} at the bottom, {top} at the top", round_ticks(min(times), max(times)), [])
    axes.names_at(names)
    return axes.svg_of(lines, title)


ROOM_FOR_STAGES = 184.0
"""Pixels left of a timemap."""


def _curve(node: Node) -> list[Point] | None:
    """Mean up latency, then plus the wait of the second departure, the third, ..., microseconds."""
    first = up_latency(node)
    each = [wait for contributor in node.contributors if (wait := departure_wait(node, contributor)) is not None]
    if first is None or len(each) < 2:
        return None
    waits = np.sort(np.stack(each), axis=0)
    return [(float(place), float((first + wait).mean()) / 1e3) for place, wait in enumerate(waits)]


def _widest_first(tree: AnalysedTree) -> list[tuple[Node, list[Point]]]:
    nodes = sorted(tree.times.nodes.values(), key=lambda node: -len(node.contributors))[:MOST_CURVES]
    return [(node, curve) for node in nodes if (curve := _curve(node)) is not None]


def departure_curves(tree: AnalysedTree, title: str) -> str | None:
    """Up latency (at 0) and departure waits of the nodes with most contributors; flat is concurrent. None: no node."""
    curves = _widest_first(tree)
    lines = [Line(curve, SERIES[i % len(SERIES)], f"rank {node.rank}") for i, (node, curve) in enumerate(curves)]
    return _departures(lines, title) if lines else None


def widest_departures(runs: Sequence[tuple[str, AnalysedTree]], title: str) -> str | None:
    """As :func:`departure_curves`, of the node with most contributors alone in each of several runs."""
    lines = []
    for i, (name, tree) in enumerate(runs):
        for node, curve in _widest_first(tree)[:1]:
            lines.append(Line(curve, SERIES[i % len(SERIES)], f"{name}: rank {node.rank}"))
    return _departures(lines, title) if lines else None


def subtree_curves(runs: Sequence[tuple[str, Subtree]], title: str) -> str | None:
    """As :func:`departure_curves`, of subtrees as one node each, which have names. None: no data goes up."""
    lines = [
        Line([(float(place), us) for place, us in enumerate(one.curve)], SERIES[i % len(SERIES)], name)
        for i, (name, one) in enumerate((name, one) for name, one in runs if len(one.curve) > 1)
    ]
    return _departures(lines, title) if lines else None


def told_subtrees(tree: AnalysedTree) -> list[Subtree]:
    """Those that tell most: the cluster-root subtree, the root's host, slowest and fastest other host, chosen ones."""
    hosts = [subtree for subtree in tree.subtrees if subtree.name.startswith("host subtree, ")]
    ordered = sorted(hosts, key=lambda one: one.last_departure or 0.0, reverse=True)
    told = [ordered[0], ordered[-1]][: len(ordered)] if ordered else []
    return [subtree for subtree in tree.subtrees if subtree not in hosts or subtree in told]


def _departures(lines: Sequence[Line], title: str) -> str:
    longest = max(line.points[-1][0] for line in lines)
    most = max(y for line in lines for _, y in line.points)
    axes = Axes((0.0, longest), (0.0, most))
    axes.ticks(
        "departures before this one",
        "µs since the result is back",
        sorted({round(tick) for tick in round_ticks(0, longest)}),
        round_ticks(0.0, most, 4),
    )
    return axes.svg_of(lines, title)


def cost_over_switches(tree: AnalysedTree, job: Job, title: str) -> str | None:
    """The tree over the job's cluster, as strong as in :func:`cost_tree`. None: the cluster is not known, or too big.

    Ranks of one host are one there: what passes between them counts as in it.
    """
    cluster = job.cluster
    ranks = sorted(tree.times.nodes)
    if cluster is None or len(cluster.hosts) > MOST_HOSTS:
        return None
    number = {name: host for host, name in enumerate(cluster.hosts)}
    if not all(job.hosts[rank] in number for rank in ranks):
        return None
    host_of = {rank: number[job.hosts[rank]] for rank in ranks}
    place = {rank: i for i, rank in enumerate(ranks)}
    children: list[list[int]] = [[] for _ in ranks]
    for rank in ranks:
        if (parent := tree.times.nodes[rank].parent) is not None:
            children[place[parent]].append(place[rank])
    links: dict[tuple[int, int], float] = {}
    hosts: dict[int, float] = {}
    for (kind, rank), cost in _cost_by_place(tree.stages).items():
        parent = tree.times.nodes[rank].parent
        if kind == "link" and parent is not None and host_of[parent] != host_of[rank]:
            pair = host_of[parent], host_of[rank]
            links[pair] = links.get(pair, 0.0) + cost
        else:
            hosts[host_of[rank]] = hosts.get(host_of[rank], 0.0) + cost
    laid = _core.Tree(place[tree.times.root], children)
    return CostsDrawing(cluster, [host_of[rank] for rank in ranks], laid, links, hosts).svg(title)


def cost_tree(tree: AnalysedTree, hosts: dict[int, str], title: str) -> str:
    """The tree, root on top: links and nodes as strong as the part of all time that they cost."""
    children: dict[int, list[int]] = {rank: [] for rank in tree.times.nodes}
    for rank, node in tree.times.nodes.items():
        if node.parent is not None:
            children[node.parent].append(rank)
    place, level = leaves_in_a_row(children, tree.times.root)
    cost = _cost_by_place(tree.stages)
    most = max(cost.values(), default=1.0) or 1.0
    leaves = max(place.values()) + 1
    named = leaves <= 64
    names = dict(zip_equal(hosts, without_domain(list(hosts.values())))) if named else {}
    label = 11 + _LETTER * max((len(name) for name in names.values()), default=0.0)  # right of its node
    step = max(44.0, label + 22) if named else max(6.0, 2816 / leaves)
    width, height = max(420.0, step * leaves + 40), 70.0 * max(level.values()) + 64
    left = (width - step * leaves) / 2 + (max(step - label, 20.0) / 2 if named else step / 2)

    def at(rank: int) -> tuple[float, float]:
        return left + step * place[rank], 30 + 70.0 * level[rank]

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
                text(Place(x + 11, y), str(rank), size=12, halo=True)
                + text(Place(x + 11, y + 11), names[rank], size=10, fill=SOFT, halo=True)
            )
    return picture(width, height, title, parts)


_LETTER = 6.4
"""Width of a letter of a host's name, pixels."""


def _cost_by_place(stages: Sequence[Stage]) -> dict[tuple[str, int], float]:
    """Part of all time at each node, and on the link above it."""
    whole = sum(stage.stats.mean * stage.ranks for stage in stages if stage.kind != "arrival wait") or 1.0
    found: dict[tuple[str, int], float] = {}
    for one in stages:
        if one.kind != "arrival wait":
            key = ("link" if one.kind.endswith("proxy") else "node", one.node)
            found[key] = found.get(key, 0.0) + one.stats.mean * one.ranks / whole
    return found
