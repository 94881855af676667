"""What every timed collective says of itself, on the lab or in a simulation.

What was read from JSON is compared with what a benchmark writes: a file may have been edited, or be another one.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Optional, get_type_hints

from trunkline import _core


@dataclass
class Timed:
    """One algorithm at one size: what lines of ``bench --json`` and of ``simulate --json`` have in common."""

    collective: str
    cluster: str
    cluster_fingerprint: str
    """Of the cluster at this rate: another network may have the same name."""
    rate_bps: float
    """Of the fastest link."""
    hosts: int
    ranks: int
    mpi: str
    """As given with ``--mpi``; ``simgrid``."""
    mpi_version: str
    algorithm: str
    ran: str
    """The algorithm that ``auto`` picked; ``native`` for others' algorithms; else the same as ``algorithm``."""
    segment_bytes: int
    """0: not Trunkline's."""
    message_bytes: int
    seconds_median: float
    seconds_low: float
    seconds_high: float
    repetitions: int
    limit_seconds: float
    """T(m) in the same run."""
    trunkline_version: str

    @property
    def least_seconds(self) -> float:
        """What no algorithm can do better than: T(m) as often as the collective needs it."""
        return self.limit_seconds * _core.facts_of(self.collective).limit_in_transfers(self.hosts)

    def as_json(self) -> dict[str, object]:
        """The line as the command writes it."""
        return asdict(self)


def hidden_share(alone_s: float, beside_work_s: float, work_s: float) -> float:
    """How much of the time that a call takes by itself its work took as well: from 0 to 1; times in seconds."""
    seen_s = max(0.0, beside_work_s - work_s)
    return max(0.0, 1 - seen_s / alone_s)


def check_entry(entry: object, kind: type[Any], names: frozenset[str] | None = None) -> None:
    """Compare an object of a file with the dataclass that it was written from.

    Times, rates and their like are above zero, counts are not below it.

    Args:
        entry: As ``json`` read it.
        kind: The dataclass.
        names: Fields that are needed, whatever else there is; None: those without a default, and no other ones.

    Raises:
        ValueError: naming the first thing that is wrong.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"there is {entry!r:.40} where a cell should be")
    hints = get_type_hints(kind)
    needed = {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}
    if missing := sorted((needed if names is None else names) - entry.keys()):
        raise ValueError(f"a cell has no {', '.join(missing)}")
    if names is None and (unknown := sorted(entry.keys() - hints.keys())):
        raise ValueError(f"a cell has {', '.join(unknown)}")
    for name in entry.keys() & hints.keys() if names is None else names:
        if wrong := _wrong(entry[name], hints[name]):
            raise ValueError(f"{name} is {entry[name]!r:.40}, not {wrong}")


def _wrong(value: object, hint: object) -> str:
    """What the value should be and is not; empty: all is well."""
    if hint is str:
        return "" if isinstance(value, str) else "a text"
    if hint is bool:
        return "" if isinstance(value, bool) else "true or false"
    if hint is int:
        return "" if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else "a count"
    if hint is float:
        return "" if _is_above_zero(value) else "a number above zero"
    if hint == Optional[int]:
        return "" if value is None or not _wrong(value, int) else "a count, or null"
    if hint == Optional[float]:
        return "" if value is None or _is_above_zero(value) else "a number above zero, or null"
    if hint == list[float]:
        return "" if isinstance(value, list) and all(map(_is_above_zero, value)) else "a list of numbers above zero"
    return "" if isinstance(value, list) and all(isinstance(one, dict) for one in value) else "a list of objects"


def _is_above_zero(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0
