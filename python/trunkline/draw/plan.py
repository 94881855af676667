"""A tree as a picture: its transfers over the switches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from trunkline import _core
from trunkline.draw.cluster import check_drawable, lay_out, network_parts, unused_signs
from trunkline.draw.colours import CONTENDED, HOST, IDLE, LINK, ROOT, TAKING_PART
from trunkline.draw.layout import DOT, LANE, Point, Trunk
from trunkline.draw.svg import arrow, document, dot, rounded, text
from trunkline.draw.tiers import TierLink

WITHIN = HOST
BETWEEN = LINK


def draw_plan(cluster: _core.Cluster, placement: Sequence[int], tree: _core.Tree, title: str | None = None) -> str:
    """Every transfer of the tree as an arrow along the network; those that share a channel in red. SVG text."""
    return PlanDrawing(cluster, placement, tree).svg(title)


def draw_trees(
    cluster: _core.Cluster, placement: Sequence[int], trees: Sequence[_core.Tree], title: str | None = None
) -> list[str]:
    """As :func:`draw_plan`, every tree of a plan; where there are several, each says which segments it takes."""
    if len(trees) == 1:
        return [draw_plan(cluster, placement, trees[0], title)]
    drawings = []
    for number, tree in enumerate(trees):
        of_all = tree_name(number, len(trees))
        drawings.append(draw_plan(cluster, placement, tree, f"{of_all} · {title}" if title else of_all))
    return drawings


def tree_name(number: int, trees: int) -> str:
    """Which tree of a plan it is, from 0, and which segments go down it."""
    segments = ", ".join(str(number + turn * trees) for turn in range(3))
    return f"Tree {number + 1} of {trees}: segments {segments}, ..."


class PlanDrawing:
    """A tree's transfers over the switches; what looks otherwise than a plan is made of it."""

    dashed = False
    """Whether arrows are."""

    def __init__(self, cluster: _core.Cluster, placement: Sequence[int], tree: _core.Tree) -> None:
        check_drawable(cluster)
        self.cluster, self.placement, self.tree = cluster, placement, tree
        self.names, self.links = cluster.hosts, cluster.links
        children = tree.children
        order, self.transfers = self.walk(children)
        self.paths = {pair: cluster.path(self.names[pair[0]], self.names[pair[1]]) for pair in self.transfers}
        self.senders = self._senders(children)
        self.capacities = _core.capacities_of(cluster, placement)
        self.loads = {
            self.ends(channel): (len(ranks), self.capacities[channel // 2]) for channel, ranks in self.senders.items()
        }
        self.lanes = self._lanes()
        lanes = max(self.lanes.values(), default=-1) + 1
        self.layout = lay_out(cluster, order, lanes, snake=True)
        self.trunks: dict[tuple[str, str], tuple[Trunk | TierLink, bool]] = {}
        for trunk in self.layout.trunks:
            self.trunks[trunk.first.switch, trunk.second.switch] = trunk, True
            self.trunks[trunk.second.switch, trunk.first.switch] = trunk, False

    def walk(self, children: Sequence[Sequence[int]]) -> tuple[list[int], list[tuple[int, int]]]:
        """Hosts in the order in which a depth-first walk over the tree comes to them, and transfers between hosts."""
        order: dict[int, None] = {}
        transfers: dict[tuple[int, int], None] = {}
        stack = [self.tree.root]
        while stack:
            rank = stack.pop()
            order.setdefault(self.placement[rank])
            for child in children[rank]:
                if self.placement[child] != self.placement[rank]:
                    transfers.setdefault((self.placement[rank], self.placement[child]))
            stack.extend(reversed(children[rank]))
        idle = (host for host in range(len(self.names)) if host not in order)
        return [*order, *idle], list(transfers)

    def _senders(self, children: Sequence[Sequence[int]]) -> dict[int, set[int]]:
        senders: dict[int, set[int]] = defaultdict(set)
        for rank, receivers in enumerate(children):
            for child in receivers:
                pair = self.placement[rank], self.placement[child]
                for channel in self.paths.get(pair, ()):
                    senders[channel].add(rank)
        return senders

    def _lanes(self) -> dict[tuple[int, int], int]:
        """A lane for every transfer between switches, so that two on one channel do not lie on each other."""
        taken: dict[int | str, set[int]] = defaultdict(set)
        lanes: dict[tuple[int, int], int] = {}
        for pair, path in self.paths.items():
            trunks = path[1:-1]
            if trunks:
                # In rows, transfers turn inside the bar of a switch, side by side too.
                turns = (
                    [self.ends(channel)[1] for channel in trunks[:-1]]
                    if self.cluster.unused_links or self.cluster.is_routed
                    else []
                )
                ways: list[int | str] = [*trunks, *turns]
                lane = next(n for n in range(len(lanes) + 1) if all(n not in taken[way] for way in ways))
                lanes[pair] = lane
                for way in ways:
                    taken[way].add(lane)
        return lanes

    def ends(self, channel: int) -> tuple[str, str]:
        """From which node to which."""
        link = self.links[channel // 2]
        return (link.b, link.a) if channel % 2 else (link.a, link.b)

    def _offset(self, lane: int) -> float:
        return 4.0 + LANE * min(lane, self.layout.most_lanes - 1)

    def width(self, pair: tuple[int, int]) -> float:  # noqa: ARG002 - others draw pairs differently
        """Of the arrow between two hosts."""
        return 1.7

    def colour(self, pair: tuple[int, int]) -> str:
        """Of the arrow between two hosts."""
        if any(len(self.senders[channel]) > self.capacities[channel // 2] for channel in self.paths[pair]):
            return CONTENDED
        return BETWEEN if pair in self.lanes else WITHIN

    def side(self, host: int, leaving: bool) -> tuple[Point, float]:
        """A host's dot, and the height of the gap beside it in which a path to or from the bar runs."""
        card, place = self.layout.places[host]
        at = card.point(place)
        onward = 1 if card.row_of(place) % 2 == 0 else -1  # rows snake: even ones run to the right
        side = onward if leaving else -onward
        slot = (2.5 if onward > 0 else 6.5) * (-1 if leaving == (onward > 0) else 1)
        return at, at.x + side * card.pitch / 2 + slot

    def _between(self, pair: tuple[int, int]) -> str:
        start, x_out = self.side(pair[0], leaving=True)
        end, x_in = self.side(pair[1], leaving=False)
        offset = self._offset(self.lanes[pair])
        points = [Point(start.x + (DOT if x_out > start.x else -DOT), start.y), Point(x_out, start.y)]
        before: bool | None = None
        for channel in self.paths[pair][1:-1]:
            ends = self.ends(channel)
            trunk, rightward = self.trunks[ends]
            corners = trunk.line(offset, rightward)
            if before is None:
                points.append(Point(x_out, corners[0].y))
            else:
                points += self.layout.joint(points[-1], corners[0], ends[0], offset, back=before != rightward)
            points += corners
            before = rightward
        tip = Point(end.x + (DOT + 1 if x_in > end.x else -DOT - 1), end.y)
        points += [Point(x_in, points[-1].y), Point(x_in, end.y), tip]
        return arrow(rounded(points), tip, Point(x_in, end.y), self.colour(pair), self.width(pair), self.dashed)

    def _within(self, pair: tuple[int, int]) -> str:
        card, first = self.layout.places[pair[0]]
        second = self.layout.places[pair[1]][1]
        start, end = card.point(first), card.point(second)
        colour, width = self.colour(pair), self.width(pair)
        if second == first + 1 and card.row_of(first) == card.row_of(second):
            way = DOT if end.x > start.x else -DOT
            tip = Point(end.x - way * 1.1, end.y)
            return arrow(
                f"M{start.x + way:.1f} {start.y:.1f}L{tip.x:.1f} {tip.y:.1f}", tip, start, colour, width, self.dashed
            )
        if second == first + 1:  # round the end of a row
            side = 1 if card.row_of(first) % 2 == 0 else -1
            out, tip = start.x + side * DOT, Point(end.x + side * (DOT + 1), end.y)
            bend = start.x + side * (card.pitch / 2 - 9) / 0.75  # the curve comes out to three quarters of it
            path = f"M{out:.1f} {start.y:.1f}C{bend:.1f} {start.y:.1f} {bend:.1f} {end.y:.1f} {tip.x:.1f} {tip.y:.1f}"
            return arrow(path, tip, Point(tip.x + side, tip.y), colour, width, self.dashed)
        return self._arc(start, end, colour, width)

    def _arc(self, start: Point, end: Point, colour: str, width: float) -> str:
        """Over whatever stands between two hosts of one switch that are no neighbours."""
        middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
        bow = Point(middle.x - (end.y - start.y) * 0.28, middle.y - abs(end.x - start.x) * 0.28)
        length = max(1.0, ((end.x - bow.x) ** 2 + (end.y - bow.y) ** 2) ** 0.5)
        tip = Point(end.x - (end.x - bow.x) / length * (DOT + 1), end.y - (end.y - bow.y) / length * (DOT + 1))
        path = f"M{start.x:.1f} {start.y:.1f}Q{bow.x:.1f} {bow.y:.1f} {tip.x:.1f} {tip.y:.1f}"
        return arrow(path, tip, bow, colour, width, self.dashed)

    def _load_label(self, trunk: Trunk | TierLink, rightward: bool) -> str:
        ends = (trunk.first.switch, trunk.second.switch)
        load, capacity = self.loads.get(ends if rightward else ends[::-1], (0, 1))
        if load < 2:
            return ""
        at, sign = trunk.label(rightward)
        words = f"{load} of {capacity} {sign}" if capacity > 1 else f"{load} {sign}"
        colour = CONTENDED if load > capacity else BETWEEN
        return text(at, words, 10.5, colour, anchor="middle", weight=700, halo=True)

    def transfer(self, pair: tuple[int, int]) -> str:
        """The arrow between two hosts."""
        return self._between(pair) if pair in self.lanes else self._within(pair)

    def dots(self, root: int) -> list[str]:
        """The hosts, of which one is the root, or two that exchange are."""
        used = set(self.placement)
        exchange = None if self.tree.exchange is None else self.placement[self.tree.exchange]
        return [
            dot(
                card.point(place),
                self.layout.names[host],
                ROOT if host in (root, exchange) else TAKING_PART if host in used else IDLE,
                ring=ROOT if host in (root, exchange) else None,
            )
            for card in self.layout.cards.values()
            for place, host in enumerate(card.hosts)
        ]

    def svg(self, title: str | None) -> str:
        """The whole picture."""
        root = self.placement[self.tree.root]
        parts = network_parts(self.layout)
        between = sorted(self.lanes, key=self.colour, reverse=True)  # red ones last, on top
        parts += [self.transfer(pair) for pair in between]
        parts += [self.transfer(pair) for pair in self.transfers if pair not in self.lanes]
        parts += self.dots(root)
        for trunk in self.layout.trunks:
            parts += [self._load_label(trunk, True), self._load_label(trunk, False)]
        most = max((load for load, capacity in self.loads.values() if load > capacity), default=0)
        verdict = f"up to {most} senders on one channel" if most > 0 else "contention-free"
        ranks = len(self.placement)
        subtitle = f"{ranks} ranks on {len(set(self.placement))} hosts · height {self.tree.height} · {verdict}"
        if self.tree.exchange is not None:
            subtitle += f" · {self.names[root]} and {self.names[self.placement[self.tree.exchange]]} exchange"
        shape = "Line" if self.tree.max_degree <= 1 else "Tree"
        signs = [("ring", ROOT, "root"), ("line", WITHIN, "below one switch"), ("line", BETWEEN, "between switches")]
        if most > 0:
            signs.append(("line", CONTENDED, "shares a channel with other senders"))
        signs += unused_signs(self.cluster)
        return document(
            self.layout.size,
            title or f"{shape} over {self.cluster.name} from {self.names[root]}",
            subtitle,
            parts,
            signs,
        )
