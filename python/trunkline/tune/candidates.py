"""Which algorithms with which segments are worth measuring for one message size."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from trunkline import _core

PER_ALGORITHM = 3
"""Segments of one algorithm that are measured, at most."""
MOST = 12
"""Candidates besides native, at most."""
WORTH_MEASURING = 1.7
"""Predicted times above the best one by this factor are left out: predictions are off by less."""
WORTH_MEASURING_ON_SHARED_HOSTS = 2.5
"""The same where ranks share hosts: what passes between them there is predicted worst."""


@dataclass(frozen=True)
class Candidate:
    """An algorithm with a segment."""

    algorithm: str
    segment_bytes: int
    predicted_s: float

    def choice(self) -> str:
        """As settings such as ``TRUNKLINE_BCAST`` take it."""
        return f"{self.algorithm}:{self.segment_bytes}"


class Candidates:
    """The algorithms of one placement and root, laid once over the cluster that ranks know."""

    def __init__(
        self, collective: str, cluster: _core.Cluster, knowledge: _core.Knowledge, placement: Sequence[int]
    ) -> None:
        shared = len(set(placement)) < len(placement)
        left_out = ([] if shared else ["shared hosts"]) + ([] if cluster.has_sites else ["sites"])
        lanes = gcd(*Counter(placement).values())
        rows = [one for one in _core.candidates(collective) if one.role not in left_out and one.least_lanes <= lanes]
        self._multicasts = {row.name for row in rows if row.role == "to all at once"}
        self._worth_measuring = WORTH_MEASURING_ON_SHARED_HOSTS if shared else WORTH_MEASURING
        self._costs = {
            row.name: knowledge.costs_of(placement, _core.lay(collective, row.name, cluster, placement, 0), collective)
            for row in rows
        }

    def of_size(self, message_bytes: int) -> list[Candidate]:
        """What to measure beside native, the one predicted fastest first."""
        segments = [s for s in _core.segment_candidates() if s < message_bytes]
        # One segment as long as the message, where that is short; else the longest of them stands for it.
        if len(segments) < len(_core.segment_candidates()):
            segments.append(message_bytes)
        firsts, others = [], []
        for name, costs in self._costs.items():
            # Segments mean nothing to a multicast: one stands for all.
            sizes = [costs.best_segment(message_bytes)] if name in self._multicasts else segments
            own = [Candidate(name, s, costs.seconds(message_bytes, s)) for s in sizes]
            first, *more = sorted(own, key=lambda c: c.predicted_s)[:PER_ALGORITHM]
            firsts.append(first)
            others += more
        firsts.sort(key=lambda c: c.predicted_s)
        # Networks may not let multicast through: what is predicted for it leaves no other out.
        worth = self._worth_measuring * next(c.predicted_s for c in firsts if c.algorithm not in self._multicasts)
        others.sort(key=lambda c: c.predicted_s)
        # One of each algorithm before the first one's other segments, which differ little.
        return [c for c in [*firsts, *others] if c.predicted_s <= worth][:MOST]
