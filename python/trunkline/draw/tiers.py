"""Where switches, hosts and links stand in the drawing of a network with more links than its spanning tree.

Switches with hosts stand in a row, those that join them in rows above, each as high as its way to a host is long.
Links run in the gaps between the rows, or above the row of both their ends, so that none passes behind a switch.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trunkline import _core
from trunkline.compat import pairwise, zip_equal
from trunkline.draw.layout import CARD_GAP, MARGIN, TITLE, Card, Placed, Point

DASH_ROOM = 12.0
STUB = 9.0
"""What a link between rows goes straight up at its ends."""
LEAST_RISE = 70.0
NARROW_FROM = 6
"""Where more switches than these have hosts, their cards are narrow."""


class TierLink(NamedTuple):
    """A link between two switches: upwards from the first, or to the right of it, or over what stands between."""

    first: Card
    second: Card
    start: Point
    """Where it leaves the first card."""
    end: Point
    bend: float
    """Height at which it turns; of the start, where it goes straight to the right."""

    @property
    def breadth(self) -> float:
        """Less than that of the bars, so that crossing links can be told apart."""
        return 2 * self.first.half_bar - 7

    def line(self, offset: float, forward: bool) -> list[Point]:
        """Corners from bar to bar, ``offset`` pixels to the right hand of the direction."""
        side = offset if forward else -offset
        if self.start.y == self.first.bar:
            corners = [Point(self.start.x, self.start.y + side), Point(self.end.x, self.end.y + side)]
        elif self.first.y > self.second.y:
            corners = [
                Point(self.start.x + side, self.first.bar - side),
                Point(self.start.x + side, self.bend),
                Point(self.end.x + side, self.end.y + STUB),
                Point(self.end.x + side, self.second.bar + offset),
            ]
        else:
            corners = [
                Point(self.start.x + side, self.first.bar - side),
                Point(self.start.x + side, self.bend + side),
                Point(self.end.x - side, self.bend + side),
                Point(self.end.x - side, self.second.bar + side),
            ]
        return corners if forward else corners[::-1]

    def label(self, forward: bool) -> tuple[Point, str]:
        """Where a few words about one direction stand, and the sign of the direction."""
        x, y = (self.start.x + self.end.x) / 2, (self.bend + self.end.y) / 2
        if self.start.y == self.first.bar:
            return Point(x, y - 6 + (2 * self.first.half_bar + 8) * forward), "→" if forward else "←"
        if self.first.y > self.second.y:
            return Point(x + (18 if forward else -18), y + 4), "↑" if forward else "↓"
        return Point(x, self.bend + (12 if forward else -5)), "→" if forward else "←"


def switch_tiers(cluster: _core.Cluster) -> list[list[str]]:
    """Switches by their distance to the nearest one with hosts; those with hosts first."""
    near: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for link in _between_switches(cluster):
        near[link.a].append(link.b)
        near[link.b].append(link.a)
    with_hosts = {cluster.switch_of(host) for host in range(len(cluster.hosts))}
    tier = {name: 0 for name in near if name in with_hosts}
    queue = list(tier)
    for name in queue:
        for other in near[name]:
            if other not in tier:
                tier[other] = tier[name] + 1
                queue.append(other)
    return [[name for name in near if tier[name] == level] for level in range(max(tier.values()) + 1)]


def _between_switches(cluster: _core.Cluster) -> list[_core.Link]:
    switches = set(cluster.switches)
    return [link for link in cluster.links if link.a in switches and link.b in switches]


class Tiers(Placed):
    """Rows, for networks with more links than those of a spanning tree."""

    most_lanes = 6
    """Links stand side by side here, and would be too broad."""

    def _is_narrow(self, cluster: _core.Cluster) -> bool:
        return len(switch_tiers(cluster)[0]) > NARROW_FROM

    def _lay(self, cluster: _core.Cluster) -> None:
        rows = switch_tiers(cluster)
        self._level = {name: level for level, row in enumerate(rows) for name in row}
        self._breadth = 2 * next(iter(self.cards.values())).half_bar + 5
        links = _between_switches(cluster)
        self._set_apart(links)
        self._place_across(rows, links)
        kinds = self._kinds(rows, links)
        ports = self._ports(links, kinds)
        arcs = self._arc_heights(links, kinds, ports)
        self._place_down(rows, arcs, links)
        drawn = [self._drawn(number, link, kinds, ports, arcs) for number, link in enumerate(links)]
        self.trunks = [one for one, link in zip_equal(drawn, links) if link.used]
        self.unused = [one for one, link in zip_equal(drawn, links) if not link.used]

    def joint(self, last: Point, first: Point, switch: str, offset: float, back: bool) -> list[Point]:  # noqa: ARG002
        """Corners inside a switch, from the end of one link to the start of the next."""
        return [Point(first.x, last.y)]

    def _room(self, link: _core.Link) -> float:
        return self._breadth if link.used else DASH_ROOM

    def _set_apart(self, links: Sequence[_core.Link]) -> None:
        """Room for the links on the edges of the cards, between name and note on the upper edge."""
        upper: dict[str, float] = defaultdict(float)
        lower: dict[str, float] = defaultdict(float)
        for link in links:
            for name, other in ((link.a, link.b), (link.b, link.a)):
                (lower if self._level[name] > self._level[other] else upper)[name] += self._room(link)
        for name, card in self.cards.items():
            card.ports = upper[name]
            card.least_width = lower[name] + 16

    def _place_across(self, rows: Sequence[Sequence[str]], links: Sequence[_core.Link]) -> None:
        """The lowest row in the order of the file, each row above in the order of what it joins, and in the middle."""
        widths = [sum(self.cards[name].width + CARD_GAP for name in row) - CARD_GAP for row in rows]
        for level, row in enumerate(rows):
            below: dict[str, list[float]] = {name: [] for name in row}
            for link in links:
                for name, other in ((link.a, link.b), (link.b, link.a)):
                    if self._level[name] == level == self._level[other] + 1:
                        below[name].append(self.cards[other].x)
            x = MARGIN + (max(widths) - widths[level]) / (len(row) + 1)
            for name in sorted(row, key=lambda name: sum(below[name]) / max(1, len(below[name]))):
                self.cards[name].x = x
                x = self.cards[name].right + CARD_GAP + (max(widths) - widths[level]) / (len(row) + 1)

    def _kinds(self, rows: Sequence[Sequence[str]], links: Sequence[_core.Link]) -> list[str]:
        """``rise`` to a row above, ``side`` to the next card, ``arc`` over what stands between in one row."""
        in_order = [sorted(row, key=lambda name: self.cards[name].x) for row in rows]
        free = {frozenset(pair) for row in in_order for pair in pairwise(row)}
        kinds = []
        for link in links:
            ends = frozenset((link.a, link.b))
            if self._level[link.a] != self._level[link.b]:
                kinds.append("rise")
            elif ends in free:
                free.remove(ends)
                kinds.append("side")
            else:
                kinds.append("arc")
        return kinds

    def _ports(self, links: Sequence[_core.Link], kinds: Sequence[str]) -> dict[tuple[int, str], float]:
        """Where each link stands on the edges of its two cards: in the order of where the links go."""
        edges: dict[tuple[str, bool], list[tuple[float, int]]] = defaultdict(list)
        for number, (link, kind) in enumerate(zip_equal(links, kinds)):
            for name, other in ((link.a, link.b), (link.b, link.a)):
                if kind != "side":
                    card, far = self.cards[name], self.cards[other]
                    away = far.x + far.width / 2 - card.x - card.width / 2
                    edges[name, self._level[other] < self._level[name]].append((away, number))
        found = {}
        for (name, low), those in edges.items():
            card = self.cards[name]
            rooms = [self._room(links[number]) for _, number in sorted(those)]
            left, right = (card.x, card.right) if low else card.between_words
            x = (left + right - sum(rooms)) / 2
            for (_, number), room in zip_equal(sorted(those), rooms):
                found[number, name] = x + room / 2
                x += room
        return found

    def _arc_heights(
        self, links: Sequence[_core.Link], kinds: Sequence[str], ports: Mapping[tuple[int, str], float]
    ) -> dict[int, float]:
        """How far above its row each arc runs: above the shorter ones that it meets."""
        spans = {
            number: sorted((ports[number, link.a], ports[number, link.b]))
            for number, (link, kind) in enumerate(zip_equal(links, kinds))
            if kind == "arc"
        }
        heights: dict[int, float] = {}
        for number in sorted(spans, key=lambda number: spans[number][1] - spans[number][0]):
            left, right = spans[number]
            room = self._room(links[number])
            met = [
                heights[other] + self._room(links[other]) / 2
                for other in heights
                if self._level[links[other].a] == self._level[links[number].a]
                and spans[other][0] < right
                and left < spans[other][1]
            ]
            heights[number] = max(met, default=6.0) + room / 2
        return heights

    def _place_down(
        self, rows: Sequence[Sequence[str]], arcs: Mapping[int, float], links: Sequence[_core.Link]
    ) -> None:
        self._above = [0.0] * len(rows)
        for number, height in arcs.items():
            level = self._level[links[number].a]
            self._above[level] = max(self._above[level], height + self._room(links[number]) / 2)
        y = TITLE
        for level in reversed(range(len(rows))):
            y += self._above[level]
            for name in rows[level]:
                self.cards[name].y = y
            widest = max(card.right for card in self.cards.values())
            y += max(self.cards[name].height for name in rows[level]) + LEAST_RISE + min(90.0, 0.06 * widest)

    def _drawn(
        self,
        number: int,
        link: _core.Link,
        kinds: Sequence[str],
        ports: Mapping[tuple[int, str], float],
        arcs: Mapping[int, float],
    ) -> TierLink:
        a, b = self.cards[link.a], self.cards[link.b]
        first, second = sorted((a, b), key=lambda card: (-card.y, card.x))
        if kinds[number] == "side":
            return TierLink(first, second, Point(first.right, first.bar), Point(second.x, second.bar), first.bar)
        start = Point(ports[number, first.switch], first.y)
        if kinds[number] == "arc":
            end = Point(ports[number, second.switch], second.y)
            return TierLink(first, second, start, end, first.y - arcs[number])
        end = Point(ports[number, second.switch], second.y + second.height)
        return TierLink(first, second, start, end, first.y - self._above[self._level[first.switch]] - STUB)
