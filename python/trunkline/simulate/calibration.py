"""Processor times of messages, from measured tables, as SMPI takes them."""

from trunkline import _core
from trunkline.compat import pairwise


def processor_times(measured: _core.Measurement) -> dict[str, str]:
    """os(m) between the nearest hosts as an option of SMPI: straight lines between the sizes measured.

    or(m) is left out: SMPI counts it for messages that leave before they are received, and here none does.
    """
    nearest = min(
        (distance for distance in measured.distances if distance.channels > 0),
        key=lambda one: one.channels,
        default=None,
    )
    if nearest is None:
        return {}
    points = sorted(nearest.points, key=lambda one: one.bytes)
    return {"smpi/ois": _lines([(point.bytes, point.send_s) for point in points])}


def _lines(points: list[tuple[int, float]]) -> str:
    """``FROM:CONSTANT:PER_BYTE;...``, seconds; the last line goes on for ever, the first one begins at 0 bytes."""
    if len(points) == 1:
        return f"0:{points[0][1]:.9g}:0"
    words: list[str] = []
    for (low, a), (high, b) in pairwise(points):
        slope = (b - a) / (high - low)
        words.append(f"{low if words else 0}:{a - slope * low:.9g}:{slope:.9g}")
    return ";".join(words)
