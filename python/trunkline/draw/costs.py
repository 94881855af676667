"""A tree over the switches by what it costs: the stronger a transfer or a host, the more of all time goes there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from trunkline import _core
from trunkline.draw.cluster import network_parts, unused_signs
from trunkline.draw.colours import ACCENT, CONTENDED, IDLE, PAPER, ROOT, SOFT
from trunkline.draw.layout import DOT
from trunkline.draw.plan import PlanDrawing
from trunkline.draw.svg import document, dot

FAINTEST = 0.22
"""Opacity of what costs nothing."""


class CostsDrawing(PlanDrawing):
    """By sending and receiving host, towards the leaves, and by host: the part of all time that goes there, 0 to 1."""

    def __init__(
        self,
        cluster: _core.Cluster,
        placement: Sequence[int],
        tree: _core.Tree,
        links: Mapping[tuple[int, int], float],
        hosts: Mapping[int, float],
    ) -> None:
        super().__init__(cluster, placement, tree)
        self.costs, self.host_costs = links, hosts
        self.most = max([*links.values(), *hosts.values()], default=0.0) or 1.0

    def width(self, pair: tuple[int, int]) -> float:
        """The dearer, the broader."""
        return round(1.2 + 3.0 * self.costs.get(pair, 0.0) / self.most, 1)

    def colour(self, pair: tuple[int, int]) -> str:  # noqa: ARG002
        """Of all alike: what differs is the strength."""
        return CONTENDED

    def transfer(self, pair: tuple[int, int]) -> str:
        """As strong as it is dear."""
        cost = self.costs.get(pair, 0.0)
        tip = f"{self.names[pair[0]]} and {self.names[pair[1]]}: {cost:.1%} of all time between them"
        return f'<g opacity="{self._strength(cost):.2f}"><title>{escape(tip)}</title>{super().transfer(pair)}</g>'

    def _strength(self, cost: float) -> float:
        return FAINTEST + (1 - FAINTEST) * cost / self.most

    def _host(self, host: int, used: set[int]) -> str:
        card, place = self.layout.places[host]
        at, cost = card.point(place), self.host_costs.get(host, 0.0)
        ring = ROOT if host == self.placement[self.tree.root] else None
        below = dot(at, self.layout.names[host], PAPER if host in used else IDLE, ring=ring)
        if host not in used:
            return below
        tip = f"{self.names[host]}: {cost:.1%} of all time in it"
        return below + (
            f'<circle cx="{at.x:.1f}" cy="{at.y:.1f}" r="{DOT}" fill="{ACCENT}" stroke="{SOFT}" stroke-width="0.8" '
            f'fill-opacity="{self._strength(cost):.2f}"><title>{escape(tip)}</title></circle>'
        )

    def svg(self, title: str | None) -> str:
        """The whole picture."""
        used = set(self.placement)
        parts = network_parts(self.layout)
        parts += [self.transfer(pair) for pair in sorted(self.transfers, key=lambda pair: self.costs.get(pair, 0.0))]
        parts += [self._host(host, used) for card in self.layout.cards.values() for host in card.hosts]
        signs = [("ring", ROOT, "root"), ("line", CONTENDED, "time between hosts"), ("dot", ACCENT, "time in a host")]
        subtitle = f"{len(self.placement)} ranks on {len(used)} hosts · the stronger, the more of all time"
        return document(self.layout.size, title or "", subtitle, parts, [*signs, *unused_signs(self.cluster)])
