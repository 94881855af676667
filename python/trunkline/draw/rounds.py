"""A plan of rounds as a picture: a row for each rank, a column for each round, and in it what arrives."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from trunkline import _core
from trunkline.draw.cluster import check_drawable
from trunkline.draw.colours import CARD, CONTENDED, EDGE, GRID, HOST, LINK, PAPER, ROOT, SOFT
from trunkline.draw.layout import MARGIN, Point
from trunkline.draw.shown_rounds import Arrival, blocks_shown, blocks_text, shown_rounds, transfer_in_words
from trunkline.draw.svg import document, legend, text

MOST_ROUNDS = 20
MOST_RANKS = 64
TOP = 78.0
ROW = 25.0
NAME = 20.0
GAP = 8.0
SIGN = 17.0
"""From one line of the legend to the next."""


class RoundsDrawing:
    """What each rank receives in each of the first rounds, from whom, and what shares a channel."""

    def __init__(self, cluster: _core.Cluster, placement: Sequence[int], plan: _core.Plan) -> None:
        check_drawable(cluster)
        self.cluster, self.placement, self.plan = cluster, placement, plan
        self.names = cluster.hosts
        self.blocks = blocks_shown(plan)
        self.count = plan.round_count(self.blocks)
        self.rounds = shown_rounds(cluster, placement, plan, MOST_ROUNDS)
        self.hidden_rounds = self.count - len(self.rounds)
        self.cards = self._cards()
        self.ranks = [rank for _, ranks in self.cards for rank in ranks]
        self.left = MARGIN + 16 + 6.3 * max(len(self._label(rank)) for rank in self.ranks)
        self.columns = self._columns()
        self.right = self.columns[-1] + 4

    def _cards(self) -> list[tuple[str, list[int]]]:
        """Switches with their ranks, that of the root and the root itself first; as many ranks as are drawn."""
        switches = {name: number for number, name in enumerate(self.cluster.switches)}
        root = self.plan.root

        def switch(rank: int) -> str:
            return self.cluster.switch_of(self.placement[rank])

        def place(rank: int) -> tuple[bool, int, bool, int]:
            return switch(rank) != switch(root), switches[switch(rank)], rank != root, rank

        ranks = sorted(range(len(self.plan)), key=place)[:MOST_RANKS]
        return [(name, list(own)) for name, own in groupby(ranks, key=switch)]

    def _label(self, rank: int) -> str:
        return f"{rank}  {self.names[self.placement[rank]]}"

    def _columns(self) -> list[float]:
        """Left edges of the rounds, and the right edge of the last one."""
        edges = [self.left]
        for one in self.rounds:
            here = [one.arrivals[rank].transfer for rank in self.ranks if rank in one.arrivals]
            widths = [8 + max(7.4 * len(blocks_text(each)), 5.6 * len(str(each.sender))) for each in here]
            edges.append(edges[-1] + (max([28.0, *widths]) if one.arrivals else 18.0))
        return edges

    def _head(self) -> Iterator[str]:
        """Numbers of the rounds, and what they load."""
        yield text(Point(MARGIN + 8, TOP + 8), "round", 10, SOFT)
        yield text(Point(MARGIN + 8, TOP + 22), "load", 10, SOFT)
        for number, one in enumerate(self.rounds):
            middle = (self.columns[number] + self.columns[number + 1]) / 2
            colour = CONTENDED if one.contended else SOFT
            yield text(Point(middle, TOP + 8), str(number), 10, anchor="middle")
            yield text(Point(middle, TOP + 22), str(one.most), 10, colour, anchor="middle", weight=700)
        if self.hidden_rounds > 0:
            yield text(Point(self.columns[-1] + 3, TOP + 8), "...", 10, weight=700)

    def _card(self, name: str, ranks: Sequence[int], y: float) -> Iterator[str]:
        height = NAME + ROW * len(ranks) + 4
        yield (
            f'<rect x="{MARGIN:.1f}" y="{y:.1f}" width="{self.right - MARGIN:.1f}" height="{height:.1f}" rx="9" '
            f'fill="{CARD}" stroke="{EDGE}"/>'
        )
        yield text(Point(MARGIN + 8, y + 15), name, 12, weight=700)
        for place, rank in enumerate(ranks):
            yield from self._row(rank, y + NAME + ROW * place)

    def _row(self, rank: int, y: float) -> Iterator[str]:
        is_root = rank == self.plan.root
        yield (
            f'<path d="M{self.left:.1f} {y + ROW / 2:.1f}H{self.columns[-1]:.1f}" stroke="{GRID}" stroke-width="1.5"/>'
        )
        weight = 700 if is_root else 400
        if is_root:
            yield f'<circle cx="{MARGIN + 5:.1f}" cy="{y + ROW / 2:.1f}" r="3" fill="{ROOT}"/>'
        yield text(Point(MARGIN + 11, y + ROW / 2 + 3.5), self._label(rank), 10, weight=weight)
        for number, one in enumerate(self.rounds):
            if rank in one.arrivals:
                yield self._cell(number, one.arrivals[rank], y)

    def _cell(self, number: int, arrival: Arrival, y: float) -> str:
        x, end = self.columns[number], self.columns[number + 1]
        one = arrival.transfer
        blocks = transfer_in_words(one)
        host = self.names[self.placement[one.sender]]
        shared = f"; {arrival.sharing} transfers share a channel" if arrival.sharing > 1 else ""
        middle = (x + end) / 2
        return (
            f"<g><title>{escape(f'round {number}: {blocks} from rank {one.sender} on {host}{shared}')}</title>"
            f'<rect class="arrival" x="{x + 1:.1f}" y="{y + 1:.1f}" width="{end - x - 2:.1f}" '
            f'height="{ROW - 2:.1f}" rx="4" fill="{_colour(arrival)}"/>'
            + text(Point(middle, y + 11.5), blocks_text(one), 10.5, PAPER, anchor="middle", weight=700)
            + text(Point(middle, y + 20.5), str(one.sender), 9, PAPER, anchor="middle")
            + "</g>"
        )

    def _meanings(self) -> Iterator[str]:
        """Of the signs before blocks that there are."""
        transfers = [arrival.transfer for one in self.rounds for arrival in one.arrivals.values()]
        if any(transfer.reduces for transfer in transfers):
            yield "+: added to what the rank has of it"
        if any(transfer.replaces for transfer in transfers):
            yield "=: a sum that takes the place of what the rank has of it"

    def _notes(self) -> list[str]:
        """What is left out."""
        notes = []
        for count, what in ((len(self.plan) - len(self.ranks), "rank"), (self.hidden_rounds, "round")):
            if count > 0:
                notes.append(f"... {count} more {what}{'s' * (count > 1)} {'is' if count == 1 else 'are'} not drawn")
        if self.plan.blocks is None:
            notes.append("any number of blocks goes in this way")
        return notes

    def _signs(self, y: float) -> Iterator[str]:
        """What is left out, then the legend, a line each."""
        for words in self._notes():
            yield text(Point(MARGIN, y + 3.6), words, 10.5, weight=700)
            y += SIGN
        for words in (
            "in each cell: the block that arrives, below it the rank it is from",
            *self._meanings(),
            "load: transfers on the busiest channel",
        ):
            yield text(Point(MARGIN, y + 3.6), words, 10.5, SOFT)
            y += SIGN
        seen = {_colour(one.arrivals[rank]) for one in self.rounds for rank in self.ranks if rank in one.arrivals}
        signs = [
            ("dot", ROOT, "first in the order; the root, where there is one"),
            ("square", SOFT, "on one host"),
            ("square", HOST, "below one switch"),
            ("square", LINK, "between switches"),
            ("square", CONTENDED, "shares a channel with others of its round"),
        ]
        for sign in signs:
            if sign[1] in seen | {ROOT}:
                yield legend(y, [sign])
                y += SIGN

    def svg(self, title: str) -> str:
        """The whole picture."""
        parts = list(self._head())
        y = TOP + 30
        for name, ranks in self.cards:
            parts += self._card(name, ranks, y)
            y += NAME + ROW * len(ranks) + 4 + GAP
        signs = list(self._signs(y + 8))
        found = _core.contention_of(self.cluster, self.placement, self.plan)
        shared = not found.contention_free
        sharing = f"up to {found.max_channel_load} transfers share a channel in one round"
        verdict = sharing if shared else "contention-free in each round"
        parts.append(text(Point(MARGIN, 64), verdict, 11.5, CONTENDED if shared else SOFT))
        blocks = f"{self.blocks} block{'s' * (self.blocks > 1)} in {self.count} rounds"
        here = "here " if self.plan.blocks is None else ""
        subtitle = f"{len(self.plan)} ranks on {len(set(self.placement))} hosts · {here}{blocks}"
        size = Point(self.right + MARGIN, y + SIGN * len(signs) - 16)
        return document(size, title, subtitle, [*parts, *signs], [], least=360)


def _colour(arrival: Arrival) -> str:
    if arrival.contended:
        return CONTENDED
    if arrival.between:
        return LINK
    return HOST if arrival.sharing else SOFT
