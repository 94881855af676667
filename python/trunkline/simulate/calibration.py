"""Processor times of messages, from measured tables, as SMPI takes them."""

from itertools import pairwise

from trunkline import _core

__all__ = ["processor_times"]


def processor_times(measured: _core.Measurement) -> dict[str, str]:
    """os(m) and or(m) of the nearest hosts as options of SMPI: straight lines between the sizes measured."""
    nearest = min((one for one in measured.distances if one.channels > 0), key=lambda one: one.channels, default=None)
    if nearest is None:
        return {}
    points = sorted(nearest.points, key=lambda one: one.bytes)
    send = _lines([(one.bytes, one.send_s) for one in points])
    receive = _lines([(one.bytes, one.receive_s) for one in points])
    return {"smpi/os": send, "smpi/ois": send, "smpi/or": receive}


def _lines(points: list[tuple[int, float]]) -> str:
    """``FROM:CONSTANT:PER_BYTE;...``, seconds; the last line goes on for ever, the first one begins at 0 bytes."""
    if len(points) == 1:
        return f"0:{points[0][1]:.9g}:0"
    words: list[str] = []
    for (low, a), (high, b) in pairwise(points):
        slope = (b - a) / (high - low)
        words.append(f"{low if words else 0}:{a - slope * low:.9g}:{slope:.9g}")
    return ";".join(words)
