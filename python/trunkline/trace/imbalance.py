"""Whether calls take long because the program's ranks come at different times, or because of what happens inside."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.trace.calls import Group, RankCalls
from trunkline.trace.stages import Clocks

MUCH = 0.5
"""Part of the time in calls from which on waiting is named as the reason."""


@dataclass(frozen=True)
class Imbalance:
    """Mean microseconds a call."""

    in_call: float
    """Of a rank."""
    waiting: float
    """Of a rank, from its entry until the last one enters, or it leaves itself; true to the clocks' error."""
    inside: float
    """From the last entry until the last exit."""
    program: float
    """How much longer than the quickest rank the slowest one computes between calls; needs no common clock."""
    clock_error: float
    late_ranks: list[tuple[int, float]]
    """Those that most often come last, with their part of the calls; three at most."""
    reason: str
    """``program``: the program's ranks come late; ``calls before``: they leave the call before late; ``late``: one of
    both, and which one is not known; ``inside``."""


def entries_and_exits(
    group: Group, calls: dict[int, RankCalls], clocks: Clocks, skip: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of the calls of a group but for the first ones, ns on its first rank's clock; shape (ranks, calls)."""
    places = {rank: group.places[rank][skip:] for rank in group.ranks}
    later = {rank: clocks.between(group.ranks[0], rank) for rank in group.ranks}
    start = np.stack([calls[rank].start[places[rank]] + later[rank] for rank in group.ranks])
    end = np.stack([calls[rank].end[places[rank]] + later[rank] for rank in group.ranks])
    return start, end


def imbalance_of(group: Group, calls: dict[int, RankCalls], clocks: Clocks, skip: int) -> Imbalance:
    """Of the calls of a group, but for the first ones.

    Args:
        group: The calls.
        calls: Of each rank.
        clocks: Of each rank.
        skip: Calls at the beginning that do not count.
    """
    ranks = group.ranks
    start, end = entries_and_exits(group, calls, clocks, skip)
    gap = np.stack([calls[rank].gap[group.places[rank][skip:]] for rank in ranks]).astype(np.float64)
    last = start.max(axis=0)
    is_known = group.collective in _core.collectives()  # another release may have more
    if is_known and _core.facts_of(group.collective).makes_prefixes:  # a rank waits for those before it
        last = np.maximum.accumulate(start, axis=0)
    waiting = float((np.minimum(last, end) - start).mean()) / 1e3
    known = (gap >= 0).all(axis=0)
    program = float((gap[:, known].max(axis=0) - gap[:, known].min(axis=0)).mean()) / 1e3 if known.any() else 0.0
    in_call = float((end - start).mean()) / 1e3
    counts = np.bincount(start.argmax(axis=0), minlength=len(ranks)) / max(1, start.shape[1])
    late = sorted(zip_equal(ranks, counts.tolist()), key=lambda one: -one[1])[:3]
    error = max(clocks.error_ns[rank] for rank in ranks) / 1e3
    reason = "inside"
    if waiting - error >= MUCH * in_call:
        reason = "late"
        if known.any():
            reason = "program" if program > waiting * MUCH else "calls before"
    return Imbalance(
        in_call,
        waiting,
        float((end.max(axis=0) - start.max(axis=0)).mean()) / 1e3,
        program,
        error,
        [one for one in late if one[1]],
        reason,
    )
