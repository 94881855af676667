"""What Trunkline would gain as a picture: a panel a collective, columns of rates and ranks a host, rows of sizes."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from trunkline import _core
from trunkline.doctor.pays import Gain
from trunkline.draw.colours import INK, SOFT
from trunkline.draw.gain_cells import gain_cell, gain_digits
from trunkline.draw.layout import Point
from trunkline.draw.svg import picture, text
from trunkline.units import format_bytes, format_rate

_WIDTH = 390.0
"""Pixels: a phone shows it as it is, and panels stand side by side on a wide page."""
_LEFT, _MARGIN, _HEAD, _ROW = 74.0, 12.0, 64.0, 25.0
_MOST_COLUMNS = 6
"""More of them go below, so that words stay readable."""
_MOST_LETTERS = 56
"""Of a line in small type: DejaVu Sans takes 6.3 pixels for one on average."""


def cell_words(gain: Gain) -> str:
    """``2.4``; ``~1.3`` where it is likely alone, ``=`` where the library's own algorithm runs."""
    if gain.sure == "same":
        return "="
    return f"{'~' if gain.sure == 'likely' else ''}{gain_digits(gain.gain)}"


def pays_panels(gains: Sequence[Gain], about: str) -> list[str]:
    """An ``<svg>`` element for each collective, for light and dark screens.

    Args:
        gains: All cells, of one cluster.
        about: Cluster and ranks, for titles that are read aloud.
    """
    drawn = [(list(_panel(own, 0.0)), f"{_name(own)}, {about}") for own in _by_collective(gains)]
    return [_svg([shape for shape, _ in panel], panel[-1][1] + 8, title) for panel, title in drawn]


def pays_picture(gains: Sequence[Gain], about: Sequence[str]) -> str:
    """One ``<svg>`` element with all panels, one below the other.

    Args:
        gains: All cells, of one cluster.
        about: Lines above them: cluster, what messages cost.
    """
    parts = [text(Point(_MARGIN, 26), "Predicted: how many times faster", size=15, weight=700)]
    top = 30.0
    for line in (part for words in about for part in wrap(words, _MOST_LETTERS)):
        top += 16
        parts.append(text(Point(_MARGIN, top), line, size=11, fill=SOFT))
    shapes = list(parts)
    for own in _by_collective(gains):
        panel = list(_panel(own, top))
        shapes += [shape for shape, _ in panel]
        top = panel[-1][1]
    for line in _KEY:
        top += 16
        shapes.append(text(Point(_MARGIN, top), line, size=11, fill=SOFT))
    return _svg(shapes, top + 14, "How many times faster collectives are with Trunkline, predicted")


_KEY = (
    "Columns: rate of the hosts' links, ranks on each host.",
    "Number: faster even where predictions are off. ~: likely.",
    "=: the MPI library's own algorithm runs. Predicted,",
    "without multicasts; nothing was measured there.",
)


def _name(own: Sequence[Gain]) -> str:
    return _core.facts_of(own[0].collective).mpi_name


def _by_collective(gains: Sequence[Gain]) -> Iterator[list[Gain]]:
    for name in dict.fromkeys(gain.collective for gain in gains):
        yield [gain for gain in gains if gain.collective == name]


def _svg(shapes: Sequence[str], height: float, title: str) -> str:
    return picture(_WIDTH, height, title, shapes, corners=8)


def _panel(own: Sequence[Gain], top: float) -> Iterator[tuple[str, float]]:
    """Shapes, each with the lower end of what is drawn so far."""
    columns = list(dict.fromkeys((one.rate_bps, one.ranks_per_host) for one in own))
    sizes = list(dict.fromkeys(one.message_bytes for one in own))
    at = {(one.rate_bps, one.ranks_per_host, one.message_bytes): one for one in own}
    yield text(Point(_MARGIN, top + 26), _name(own), size=13, weight=700), top + 30
    blocks = -(-len(columns) // _MOST_COLUMNS)
    together = -(-len(columns) // blocks)  # blocks of about as many columns
    for start in range(0, len(columns), together):
        some = columns[start : start + together]
        cell = (_WIDTH - _LEFT - _MARGIN) / max(together, 3)
        for number, (rate, ranks) in enumerate(some):
            middle = _LEFT + (number + 0.5) * cell
            words = format_rate(rate).replace("bit/s", "").replace(" ", "")
            yield text(Point(middle, top + 44), words, size=11, fill=SOFT, anchor="middle"), top + 44
            yield text(Point(middle, top + 58), f"x{ranks}", size=11, fill=SOFT, anchor="middle"), top + 58
        yield text(Point(_LEFT - 8, top + 44), "bit/s", size=11, fill=SOFT, anchor="end"), top + 44
        yield text(Point(_LEFT - 8, top + 58), "ranks", size=11, fill=SOFT, anchor="end"), top + 58
        for line, size in enumerate(sizes):
            y = top + _HEAD + line * _ROW
            yield text(Point(_LEFT - 8, y + 16.5), format_bytes(size), size=12, anchor="end"), y + _ROW
            for number, column in enumerate(some):
                where = (*column, size)
                yield _cell(at[where], _LEFT + number * cell, y, cell), y + _ROW
        top += _HEAD + len(sizes) * _ROW - 24


def _cell(gain: Gain, x: float, y: float, width: float) -> str:
    """A dashed edge where it is likely alone, no shade where nothing changes."""
    changes = gain.sure != "same"
    return gain_cell(
        Point(x, y),
        Point(width, _ROW),
        max(1.0, gain.gain) if changes else 1.0,
        cell_words(gain),
        ink=INK if changes else SOFT,
        weight=700 if gain.sure == "yes" else 400,
        dashed=gain.sure == "likely",
    )
