"""A receipt as pictures, as wide as a phone: where the time went, and what trials found."""

import math
from collections.abc import Iterable, Sequence

from trunkline.draw.colours import ACCENT, AXIS, BAR, INK, NATIVE, SOFT
from trunkline.draw.layout import Point
from trunkline.draw.svg import picture, text
from trunkline.receipt.file import Receipt, Trials
from trunkline.receipt.words import call_name, size_text, time_text

_WIDTH, _MARGIN, _ROW = 390.0, 12.0, 36.0
"""Pixels: a phone shows a picture as it is, and two stand side by side on a wide page."""
_MOST_ROWS = 12
"""What took less time is one row together."""
_MOST_LETTERS = 50
"""Of a line in small type."""


def receipt_panels(receipt: Receipt) -> list[str]:
    """An ``<svg>`` element each, for light and dark screens; without one for trials where there were none."""
    return [panel for panel in (time_panel(receipt), trials_panel(receipt.measured)) if panel]


def _rect(x: float, y: float, width: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="12" fill="{colour}"/>'


def _heads(title: str, *lines: str) -> list[str]:
    shapes = [text(Point(_MARGIN, 26), title, size=15, weight=700)]
    return shapes + [text(Point(_MARGIN, 44 + 16 * at), line, size=11, fill=SOFT) for at, line in enumerate(lines)]


def time_panel(receipt: Receipt) -> str:
    """Seconds by collective and class of sizes, what the library's own algorithms took in another colour."""
    ran: dict[str, list[float]] = {}
    for one in receipt.calls:
        if one.form:
            continue
        own = ran.setdefault(f"{call_name(one.collective)} {size_text(one.least_bytes)}", [0.0, 0.0])
        own[one.algorithm == "native"] += one.seconds
    rows = sorted(ran.items(), key=lambda row: -sum(row[1]))
    if not rows:
        return ""
    rest = rows[_MOST_ROWS:]
    rows = rows[:_MOST_ROWS]
    if rest:
        rows.append((f"{len(rest)} others", [sum(own[which] for _, own in rest) for which in (0, 1)]))
    most = max(sum(own) for _, own in rows) or 1.0
    shapes = _heads("Where the time went", "Seconds of rank 0 in collective calls.")
    y = 58.0
    shapes += [_rect(_MARGIN, y, 12, ACCENT), text(Point(_MARGIN + 18, y + 10), "planned by Trunkline", size=11)]
    shapes += [_rect(190, y, 12, NATIVE), text(Point(208, y + 10), "the library's own (native)", size=11)]
    y += 22
    room = _WIDTH - 2 * _MARGIN
    for name, (planned, native) in rows:
        shapes.append(text(Point(_MARGIN, y + 12), name, size=12))
        shapes.append(text(Point(_WIDTH - _MARGIN, y + 12), time_text(planned + native), size=12, anchor="end"))
        shapes.append(_rect(_MARGIN, y + 17, room, BAR))
        shapes.append(_rect(_MARGIN, y + 17, room * planned / most, ACCENT))
        shapes.append(_rect(_MARGIN + room * planned / most, y + 17, room * native / most, NATIVE))
        y += _ROW
    return picture(_WIDTH, y + 8, "Seconds of collective calls, by collective and size", shapes, corners=8)


def trials_panel(found: Sequence[Trials]) -> str:
    """Each algorithm that was tried, by its time beside native calls: those on the left are faster."""
    rows = sorted(found, key=lambda one: one.saved_s, reverse=True)
    more = len(rows) - _MOST_ROWS
    rows = rows[:_MOST_ROWS]
    if not rows:
        return ""
    ratios = [ratio for one in rows for ratio in _ratios(one).values()]
    low, high = min(0.5, *ratios), max(2.0, *ratios)
    left, right = _MARGIN + 8, _WIDTH - _MARGIN - 8

    def at(ratio: float) -> float:
        return left + (right - left) * math.log(ratio / low) / math.log(high / low)

    told = [f"The {_MOST_ROWS} kinds of calls that saved most; {more} more are in the table."] if more > 0 else []
    shapes = _heads("What trials found", "A call's time over that of a native one, on a log scale.", *told)
    y = 60.0 + 16 * len(told)
    shapes += [_mark(_MARGIN + 6, y, runs=True), text(Point(_MARGIN + 18, y + 4), "runs", size=11)]
    shapes += [_mark(80, y, runs=False), text(Point(92, y + 4), "tried, and lost", size=11)]
    y += 14
    for one in rows:
        name = f"{call_name(one.collective)} {size_text(one.least_bytes)}"
        runs = f": {one.algorithm}"
        shapes.append(text(Point(_MARGIN, y + 12), _short(name + runs), size=11.5))
        shapes.append(f'<path d="M{left:.1f} {y + 24:.1f}H{right:.1f}" stroke="{AXIS}"/>')
        shapes.append(f'<path d="M{at(1.0):.1f} {y + 16:.1f}V{y + 32:.1f}" stroke="{INK}" stroke-width="1.6"/>')
        ratios_of = _ratios(one)
        for algorithm, ratio in sorted(ratios_of.items(), key=lambda pair: pair[0] == one.algorithm):
            shapes.append(_mark(at(ratio), y + 24, runs=algorithm == one.algorithm))
        y += _ROW
    for ratio in _ticks(low, high):
        words = "native" if ratio == 1.0 else f"{ratio:g}"
        anchor = "start" if at(ratio) < left + 12 else "end" if at(ratio) > right - 12 else "middle"
        shapes.append(text(Point(at(ratio), y + 24), words, size=11, fill=SOFT, anchor=anchor))
    return picture(_WIDTH, y + 34, "Algorithms that were tried, beside native calls", shapes, corners=8)


def _ratios(one: Trials) -> dict[str, float]:
    """By algorithm; what runs is there even where the file does not say what was tried."""
    assert one.native_s is not None
    assert one.call_s is not None
    times = {each.algorithm: each.call_s for each in one.tried} | {one.algorithm: one.call_s}
    least = 1e-9
    return {name: max(seconds, least) / max(one.native_s, least) for name, seconds in times.items()}


def _ticks(low: float, high: float) -> Iterable[float]:
    """Of a few per decade those that lie there; far apart ones where that is much."""
    steps = (1.0, 2.0, 5.0) if high / low < 100 else (1.0,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    wanted = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [ratio for ratio in wanted if low <= ratio <= high and (ratio == 1.0 or not 0.8 < ratio < 1.25)]


def _mark(x: float, y: float, *, runs: bool) -> str:
    if runs:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{ACCENT}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" stroke="{SOFT}" stroke-width="1.8"/>'


def _short(words: str) -> str:
    return words if len(words) <= _MOST_LETTERS else words[: _MOST_LETTERS - 1] + "…"
