"""A multicast as a picture: where its datagrams go over the switches, and who confirms them or sends next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from trunkline import _core
from trunkline.draw.cluster import network_parts, unused_signs
from trunkline.draw.colours import HOST, LINK, ROOT
from trunkline.draw.layout import DOT, Point
from trunkline.draw.plan import PlanDrawing
from trunkline.draw.svg import arrow, document, rounded

COPY, CONFIRM = LINK, HOST
WIDTH = 2.4


def crossed_channels(cluster: _core.Cluster, placement: Sequence[int], root: int) -> list[int]:
    """The channels on any way from the root's host to the others, each once."""
    hosts = cluster.hosts
    start = placement[root]
    others = (host for host in dict.fromkeys(placement) if host != start)
    return list(dict.fromkeys(channel for host in others for channel in cluster.path(hosts[start], hosts[host])))


class MulticastDrawing(PlanDrawing):
    """The way of a datagram as broad lines, and the confirm tree's reports the other way, as dashed arrows."""

    dashed = True

    def walk(self, children: Sequence[Sequence[int]]) -> tuple[list[int], list[tuple[int, int]]]:
        """Hosts in the order of the tree, and reports between hosts."""
        order, transfers = super().walk(children)
        return order, [(receiver, sender) for sender, receiver in transfers]

    def width(self, pair: tuple[int, int]) -> float:  # noqa: ARG002 - all alike
        """Of a report."""
        return 1.2

    def colour(self, pair: tuple[int, int]) -> str:  # noqa: ARG002 - all alike
        """Of a report."""
        return CONFIRM

    def channels(self) -> list[int]:
        """That datagrams cross."""
        return crossed_channels(self.cluster, self.placement, self.tree.root)

    def receivers(self) -> set[int]:
        """Hosts that datagrams come to."""
        return set(self.placement) - {self.placement[self.tree.root]}

    def copying(self) -> set[int]:
        """Hosts that they come from."""
        return {self.placement[self.tree.root]}

    def crossed(self) -> int:
        """How many links they cross, in one direction or both."""
        return len({channel // 2 for channel in self.channels()})

    def words(self) -> tuple[str, str]:
        """Of the subtitle, and of a dashed arrow."""
        return f"a datagram crosses {{}} links, each once · confirm tree of height {self.tree.height}", "reports"

    def _datagrams(self) -> list[str]:
        """Along the middle of trunks and bars, and from the bar of a switch to the left of each host."""
        copying = self.copying()
        parts = []
        on_bar: dict[str, list[float]] = defaultdict(list)
        for channel in self.channels():
            ends = self.ends(channel)
            if ends not in self.trunks:
                continue
            trunk, rightward = self.trunks[ends]
            corners = trunk.line(0, rightward)
            parts.append(arrow(rounded(corners), corners[-1], corners[-2], COPY, WIDTH))
            on_bar[ends[0]].append(corners[0].x)
            on_bar[ends[1]].append(corners[-1].x)
        receivers = self.receivers()
        for host in receivers:
            card, place = self.layout.places[host]
            at = card.point(place)
            x, tip = at.x - card.pitch / 2, Point(at.x - DOT - 1, at.y)
            parts.append(arrow(rounded([Point(x, card.bar), Point(x, at.y), tip]), tip, Point(x, at.y), COPY, WIDTH))
            on_bar[card.switch].append(x)
        for sender in sorted(copying - receivers) if receivers else []:
            card, place = self.layout.places[sender]
            at = card.point(place)
            tip = Point(at.x, card.bar + WIDTH / 2)
            parts.append(arrow(f"M{at.x:.1f} {at.y - DOT:.1f}V{tip.y:.1f}", tip, at, COPY, WIDTH))
            on_bar[card.switch].append(at.x)
        for switch, places in on_bar.items():
            y = self.layout.cards[switch].bar
            parts.append(
                f'<path d="M{min(places):.1f} {y:.1f}H{max(places):.1f}" stroke="{COPY}" stroke-width="{WIDTH}" '
                'stroke-linecap="round"/>'
            )
        return parts

    def svg(self, title: str | None) -> str:
        """The whole picture."""
        root = self.placement[self.tree.root]
        parts = network_parts(self.layout)
        parts += self._datagrams()
        parts += [self.transfer(pair) for pair in self.transfers]
        parts += self.dots(root)
        crossed = self.crossed()
        words, arrows = self.words()
        hosts = len(set(self.placement))
        subtitle = f"{len(self.placement)} ranks on {hosts} hosts · {words.format(crossed)}"
        signs = [("ring", ROOT, "root"), ("line", COPY, "datagrams"), ("dashed line", CONFIRM, arrows)]
        signs += unused_signs(self.cluster)
        return document(
            self.layout.size,
            title or f"Multicast over {self.cluster.name} from {self.names[root]}",
            subtitle,
            parts,
            signs,
        )


class TurnsDrawing(MulticastDrawing):
    """Every host hears all others; arrows go from each rank to the one whose turn is next."""

    def walk(self, children: Sequence[Sequence[int]]) -> tuple[list[int], list[tuple[int, int]]]:
        """Hosts by turn, and the steps from one to the next."""
        return PlanDrawing.walk(self, children)

    def channels(self) -> list[int]:
        """Both ways of each link."""
        return [both for channel in super().channels() for both in (channel, channel ^ 1)]

    def receivers(self) -> set[int]:
        """All, where there are several."""
        hosts = set(self.placement)
        return hosts if len(hosts) > 1 else set()

    def words(self) -> tuple[str, str]:
        """Of the subtitle, and of a dashed arrow."""
        return "each sends its datagrams to all, over {} links, each once", "turns"


class GroupsDrawing(MulticastDrawing):
    """Datagrams stay within their group; arrows are the messages between those that send."""

    def __init__(self, cluster: _core.Cluster, placement: Sequence[int], multicast: _core.Multicast) -> None:
        self.groups = [group.ranks for group in multicast.groups]
        self.by_turns = multicast.confirm is None
        super().__init__(cluster, placement, multicast.confirm or _from_the_first(self.groups))

    def walk(self, children: Sequence[Sequence[int]]) -> tuple[list[int], list[tuple[int, int]]]:
        """Hosts in the order of the tree, and messages between those that send."""
        first = {group[0] for group in self.groups}
        order, _ = PlanDrawing.walk(self, children)
        between = [[child for child in below if child in first] for below in children]
        _, transfers = PlanDrawing.walk(self, between)
        if self.by_turns:
            hosts = dict.fromkeys(self.placement[group[0]] for group in self.groups)
            transfers = [(host, other) for host in hosts for other in hosts if host != other]
        return order, transfers

    def _hosts(self, group: Sequence[int]) -> list[int]:
        return [self.placement[rank] for rank in group]

    def channels(self) -> list[int]:
        """That datagrams of any group cross."""
        each = (crossed_channels(self.cluster, self._hosts(group), 0) for group in self.groups)
        ways = (0, 1) if self.by_turns else (0,)
        return list(dict.fromkeys(channel ^ way for channels in each for channel in channels for way in ways))

    def receivers(self) -> set[int]:
        """Hosts that datagrams come to."""
        hosts = {host for group in self.groups if len(group) > 1 for host in self._hosts(group)}
        return hosts if self.by_turns else hosts - self._alone() - self.copying()

    def _alone(self) -> set[int]:
        return {self.placement[group[0]] for group in self.groups if len(group) == 1}

    def copying(self) -> set[int]:
        """One of each group of several ranks; by turns all that receive."""
        if self.by_turns:
            return self.receivers()
        return {self.placement[group[0]] for group in self.groups if len(group) > 1}

    def words(self) -> tuple[str, str]:
        """Of the subtitle, and of a dashed arrow."""
        sending = sum(len(group) > 1 for group in self.groups)
        return f"datagrams of {sending} groups cross {{}} links, each once", "messages between groups"


def _from_the_first(groups: Sequence[Sequence[int]]) -> _core.Tree:
    """From the first rank of all to that of each other group, and from those to the other ranks of theirs."""
    children: list[list[int]] = [[] for group in groups for _ in group]
    root = groups[0][0]
    for number, (first, *others) in enumerate(groups):
        if number > 0:
            children[root].append(first)
        children[first] += others
    return _core.Tree(root, children)
