"""The few shapes that the drawings of clusters and plans are made of, as SVG text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.colours import BAR, CARD, EDGE, INK, PAPER, SOFT, dark_too
from trunkline.draw.layout import DOT, NAME, Card, Point, Trunk
from trunkline.draw.tiers import TierLink
from trunkline.units import format_link_rate

_FONT = "'DejaVu Sans', system-ui, sans-serif"

Sign = tuple[str, str, str]
"""In a legend: a kind such as ``dot`` or ``square``, a colour, and its words."""


def document(
    size: Point, title: str, subtitle: str, parts: Iterable[str], signs: Sequence[Sign], least: float = 420
) -> str:
    """The whole drawing: title, subtitle, the parts, for which there is that much room, and a legend below them.

    The title may be wider than they are; the legend takes 34 pixels.
    """
    words = max(40 + 6.7 * len(subtitle), 40 + 10.5 * len(title), 20 + sum(map(_sign_width, signs)))
    width = max(size.x, least, words)
    height = size.y + 34
    heads = [text(Point(20, 28), title, size=16, weight=700), text(Point(20, 47), subtitle, size=11.5, fill=SOFT)]
    return picture(width, height, title, [*heads, *parts, legend(size.y + 8, signs)])


def picture(width: float, height: float, title: str, parts: Iterable[str], corners: float = 0) -> str:
    """An ``<svg>`` element of these parts on a ground, for light and dark screens; its title is read aloud."""
    size = f'width="{width:.0f}" height="{height:.0f}"'
    around = f' rx="{corners:g}"' if corners else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="{_FONT}" role="img">'
    )
    ground = f'<rect {size}{around} fill="{PAPER}"/>'
    return dark_too("\n".join([head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>"]))


def below_each_other(drawings: Sequence[str]) -> str:
    """Several drawings of :func:`document` as one."""
    if len(drawings) == 1:
        return drawings[0]
    sizes = [re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', drawing) for drawing in drawings]
    widths, heights = zip_equal(*((int(size[1]), int(size[2])) for size in sizes if size))
    width, height = max(widths), sum(heights)
    placed = [
        drawing.replace("<svg ", f'<svg y="{sum(heights[:number])}" ', 1) for number, drawing in enumerate(drawings)
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    background = f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
    return dark_too("\n".join([head, background, *placed, "</svg>"]))


def text(
    at: Point,
    words: str,
    size: float = 10,
    fill: str = INK,
    anchor: str = "start",
    weight: int = 400,
    halo: bool = False,
) -> str:
    """One line of text."""
    around = f' stroke="{PAPER}" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{at.x:.1f}" y="{at.y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}"{around}>{escape(words)}</text>'
    )


def card_shape(card: Card) -> str:
    """A switch's card with its name, its bar and, on the right, its note."""
    return (
        f'<rect x="{card.x:.1f}" y="{card.y:.1f}" width="{card.width:.1f}" height="{card.height:.1f}" rx="9" '
        f'fill="{CARD}" stroke="{EDGE}"/>'
        f'<rect x="{card.x:.1f}" y="{card.y + NAME:.1f}" width="{card.width:.1f}" height="{2 * card.half_bar:.1f}" '
        f'fill="{BAR}" stroke="{EDGE}" stroke-width="0.6"/>'
        + text(Point(card.x + 10, card.y + 15.5), card.label, size=12, weight=700)
        + text(Point(card.right - 10, card.y + 15), card.note, size=9.5, fill=SOFT, anchor="end")
    )


def dot(at: Point, name: str, fill: str, ring: str | None = None) -> str:
    """A host and its name below it; ``ring`` marks one host."""
    around = f'<circle cx="{at.x:.1f}" cy="{at.y:.1f}" r="{DOT + 3.5}" fill="none" stroke="{ring}" stroke-width="2"/>'
    return (
        (around if ring else "")
        + f'<circle cx="{at.x:.1f}" cy="{at.y:.1f}" r="{DOT}" fill="{fill}"/>'
        + text(Point(at.x, at.y + 20), name, size=9.5, anchor="middle", weight=700 if ring else 400, halo=True)
    )


def trunk_shapes(trunks: Iterable[Trunk | TierLink]) -> list[str]:
    """The links themselves; those of a tree join, all edges below all fillings, and others cross, one over another."""
    lines = [(rounded(trunk.line(0, forward=True), radius=4), trunk) for trunk in trunks]
    shapes = [
        [
            f'<path class="{kind}" d="{path}" fill="none" stroke="{colour}" stroke-width="{trunk.breadth + more:.1f}"/>'
            for path, trunk in lines
        ]
        for kind, colour, more in (("edge", EDGE, 1.2), ("link", BAR, 0.0))
    ]
    if all(isinstance(trunk, TierLink) for _, trunk in lines):
        return [shape for pair in zip_equal(*shapes) for shape in pair]
    return [*shapes[0], *shapes[1]]


def unused_shape(link: Trunk | TierLink) -> str:
    """A link outside the spanning tree, in dashes."""
    path = rounded(link.line(0, forward=True), radius=4)
    return f'<path class="unused" d="{path}" fill="none" stroke="{SOFT}" stroke-width="1.5" stroke-dasharray="5 4"/>'


def rounded(points: Sequence[Point], radius: float = 6) -> str:
    """Path data through the points with rounded corners."""
    kept = [p for p, q in zip_equal(points, [*points[1:], None]) if q is None or math.dist(p, q) > 0.05]
    data = f"M{kept[0].x:.1f} {kept[0].y:.1f}"
    for before, corner, after in zip(kept, kept[1:], kept[2:]):
        cut = min(radius, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        a, b = _towards(corner, before, cut), _towards(corner, after, cut)
        data += f"L{a.x:.1f} {a.y:.1f}Q{corner.x:.1f} {corner.y:.1f} {b.x:.1f} {b.y:.1f}"
    return data + f"L{kept[-1].x:.1f} {kept[-1].y:.1f}"


def _towards(start: Point, end: Point, length: float) -> Point:
    share = length / (math.dist(start, end) or 1.0)
    return Point(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)


def arrow(path: str, tip: Point, behind: Point, colour: str, width: float = 1.7, dashed: bool = False) -> str:
    """A path that ends in a head at ``tip``, coming from ``behind``."""
    angle = math.atan2(tip.y - behind.y, tip.x - behind.x)
    left, right = (
        Point(tip.x - 6.5 * math.cos(angle + side), tip.y - 6.5 * math.sin(angle + side)) for side in (0.45, -0.45)
    )
    line = 'stroke-dasharray="4 3"' if dashed else 'stroke-linecap="round"'
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}" {line}/>'
        f'<path d="M{tip.x:.1f} {tip.y:.1f}L{left.x:.1f} {left.y:.1f}L{right.x:.1f} {right.y:.1f}Z" fill="{colour}"/>'
    )


def _sign_width(sign: Sign) -> float:
    return 27 + 6.3 * len(sign[2]) + 20


def legend(y: float, signs: Iterable[Sign]) -> str:
    """Signs and what they mean, in one line."""
    x, parts = 20.0, []
    for sign in signs:
        kind, colour, words = sign
        if kind == "line":
            end = Point(x + 20, y)
            parts.append(arrow(f"M{x:.1f} {y:.1f}L{x + 17:.1f} {y:.1f}", end, Point(x, y), colour))
        elif kind == "dashed line":
            end = Point(x + 20, y)
            parts.append(arrow(f"M{x:.1f} {y:.1f}L{x + 17:.1f} {y:.1f}", end, Point(x, y), colour, dashed=True))
        elif kind == "bar":
            parts.append(f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="20" height="10" fill="{BAR}" stroke="{EDGE}"/>')
        elif kind == "square":
            parts.append(f'<rect x="{x:.1f}" y="{y - 6:.1f}" width="20" height="12" rx="3" fill="{colour}"/>')
        elif kind == "dashes":
            parts.append(f'<path d="M{x:.1f} {y:.1f}h20" stroke="{colour}" stroke-width="1.5" stroke-dasharray="5 4"/>')
        else:
            hollow = (
                f'<circle cx="{x + 10:.1f}" cy="{y:.1f}" r="7.5" fill="none" stroke="{colour}" stroke-width="1.8"/>'
            )
            parts.append(
                (hollow if kind == "ring" else "") + f'<circle cx="{x + 10:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
            )
        parts.append(text(Point(x + 27, y + 3.6), words, size=10.5, fill=SOFT))
        x += _sign_width(sign)
    return "".join(parts)


def link_text(link: _core.Link) -> str:
    """Rate and latency of a link; of one that differs by direction, there and back."""
    rates = [format_link_rate(bps, link.width) for bps in (link.rate_bps, link.back_rate_bps)]
    latencies = [_latency_text(seconds) for seconds in (link.latency_s, link.back_latency_s)]
    return ", ".join(" / ".join(dict.fromkeys(texts)) for texts in (rates, latencies))


def _latency_text(seconds: float) -> str:
    return f"{seconds * 1e3:g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:g} us"
