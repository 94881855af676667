"""Ways between hosts in a trace, and the hosts all of whose ways are slow."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.trace.file import ARRIVED, HANDED_ON
from trunkline.trace.nodes import Slots
from trunkline.trace.stages import Clocks

MOST_OF_ONE = 1.5
"""A host is slow where its ways take so many times the typical one."""


class Way(NamedTuple):
    """What messages take from one rank to another on another host."""

    sender: int
    receiver: int
    us: float
    """Of the quickest part of a call, the median over calls: it had least to wait behind others. Where each part was
    handed on while earlier ones were still under way, what parts take behind the one before, in the median."""
    queued: bool = False
    """Whether all parts waited for others, or for their receiver: then there is no whole way to be seen."""


class _Sent(NamedTuple):
    """What one rank sent to another one: shape (calls, parts), ns of the sender's clock."""

    receiver: int
    sent: NDArray[np.int64]
    came: NDArray[np.int64]
    """In the calls that are whole."""
    before: NDArray[np.int64]
    """When the last part of the call before came, by call: shape (calls,)."""
    entered: NDArray[np.int64]
    """When the receiver came to the call, by call."""


def ways_of(slots: Mapping[int, Slots], clocks: Clocks) -> list[Way]:
    """All ways between hosts, true to the clocks' error."""
    found: dict[tuple[int, int], Way] = {}
    for sender, own in _sent_by(slots, clocks).items():
        queued, took = _behind_others(own)
        for one, behind, rest in zip_equal(own, queued, took):
            whole = one.came - one.sent
            clean = np.median(behind, axis=0) < _HALF
            us = np.median(whole if clean.any() else rest, axis=0)
            least = float(us[clean].min() if clean.any() else np.median(us)) / 1e3
            way = Way(sender, one.receiver, max(0.0, least), queued=not clean.any())
            other = found.get((sender, one.receiver), way)
            found[sender, one.receiver] = min(way, other, key=lambda one: (one.queued, one.us))
    return [way for _, way in sorted(found.items())]


_HALF = 0.5


def _sent_by(slots: Mapping[int, Slots], clocks: Clocks) -> dict[int, list[_Sent]]:
    """By sender, what it sent to other hosts, in the same calls."""
    found: dict[int, list[_Sent]] = {}
    calls = _calls(slots)
    for receiver, one in slots.items():
        for (kind, tree, sender), came in one.times.items():
            if kind != ARRIVED or sender not in slots or clocks.same(sender, receiver):
                continue
            other = slots[sender]
            sent = other.times.get((HANDED_ON, tree, receiver))
            if sent is None:
                continue
            common, here, there = np.intersect1d(
                one.parts[kind, tree, sender],
                other.parts[HANDED_ON, tree, receiver],
                assume_unique=True,
                return_indices=True,
            )
            if len(common) and len(calls):
                later = clocks.between(sender, receiver)
                arrived = came[:, here] + later
                before = np.where(calls > 0, arrived.max(axis=1)[calls - 1], _NEVER)
                parts = _Sent(receiver, sent[calls][:, there], arrived[calls], before, one.start[calls] + later)
                found.setdefault(sender, []).append(parts)
    return found


_NEVER = np.iinfo(np.int64).min // 2
_MOST_CALLS = 15
"""That are looked at, over the whole job: medians of more are no truer."""


def _calls(slots: Mapping[int, Slots]) -> NDArray[np.intp]:
    """Some calls that are whole on all ranks."""
    whole = np.flatnonzero(np.all([one.whole for one in slots.values()], axis=0)) if slots else np.empty(0, np.intp)
    return whole[:: -(-len(whole) // _MOST_CALLS)] if len(whole) else whole


def _behind_others(own: Sequence[_Sent]) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.int64]]]:
    """Of each part, whether it waited for something else than its way; and what it took after that.

    A port sends one message at a time: what waits behind one that was handed on before it, and is still under way, is
    no longer on its link for that. Where calls follow one another, the first part of a call waits behind the last ones
    of the call before, and for a receiver that is still in that call.
    """
    widths = np.cumsum([one.sent.shape[1] for one in own])[:-1]
    sent, came = np.hstack([one.sent for one in own]), np.hstack([one.came for one in own])
    entered = np.hstack([np.broadcast_to(one.entered[:, None], one.sent.shape) for one in own])
    behind, took = np.zeros(sent.shape, np.bool_), came - sent
    for call in range(len(sent)):
        arrivals = [max(int(one.before[call]) for one in own)]  # of what was handed on before, ascending
        for part in np.argsort(sent[call], kind="stable"):
            begin, end = int(sent[call, part]), int(came[call, part])
            behind[call, part] = max(arrivals[-1], int(entered[call, part])) > begin
            before = bisect_right(arrivals, end)
            if before:
                took[call, part] = end - max(begin, arrivals[before - 1], min(int(entered[call, part]), end))
            insort(arrivals, end)
    return np.split(behind, widths, axis=1), np.split(took, widths, axis=1)


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
