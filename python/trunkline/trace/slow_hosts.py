"""Ways between hosts in a trace, and the hosts all of whose ways are slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Callable, NamedTuple

import numpy as np

from trunkline.trace.file import ARRIVED, HANDED_ON
from trunkline.trace.nodes import Slots
from trunkline.trace.stages import Clocks

__all__ = ["Way", "extras", "ways_of"]

MOST_OF_ONE = 1.5
"""A host is slow where its ways take so many times the typical one."""


class Way(NamedTuple):
    """What messages take from one rank to another on another host."""

    sender: int
    receiver: int
    us: float
    """Of the quickest part of a call, the median over calls: it had least to wait behind others."""


def ways_of(slots: Mapping[int, Slots], clocks: Clocks) -> list[Way]:
    """All ways between hosts, true to the clocks' error."""
    least: dict[tuple[int, int], float] = {}
    for receiver, one in slots.items():
        for (kind, tree, sender), came in one.times.items():
            if kind != ARRIVED or sender not in slots or clocks.same(sender, receiver):
                continue
            other = slots[sender]
            sent = other.times.get((HANDED_ON, tree, receiver))
            if sent is None:
                continue
            parts = one.parts[kind, tree, sender]
            common, here, there = np.intersect1d(
                parts, other.parts[HANDED_ON, tree, receiver], assume_unique=True, return_indices=True
            )
            whole = one.whole & other.whole
            if len(common) == 0 or not whole.any():
                continue
            took = came[whole][:, here] - sent[whole][:, there] + clocks.between(sender, receiver)
            us = max(0.0, float(np.median(took, axis=0).min()) / 1e3)
            least[sender, receiver] = min(us, least.get((sender, receiver), us))
    return [Way(*pair, us) for pair, us in sorted(least.items())]


def extras(
    between: Sequence[tuple[str, str, float]], typical: Mapping[int, float], links: Callable[[str, str], int]
) -> dict[str, float]:
    """What slow hosts add to each of their ways, in the unit of the ways.

    A way is slow because of either end: the one all of whose ways are slow is to blame; of two, the one with more ways.

    Args:
        between: Ways: two hosts, and what it takes.
        typical: By number of links.
        links: Between two hosts.
    """
    over: dict[str, list[tuple[float, str]]] = {}
    for one, other, way in between:
        usual = typical[links(one, other)]
        more = way - usual if way > MOST_OF_ONE * usual else 0.0
        over.setdefault(one, []).append((more, other))
        over.setdefault(other, []).append((more, one))
    slow = {host for host, ways in over.items() if all(more > 0 for more, _ in ways)}
    found: dict[str, float] = {}
    for host in sorted(slow, key=lambda name: (-len(over[name]), name)):
        left = [more - found.get(other, 0.0) for more, other in over[host]]
        if median(left) > 0:
            found[host] = median(left)
    return found
