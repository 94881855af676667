"""Where switches, hosts and trunks stand in a drawing.

Every switch is a card: its name, a bar that stands for the switch itself, its hosts as dots in rows below. Cards grow
from left to right along the spanning tree, so that no trunk crosses a host.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.names import without_domain

MARGIN = 20.0
TITLE = 62.0
NAME = 22.0
ROW = 40.0
DOT = 7.0
COLUMN_GAP = 64.0
CARD_GAP = 22.0
LANE = 3.5
"""From one path along a link to the next."""


class Point(NamedTuple):
    """A place in the drawing, in pixels from the top left."""

    x: float
    y: float


@dataclass
class Card:
    """One switch with its hosts."""

    switch: str
    label: str
    """Its name as it is written on the card."""
    note: str
    hosts: Sequence[int]
    pitch: float
    half_bar: float
    snake: bool
    narrow: bool = False
    ports: float = 0.0
    """Pixels between name and note, for links that come in there."""
    least_width: float = 0.0
    x: float = 0.0
    y: float = 0.0
    children: list["Card"] = field(default_factory=list)

    @cached_property
    def columns(self) -> int:
        """Hosts in a row: four for a few, wider than high for many."""
        count = len(self.hosts)
        if self.narrow:
            return max(2, math.isqrt(count))
        return max(2, min(count, 4) if count <= 16 else round((count * 2.2) ** 0.5))

    @property
    def width(self) -> float:
        """Room for the columns and for paths beside the outer ones, and for the words on top."""
        words = 36 + self._name_width + self._note_width + self.ports
        return max((self.columns + 0.6) * self.pitch * (len(self.hosts) > 0), words, self.least_width)

    @property
    def _name_width(self) -> float:
        return 8.2 * len(self.label)

    @property
    def _note_width(self) -> float:
        return 5.7 * len(self.note)

    @property
    def between_words(self) -> tuple[float, float]:
        """From where to where the upper edge is free of words."""
        return self.x + 14 + self._name_width, self.right - 14 - self._note_width

    @property
    def height(self) -> float:
        """Name, bar and rows."""
        rows = -(-len(self.hosts) // self.columns)
        return NAME + 2 * self.half_bar + 8 + ROW * rows + (10 if rows else 0)

    @property
    def bar(self) -> float:
        """Middle of the bar."""
        return self.y + NAME + self.half_bar

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.width

    def row_of(self, place: int) -> int:
        """Row of the host at this place."""
        return place // self.columns

    def point(self, place: int) -> Point:
        """Middle of the dot at this place; where the card snakes, every second row runs from right to left."""
        row, column = divmod(place, self.columns)
        if self.snake and row % 2:
            column = self.columns - 1 - column
        x = self.x + (column + 0.8) * self.pitch
        return Point(x, self.y + NAME + 2 * self.half_bar + 8 + ROW * (row + 0.45))


class Trunk(NamedTuple):
    """The link from a card to one of its children."""

    first: Card
    """The parent in the spanning tree."""
    second: Card
    middle: float
    """Where it turns, if the two bars are not at one height."""

    @property
    def breadth(self) -> float:
        """That of the bars."""
        return 2 * self.first.half_bar

    def line(self, offset: float, forward: bool) -> list[Point]:
        """Corners of a path from bar to bar, ``offset`` pixels to the right hand of its direction."""
        start, end = self.first, self.second
        turn = math.copysign(1.0, end.bar - start.bar) if abs(end.bar - start.bar) > 0.5 else 0.0
        side = offset if forward else -offset
        middle = self.middle - side * turn
        corners = [
            Point(start.right, start.bar + side),
            Point(middle, start.bar + side),
            Point(middle, end.bar + side),
            Point(end.x, end.bar + side),
        ]
        return corners if forward else corners[::-1]

    def label(self, forward: bool) -> tuple[Point, str]:
        """Where a few words about one direction stand, and the sign of the direction."""
        offset = self.second.half_bar + 11 if forward else -self.second.half_bar - 5
        return Point((self.middle + self.second.x) / 2, self.second.bar + offset), "→" if forward else "←"


def switch_tree(cluster: _core.Cluster) -> tuple[str, dict[str, list[str]]]:
    """The switch to draw first and, for every switch, those behind it.

    An end of a line of switches, else the switch from which the farthest one is nearest.
    """
    near: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for link in cluster.links:
        if link.in_tree and link.a in near and link.b in near:
            near[link.a].append(link.b)
            near[link.b].append(link.a)
    first = next(iter(near))
    if max(map(len, near.values())) <= 2:
        root = next((name for name in near if len(near[name]) < 2), first)
    else:
        end = _walk(near, first)[-1]
        way = _walk(near, end)
        behind = _parents(near, end)
        far, steps = way[-1], [way[-1]]
        while far != end:
            far = behind[far]
            steps.append(far)
        root = max(steps[(len(steps) - 1) // 2], steps[len(steps) // 2], key=lambda name: len(near[name]))
    parents = _parents(near, root)
    return root, {name: [other for other in near[name] if parents.get(other) == name] for name in near}


def _walk(near: Mapping[str, Sequence[str]], start: str) -> list[str]:
    return [start, *_parents(near, start)]


def _parents(near: Mapping[str, Sequence[str]], start: str) -> dict[str, str]:
    """The switch before each other one on the way from ``start``; nearest first."""
    found: dict[str, str] = {}
    queue = [start]
    for name in queue:
        for other in near[name]:
            if other != start and other not in found:
                found[other] = name
                queue.append(other)
    return found


def leaves_in_a_row(children: Mapping[int, Sequence[int]], root: int) -> tuple[dict[int, float], dict[int, int]]:
    """Of each rank of a tree its place across and its level: leaves side by side, others above the middle of theirs."""
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


class Placed(ABC):
    """All cards of a cluster, in places that those who derive from it give them.

    Args:
        cluster: What is drawn.
        order: Host indices in the order in which they fill the rows of their switch.
        notes: A few words on every switch.
        lanes: Paths side by side, each way, that a bar has room for.
        snake: Whether every second row runs from right to left, as a line of transfers does.
    """

    most_lanes: int
    """Further paths lie on the last."""

    def __init__(
        self,
        cluster: _core.Cluster,
        order: Sequence[int],
        notes: Mapping[str, str],
        lanes: int = 0,
        snake: bool = False,
    ) -> None:
        self.names = without_domain(cluster.hosts)
        self.lanes = min(lanes, self.most_lanes)
        hosts: dict[str, list[int]] = {name: [] for name in cluster.switches}
        for host in order:
            hosts[cluster.switch_of(host)].append(host)
        pitch = max(43.0, 6.4 * max(map(len, self.names)) + 14)
        half, narrow = 7.0 + LANE * self.lanes, self._is_narrow(cluster)
        self.cards = {
            name: Card(name, label, notes[name], own, pitch, half, snake, narrow)
            for label, (name, own) in zip_equal(without_domain(cluster.switches), hosts.items())
        }
        self._lay(cluster)
        self.places = {host: (card, place) for card in self.cards.values() for place, host in enumerate(card.hosts)}
        right = max(card.right for card in self.cards.values())
        self.size = Point(right + MARGIN, max(card.y + card.height for card in self.cards.values()) + MARGIN)

    def _is_narrow(self, cluster: _core.Cluster) -> bool:  # noqa: ARG002 - no card of a few switches in a row
        return False

    @abstractmethod
    def _lay(self, cluster: _core.Cluster) -> None:
        """Put the cards in their places, and lay the links."""


class Layout(Placed):
    """Columns along the spanning tree."""

    most_lanes = 16

    def _lay(self, cluster: _core.Cluster) -> None:
        self.gap = COLUMN_GAP + 4.0 * self.lanes
        root, behind = switch_tree(cluster)
        self.root = self.cards[root]
        self.trunks: list[Trunk] = []
        self.unused: list[Trunk] = []
        self._place(root, behind)

    def joint(self, last: Point, first: Point, switch: str, offset: float, back: bool) -> list[Point]:
        """Corners inside a switch, from the end of one link to the start of the next; ``back``: on the same side."""
        turn = self.cards[switch].right - 6 - offset
        return [Point(turn, last.y), Point(turn, first.y)] if back else []

    def _place(self, root: str, behind: Mapping[str, Sequence[str]]) -> None:
        columns: list[list[str]] = [[root]]
        while below := [child for name in columns[-1] for child in behind[name]]:
            columns.append(below)
        x = MARGIN
        for names in columns:
            for name in names:
                self.cards[name].x = x
                self.cards[name].children = [self.cards[child] for child in behind[name]]
            # Trunks to several children turn side by side.
            turns = min(8, max(len(behind[name]) for name in names)) + 1
            x = max(self.cards[name].right for name in names) + max(self.gap, turns * (2 * self.root.half_bar + 6))
        spans: dict[str, float] = {}
        for names in reversed(columns):
            for name in names:
                below_height = sum(spans[child] + CARD_GAP for child in behind[name]) - CARD_GAP
                spans[name] = max(self.cards[name].height, below_height)
        tops = {root: TITLE}
        for names in columns:
            for name in names:
                self._place_one(name, tops, spans, behind[name])

    def _place_one(
        self, name: str, tops: dict[str, float], spans: Mapping[str, float], children: Sequence[str]
    ) -> None:
        card = self.cards[name]
        card.y = tops[name] + (0 if len(children) == 1 else (spans[name] - card.height) / 2)
        left = max(c.right for c in self.cards.values() if c.x == card.x)
        top = tops[name]
        for number, child in enumerate(children):
            tops[child] = top
            top += spans[child] + CARD_GAP
            middle = left + (self.cards[child].x - left) * (number + 1) / (len(children) + 1)
            self.trunks.append(Trunk(card, self.cards[child], middle))
