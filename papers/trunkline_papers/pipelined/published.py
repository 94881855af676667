"""What the journal paper on pipelined broadcast reports in its tables 2, 3 and 4, to stand beside our own figures."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

__all__ = [
    "paper_costs",
    "paper_network",
    "paper_parameters",
    "paper_piece_rows",
    "paper_pieces",
    "paper_segment_rows",
    "paper_segments",
]

_FILE = Path(__file__).with_name("pipelined_broadcast.json")
_COLUMN = {"linear": 1, "binary": 3}
_PIECES_OF = (32 << 10, 128 << 10, 512 << 10, 2 << 20)
"""Bytes of the messages in table 4."""


@cache
def _data() -> dict[str, dict[str, list[list[float]]]]:
    read: dict[str, dict[str, list[list[float]]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return read


def paper_network(rate_bps: float) -> str:
    """The one of the paper's two networks whose rate is nearer: ``100Mbit`` or ``1Gbit``."""
    return "1Gbit" if rate_bps > 3e8 else "100Mbit"


def paper_segments(network: str, algorithm: str, message_bytes: int) -> tuple[int, int] | None:
    """Table 3: bytes of the best segment by the paper's model, and as it was measured; None: not in the table."""
    if algorithm not in _COLUMN:
        return None
    column = _COLUMN[algorithm]
    rows = {int(row[0]): row for row in _data()["segments"][network]}
    row = rows.get(message_bytes)
    return (int(row[column]), int(row[column + 1])) if row else None


def paper_segment_rows() -> dict[int, list[float]]:
    """Table 3 by message bytes: the line's best segment by the model and measured, the tree's; then at 1000 Mbit/s."""
    slow, fast = ({int(row[0]): row[1:] for row in _data()["segments"][name]} for name in ("100Mbit", "1Gbit"))
    return {size: row + fast[size] for size, row in slow.items()}


def paper_costs(network: str) -> dict[int, tuple[float, float]]:
    """Of table 2: g(m) and L(m) in seconds, by segment bytes."""
    return {int(size): (gap * 1e-3, latency * 1e-3) for size, gap, _, latency in _data()["parameters"][network]}


def paper_piece_rows(network: str) -> tuple[list[int], dict[int, list[float]]]:
    """Table 4: bytes of its segments; by message bytes the milliseconds with each of them, and then in one piece."""
    rows = _data()["pieces"][network]
    segments = [int(row[0]) for row in rows[:-1]]
    return segments, {size: [row[k] for row in rows] for k, size in enumerate(_PIECES_OF, start=1)}


def paper_parameters(network: str, message_bytes: int) -> tuple[float, float, float] | None:
    """Table 2: g(m), RTT(m) and L(m) in seconds; None: not in the table."""
    for size, *values in _data()["parameters"][network]:
        if size == message_bytes:
            gap, round_trip, latency = (value * 1e-3 for value in values)
            return gap, round_trip, latency
    return None


def paper_pieces(network: str, message_bytes: int, segment_bytes: int) -> float | None:
    """Table 4: seconds of X T(m / X), the message in segments one after the other; segment 0: in one piece."""
    for segment, *values in _data()["pieces"][network]:
        if segment == segment_bytes and message_bytes in _PIECES_OF:
            return values[_PIECES_OF.index(message_bytes)] * 1e-3
    return None
