"""Collectives by rounds: when ranks have what a round brings them."""

from dataclasses import dataclass

import numpy as np

from trunkline.trace.file import ARRIVED, HANDED_ON
from trunkline.trace.metrics import Stats, stats_of
from trunkline.trace.nodes import Slots


@dataclass(frozen=True)
class RoundStage:
    """One round, over all calls and ranks that receive in it."""

    number: int
    ranks: int
    wait: Stats
    """From a rank's event before (its entry, or what it sent or got last) until the round's data has arrived."""
    slowest: int
    """The rank with the longest mean wait."""


def rounds_of(slots: dict[int, Slots]) -> list[RoundStage]:
    """The rounds in their order; empty where nobody receives anything."""
    waits: dict[int, dict[int, np.ndarray]] = {}
    for rank, one in slots.items():
        columns = [(None, one.start)]
        for stream, times in one.times.items():
            kind = stream[0]
            for column, part in enumerate(one.parts[stream].tolist()):
                if kind in (ARRIVED, HANDED_ON):
                    columns.append((part if kind == ARRIVED else None, times[:, column]))
        stacked = np.stack([times for _, times in columns])[:, one.whole]
        if stacked.shape[1] == 0:
            continue
        order = np.argsort(stacked, axis=0, kind="stable")
        ordered = np.take_along_axis(stacked, order, axis=0)
        before = np.empty_like(stacked)
        np.put_along_axis(before, order, np.concatenate([ordered[:1], ordered[:-1]]), axis=0)
        for row, (part, _) in enumerate(columns):
            if part is not None:
                waits.setdefault(part, {})[rank] = stacked[row] - before[row]
    return [
        RoundStage(
            part,
            len(by_rank),
            stats_of(np.concatenate(list(by_rank.values()))),
            max(by_rank, key=lambda rank: float(by_rank[rank].mean())),
        )
        for part, by_rank in sorted(waits.items())
    ]
