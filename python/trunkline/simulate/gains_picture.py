"""What ``auto`` gains as a picture: a panel for each rival, a column for each rate, a row for each size."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.draw.colours import SOFT
from trunkline.draw.gain_cells import gain_cell, gain_digits
from trunkline.draw.layout import Point
from trunkline.draw.svg import picture, text
from trunkline.peers.simulated import SELECTORS, named_now
from trunkline.simulate.gains import Gain
from trunkline.units import format_bytes, format_rate, format_seconds

_LEAST_WIDTH = 400
"""Pixels: a phone shows it without making it much smaller."""
_LEFT, _MARGIN, _TOP, _HEAD, _ROW = 76.0, 14.0, 70.0, 52.0, 24.0
_LEAST_CELL = 58.0
_LINE = 12.0


def gain_words(gain: Gain) -> str:
    """The gain in three digits at most, ``>`` before it where the rival was given up."""
    return f"{'> ' if gain.at_least else ''}{gain_digits(gain.gain)}"


def gains_picture(gains: Sequence[Gain]) -> str:
    """An ``<svg>`` element for light and dark screens; the gains of one collective on one cluster.

    A cell is empty where there is no gain. Rivals, rates and sizes stand in the order in which they first come.
    """
    rivals = list(dict.fromkeys(one.rival for one in gains))
    columns = {one.cluster_fingerprint: one for one in gains}
    sizes = list(dict.fromkeys(one.message_bytes for one in gains))
    width = max(_LEAST_WIDTH, _LEFT + len(columns) * _LEAST_CELL + _MARGIN)
    cell = (width - _LEFT - _MARGIN) / len(columns)
    lines, across = _heads(list(columns.values()))
    head_height = _HEAD + _LINE * (len(lines[0]) - 1)
    panel = head_height + len(sizes) * _ROW
    height = _TOP + len(rivals) * panel + 46
    first = gains[0]
    title = f"{_core.facts_of(first.collective).mpi_name}: how many times faster"
    hosts = "hosts that cost no time" if first.host_costs == "free" else f"hosts as measured under {first.host_costs}"
    parts = [
        text(Point(_MARGIN, 27), title, size=16, weight=700),
        text(Point(_MARGIN, 46), f"{first.cluster}, {first.ranks} ranks on {first.hosts} hosts", size=12, fill=SOFT),
        text(Point(_MARGIN, 63), f"Simulated, {hosts}", size=12, fill=SOFT),
    ]
    at = {(one.rival, one.cluster_fingerprint, one.message_bytes): one for one in gains}
    for number, rival in enumerate(rivals):
        top = _TOP + number * panel
        parts.append(text(Point(_MARGIN, top + 26), f"than {_rival_words(rival)}", size=13, weight=700))
        for column, words in enumerate(lines):
            middle = _LEFT + (column + 0.5) * cell
            for up, word in enumerate(reversed(words)):
                place = Point(middle, top + head_height - 7 - _LINE * up)
                parts.append(text(place, word, size=11, fill=SOFT, anchor="middle"))
        for line, size in enumerate(sizes):
            y = top + head_height + line * _ROW
            parts.append(text(Point(_LEFT - 8, y + 16), format_bytes(size), size=12, anchor="end"))
            for column, cluster in enumerate(columns):
                if gain := at.get((rival, cluster, size)):
                    corner = Point(_LEFT + column * cell, y)
                    parts.append(gain_cell(corner, Point(cell, _ROW), gain.gain, gain_words(gain)))
    parts += [
        text(Point(_MARGIN, height - 28), f"Down: message size. Across: {across}.", size=12, fill=SOFT),
        text(Point(_MARGIN, height - 11), "1: as fast. Red: Trunkline is slower.", size=12, fill=SOFT),
    ]
    return picture(width, height, title, parts, corners=8)


def _heads(columns: Sequence[Gain]) -> tuple[list[list[str]], str]:
    """Of each column its lines, and what they are: what differs from one to the next, or the rate."""
    ways: list[tuple[list[str], str]] = []
    if len({one.long_rate_bps for one in columns}) > 1:
        ways.append(([_short_rate(one.long_rate_bps) for one in columns], "rate between sites"))
    if len({one.long_latency_s for one in columns}) > 1:
        ways.append(([format_seconds(one.long_latency_s) for one in columns], "latency between sites"))
    if not ways or len({one.rate_bps for one in columns}) > 1:
        ways.insert(0, ([_short_rate(one.rate_bps) for one in columns], "rate of the fastest link"))
    return [[words[column] for words, _ in ways] for column in range(len(columns))], "; ".join(name for _, name in ways)


def _short_rate(rate_bps: float) -> str:
    return format_rate(rate_bps).replace("bit/s", "bit")


def _rival_words(rival: str) -> str:
    return f"{SELECTORS[named_now(rival)]}'s own choice" if named_now(rival) in SELECTORS else rival
