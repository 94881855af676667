"""Cells of a table of gains as a picture: a number, on a shade that is darker the further it is from 1."""

from math import log2

from trunkline.draw.colours import ACCENT, CONTENDED, GRID, INK
from trunkline.draw.layout import Point
from trunkline.draw.svg import text

_MOST_SHADE = 0.5
"""Beyond that, words would be hard to read on either screen."""


def gain_digits(gain: float) -> str:
    """A gain in three digits at most."""
    return f"{gain:.{2 if gain < 2 else 1 if gain < 10 else 0}f}"


def gain_cell(
    corner: Point,
    size: Point,
    gain: float,
    words: str,
    ink: str = INK,
    weight: int = 400,
    dashed: bool = False,
) -> str:
    """A cell, darkest from 16 times faster on, and from half as fast on in the colour of what is slower.

    Args:
        corner: The upper left one.
        size: Across and down, with half of the gaps to other cells.
        gain: What the shade tells.
        words: In the middle.
        ink: Of the words.
        weight: Of the words.
        dashed: Whether there is a dashed edge.
    """
    faster = log2(gain)
    colour, share = (ACCENT, faster / 4) if faster >= 0 else (CONTENDED, -faster)
    place = f'x="{corner.x + 1:.1f}" y="{corner.y + 1:.1f}" width="{size.x - 2:.1f}" height="{size.y - 2:.1f}" rx="3"'
    edge = f'<rect {place} fill="none" stroke="{ACCENT}" stroke-dasharray="3 2"/>' if dashed else ""
    middle = Point(corner.x + size.x / 2, corner.y + 17)
    return (
        f'<rect {place} fill="{GRID}" fill-opacity="0.5"/>'
        f'<rect {place} fill="{colour}" fill-opacity="{_MOST_SHADE * min(1.0, share):.2f}"/>{edge}'
        + text(middle, words, size=12, fill=ink, anchor="middle", weight=weight)
    )
