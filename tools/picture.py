#!/usr/bin/env python3
"""Draws the README's picture from the first table of docs/results/broadcast.md; with --check only compares it."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from trunkline.draw.colours import ACCENT, AXIS, GRID, INK, NATIVE, PAPER, SOFT, dark_too

DOCS = Path(__file__).resolve().parents[1] / "docs"
TABLE = DOCS / "results" / "broadcast.md"
PICTURE = DOCS / "pictures" / "broadcast.svg"
SIZES = ("8 KiB", "64 KiB", "1 MiB")
CLUSTERS = {
    "cyclic": "32 hosts, dealt one by one over four switches",
    "paper-4": "32 hosts, eight in a row on each of four switches",
    "paper-1": "16 hosts on one switch",
}

WIDTH, LEFT, TOP, HEAD, ROW, BAR = 424, 128, 62, 27, 18, 6.5
SCALE = 9.0  # of a multiple of T(m)
TICKS = range(0, 26, 5)
BOLD, END = ' font-weight="600"', ' text-anchor="end"'


@dataclass(frozen=True)
class Row:
    """One message size under one MPI library: times in multiples of T(m), as the table has them."""

    library: str
    native: float
    ours: float
    gain: str


def read_rows(text: str) -> dict[tuple[str, str], list[Row]]:
    """By cluster and size, the rows of the first table: a library in each three columns."""
    head, _, *lines = re.findall(r"^\| (.*) \|$", text[: text.index("\n\n", text.index("\n|"))], re.MULTILINE)
    libraries = head.split(" | ")[1::3]
    rows = {}
    for line in lines:
        name, *cells = line.split(" | ")
        cluster, size = re.fullmatch(r"`(.+)`, (.+)", name).groups()
        times = [cell.removesuffix(" T") for cell in cells]
        rows[cluster, size] = [
            Row(library, float(times[at]), float(times[at + 1]), times[at + 2])
            for at, library in zip(range(0, len(times), 3), libraries, strict=True)
        ]
    return rows


def text(x: float, y: float, words: str, colour: str, size: int = 12, more: str = "") -> str:
    """A line of words."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{more}>{words}</text>'


def bar(y: float, times: float, colour: str) -> str:
    """A time as a bar."""
    return f'<rect x="{LEFT}" y="{y:g}" width="{times * SCALE:g}" height="{BAR}" fill="{colour}"/>'


def line(times: float, top: float, bottom: float, colour: str, more: str = "") -> str:
    """Straight down where bars of that time end."""
    return f'<path d="M{LEFT + times * SCALE:g} {top:g}V{bottom:g}" stroke="{colour}"{more}/>'


def picture(rows: dict[tuple[str, str], list[Row]]) -> str:
    """The text of the picture."""
    shapes, y = [], float(TOP)
    for cluster, words in CLUSTERS.items():
        y += HEAD
        shapes.append(text(12, y - 9, words, INK, 13, BOLD))
        bottom = y + ROW * sum(len(rows[cluster, size]) for size in SIZES)
        shapes += [line(times, y - 2, bottom, AXIS if times == 0 else GRID) for times in TICKS]
        shapes.append(line(1, y - 2, bottom, INK, ' stroke-dasharray="2 3"'))
        for size in SIZES:
            for number, row in enumerate(rows[cluster, size]):
                if number == 0:
                    shapes.append(text(12, y + 11, size, INK))
                shapes.append(text(LEFT - 8, y + 11, re.sub(r" [\d.]+$", "", row.library), SOFT, 12, END))
                shapes += [bar(y + 1, row.native, NATIVE), bar(y + 1 + BAR, row.ours, ACCENT)]
                shapes.append(text(LEFT + row.native * SCALE + 6, y + 11, f"{row.gain}×", INK))
                y += ROW
    shapes += [text(LEFT + times * SCALE, y + 16, str(times), SOFT, 12, ' text-anchor="middle"') for times in TICKS]
    height = y + 66
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
        f'height="{height:g}" font-family="system-ui, sans-serif" role="img">'
        "<title>Times of MPI_Bcast: the MPI library alone, and with Trunkline</title>"
        f'<rect width="{WIDTH}" height="{height:g}" rx="8" fill="{PAPER}"/>'
    )
    legend = [
        text(12, 24, "Time of MPI_Bcast: shorter is better", INK, 15, BOLD),
        f'<rect x="12" y="39" width="12" height="8" fill="{NATIVE}"/>',
        text(30, 47, "the MPI library alone", INK),
        f'<rect x="168" y="39" width="12" height="8" fill="{ACCENT}"/>',
        text(186, 47, "with Trunkline", INK),
        text(284, 47, "2.5× = times faster", INK),
        text(12, y + 36, "In multiples of half a ping-pong: none can be faster (dotted).", SOFT),
        text(12, y + 53, "Measured between emulated hosts, 20 Mbit/s (one switch: 30).", SOFT),
    ]
    return dark_too("\n".join([head, *legend, *shapes, "</svg>"])) + "\n"


if __name__ == "__main__":
    drawn = picture(read_rows(TABLE.read_text()))
    if "--check" not in sys.argv[1:]:
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(drawn)
    elif not PICTURE.exists() or PICTURE.read_text() != drawn:
        sys.exit(f"{PICTURE.name} is not what {TABLE.name} says: run tools/picture.py")
