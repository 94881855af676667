"""What pictures of traces have in common: axes from data to SVG text."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trunkline.compat import zip_equal
from trunkline.draw.colours import AXIS, GRID, INK, SOFT
from trunkline.draw.layout import Point as Place
from trunkline.draw.svg import picture, text

WIDTH, HEIGHT = 760.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 30.0, 46.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """Through points of the data."""

    points: Sequence[Point]
    colour: str
    name: str
    """In the key; empty: it has none."""
    width: float = 2.2
    opacity: float = 1.0


class Axes:
    """A frame with ticks from data to the picture."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], left: float = LEFT) -> None:
        """Least and most of the data across and upwards; room for words on the left."""
        self.x, self.y, self.left = x, y, left
        self.parts: list[str] = []

    def at(self, x: float, y: float) -> Point:
        """A place of the picture."""
        across, up = self.x[1] - self.x[0] or 1.0, self.y[1] - self.y[0] or 1.0
        return (
            self.left + (x - self.x[0]) / across * (WIDTH - self.left - RIGHT),
            HEIGHT - BOTTOM - (y - self.y[0]) / up * (HEIGHT - TOP - BOTTOM),
        )

    def line(self, line: Line) -> None:
        """A line through points of the data."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in line.points))
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{line.colour}" stroke-width="{line.width}" '
            f'stroke-opacity="{line.opacity:.2f}"/>'
        )

    def word(
        self,
        x: float,
        y: float,
        words: str,
        anchor: str = "middle",
        colour: str = INK,
        size: int = 12,
        halo: bool = False,
    ) -> None:
        """A text at a place of the picture."""
        self.parts.append(text(Place(x, y), words, size, colour, anchor, halo=halo))

    def ticks(self, x_name: str, y_name: str, x_ticks: Sequence[float], y_ticks: Sequence[float]) -> None:
        """The frame, its grid, and the names of both axes; long times have another unit than the names say."""
        x_name, x_words = in_long_units(x_name, x_ticks)
        y_name, y_words = in_long_units(y_name, y_ticks)
        for tick, word in zip_equal(x_ticks, x_words):
            x, _ = self.at(tick, self.y[0])
            self.parts.append(
                f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="{GRID}" stroke-width="1"/>'
            )
            self.word(x, HEIGHT - BOTTOM + 16, word, colour=SOFT)
        right = WIDTH - RIGHT
        for tick, word in zip_equal(y_ticks, y_words):
            _, y = self.at(self.x[0], tick)
            self.parts.append(
                f'<line x1="{self.left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{GRID}" stroke-width="1"/>'
            )
            self.word(self.left - 6, y + 4, word, "end", SOFT)
        self.parts.append(
            f'<rect x="{self.left}" y="{TOP}" width="{right - self.left}" height="{HEIGHT - TOP - BOTTOM}" '
            f'fill="none" stroke="{AXIS}" stroke-width="1"/>'
        )
        self.word((self.left + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name)
        self.word(self.left, TOP - 10, y_name, "start")

    def names_at(self, names: Sequence[tuple[float, str]]) -> None:
        """Words on the left of heights of the data; of many those that have room."""
        free_from = HEIGHT
        for height, name in sorted(names):
            _, y = self.at(self.x[0], height)
            if y + 4 <= free_from:
                self.word(self.left - 6, y + 4, name, "end", SOFT, 10)
                free_from = y - 7

    def svg_of(self, lines: Sequence[Line], title: str) -> str:
        """The whole picture with these lines, those with names in a key."""
        for line in lines:
            self.line(line)
        for place, line in enumerate(line for line in lines if line.name):
            y = TOP + 18 + 16 * place
            self.parts.append(
                f'<line x1="{self.left + 10}" y1="{y - 4}" x2="{self.left + 30}" y2="{y - 4}" stroke="{line.colour}" '
                f'stroke-width="{line.width}"/>'
            )
            # In ink: colours of curves are too light for words; and lines may run below them.
            self.word(self.left + 36, y, line.name, "start", halo=True)
        return picture(WIDTH, HEIGHT, title, self.parts)


def in_long_units(name: str, ticks: Sequence[float]) -> tuple[str, list[str]]:
    """What an axis is called, and its ticks: of five digits and more in ms, of eight and more in s.

    Args:
        name: With ``µs``, where the axis is one of times.
        ticks: In microseconds then.
    """
    most = max(map(abs, ticks), default=0.0)
    unit, divisor = next((one for one in (("s", 1e6), ("ms", 1e3)) if most >= 10 * one[1]), ("µs", 1.0))
    if "µs" not in name:
        unit, divisor = "µs", 1.0
    return name.replace("µs", unit), [f"{tick / divisor:g}" for tick in ticks]


def round_ticks(least: float, most: float, about: int = 6) -> list[float]:
    """Round numbers between two others, about so many."""
    span = most - least
    if span <= 0:
        return [least]
    raw = span / about
    size = 10 ** np.floor(np.log10(raw))
    step = float(size * next(factor for factor in (1, 2, 5, 10) if factor * size >= raw))
    first = np.ceil(least / step) * step
    return [float(round(tick, 10)) + 0.0 for tick in np.arange(first, most + step / 2, step) if tick <= most]
