"""How the curves of many algorithms are told apart: by colour, by dashes and by marker."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

from trunkline.compat import zip_equal
from trunkline.draw.colours import ACCENT, NATIVE, SERIES

PALETTE = {"native": NATIVE, "auto": ACCENT}
PALETTE |= dict(zip_equal(("linear", "two-tree", "binary", "3-ary", "binomial", "flat"), SERIES))
"""Colours that are the same in every picture."""
BLIND = "unaware-"
"""What is blind to the network has the colour of its twin, in dashes."""

DASHES = ("-", (0, (5, 2)), (0, (1, 1.4)), (0, (7, 2, 1.5, 2)))
MARKERS = "os^DvPX<>ph"


class LineStyle(NamedTuple):
    """How Matplotlib draws one curve."""

    colour: str
    dashes: str | tuple[int, tuple[float, ...]]
    marker: str


def line_styles(names: Iterable[str]) -> dict[str, LineStyle]:
    """A style for each curve of a picture, all different; dashes only where there are more curves than colours.

    Args:
        names: Of algorithms, as ``linear`` or ``linear:4096``, without doubles.
    """
    wanted = list(names)
    styles = {name: _style(PALETTE[name], 0) for name in wanted if name in PALETTE}
    twins = {name: PALETTE.get(name.removeprefix(BLIND)) for name in wanted if name.startswith(BLIND)}
    styles |= {name: _style(colour, 1) for name, colour in twins.items() if colour}
    colours = SERIES if "auto" in wanted else (*SERIES, ACCENT)
    taken = set(styles.values())
    free = (style for level in count() for colour in colours if (style := _style(colour, level)) not in taken)
    return {name: styles.get(name) or next(free) for name in wanted}


def _style(colour: str, level: int) -> LineStyle:
    """The ``level``-th style of a colour: the first 44 differ, since there are 4 dashes and 11 markers."""
    place = (NATIVE, ACCENT, *SERIES).index(colour)
    return LineStyle(colour, DASHES[level % len(DASHES)], MARKERS[(place + level) % len(MARKERS)])
