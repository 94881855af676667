"""A broadcast over weights in time: when each host has the message, and for how long sends keep it."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.colours import GRID, HOST, LINK, ROOT, SOFT, TAKING_PART
from trunkline.draw.layout import Point
from trunkline.draw.names import without_domain
from trunkline.draw.svg import arrow, document, text
from trunkline.errors import BadInput
from trunkline.units import format_seconds

MOST_IN_TIME = 256
"""Hosts: pictures of more of them would be too long to look at."""
LEFT, TOP, ROW, WIDTH, BAR, RADIUS = 24.0, 84.0, 26.0, 640.0, 8.0, 4.5
_TICKS = 4


def draw_arrivals(
    hosts: Sequence[str], tree: _core.Tree, arrivals_s: Sequence[float], injections_s: Sequence[float], title: str
) -> str:
    """A row for each host, by arrival; a bar for each send, and an arrow to when its receiver has it. SVG text.

    Args:
        hosts: Names by rank.
        tree: Who sends to whom, in which order.
        arrivals_s: When each rank has the message.
        injections_s: For how long each rank is kept by the send that reaches it: its parent is.
        title: Of the picture.

    Raises:
        BadInput: where there are too many hosts.
    """
    if len(hosts) > MOST_IN_TIME:
        raise BadInput(f"--svg draws up to {MOST_IN_TIME} hosts, and here are {len(hosts)}; --json has them all")
    names = without_domain(hosts)
    end_s = max(arrivals_s) or 1.0
    left = LEFT + 7.0 * max(map(len, names)) + 14.0
    row = {rank: place for place, rank in enumerate(sorted(range(len(hosts)), key=lambda r: (arrivals_s[r], r)))}
    bottom = TOP + ROW * len(hosts)

    def at(seconds: float, rank: int) -> Point:
        return Point(left + seconds / end_s * WIDTH, TOP + ROW * row[rank])

    parts = []
    for tick in range(_TICKS + 1):
        x = left + tick / _TICKS * WIDTH
        parts.append(
            f'<line x1="{x:.1f}" y1="{TOP - 14:.1f}" x2="{x:.1f}" y2="{bottom - 12:.1f}" stroke="{GRID}" '
            'stroke-width="1"/>'
        )
        words = "0" if tick == 0 else format_seconds(end_s * tick / _TICKS)
        parts.append(text(Point(x, TOP - 20), words, size=9.5, fill=SOFT, anchor="middle"))
    for rank, children in enumerate(tree.children):
        free_s = arrivals_s[rank]
        for child in children:
            begin, end = at(free_s, rank), at(free_s + injections_s[child], rank)
            parts.append(
                f'<rect x="{begin.x:.1f}" y="{begin.y - BAR / 2:.1f}" width="{max(end.x - begin.x - 1, 0.5):.1f}" '
                f'height="{BAR}" rx="1.5" fill="{HOST}"/>'
            )
            tip = at(arrivals_s[child], child)
            parts.append(arrow(f"M{end.x:.1f} {end.y:.1f}L{tip.x:.1f} {tip.y:.1f}", tip, end, LINK, width=1.2))
            free_s += injections_s[child]
    for rank, (name, seconds) in enumerate(zip_equal(names, arrivals_s)):
        place = at(seconds, rank)
        fill = ROOT if rank == tree.root else TAKING_PART
        parts.append(f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{RADIUS}" fill="{fill}"/>')
        parts.append(text(Point(LEFT, place.y + 3.5), name, size=10.5, weight=700 if rank == tree.root else 400))
    signs = [
        ("dot", ROOT, "root"),
        ("dot", TAKING_PART, "has the message"),
        ("square", HOST, "sends"),
        ("line", LINK, "on its way"),
    ]
    subtitle = f"{len(hosts)} hosts · all have it after {format_seconds(max(arrivals_s))} · height {tree.height}"
    return document(Point(left + WIDTH + 40, bottom + 6), title, subtitle, parts, signs)
