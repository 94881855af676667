"""Where the simulated runtime does not reach the allreduce paper's gains: what would have to cost how much for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from trunkline_papers.allreduce.paper_hosts import OneAtATime, Runtime
from trunkline_papers.allreduce.threads import TIMES, Compared, Threads, microseconds

__all__ = ["missing"]


def missing(threads: Threads) -> list[Compared]:
    """Of the cluster; the paper's number is beside ours where hosts that differ make a gain."""
    return list(_OF.get(threads.cluster, _nothing)(threads))


def _nothing(_: Threads) -> Iterator[Compared]:
    yield from ()


def _least(gain: Callable[[float], float], wanted: float, most: float) -> float:
    """The least seconds up to ``most`` for which a gain is found that is wanted; ``most`` where there are none."""
    low, high = 0.0, most
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if gain(middle) >= wanted else (middle, high)
    return high


@dataclass(frozen=True)
class _WhatIf:
    short: str
    where: str
    change: Callable[[Runtime], Runtime]


def _steps_if(threads: Threads, found: _WhatIf, steps: Sequence[tuple[str, str, float]]) -> Iterator[Compared]:
    """Each is a configuration, the one before it, and the paper's gain."""
    for name, other, paper in steps:
        here = threads.over_with(name, other, found.change)
        yield Compared(f"{name} over {other}, {found.short}", found.where, TIMES, paper, here)


_4W_STEPS = (
    ("binary4W", "nary4W", 1.07),
    ("links4W", "binary4W", 1 / 1.49),
    ("split4W", "binary4W", 1.10),
    ("split4W-2", "split4W", 1.05),
)
_NOW_STEPS = (
    ("splitNOW", "quadNOW", 2.44),
    ("binaryNOW", "splitNOW", 1.37),
    ("binaryNOW", "quadNOW", 2.44 * 1.37),
    ("binaryNOW-2", "binaryNOW", 0.90),
)


def _4w(threads: Threads) -> Iterator[Compared]:
    all_wait = "if wake-ups and switches of a host wait for one another as its messages do"
    for found in (
        _WhatIf("all one at a time", all_wait, lambda hosts: replace(hosts, one_at_a_time=OneAtATime.KERNEL)),
        _WhatIf("varied", "if stages vary as table 2 says", lambda hosts: replace(hosts, varies=True)),
    ):
        yield from _steps_if(threads, found, _4W_STEPS)


def _now(threads: Threads) -> Iterator[Compared]:
    wait = (
        "if messages of a host wait for one another as on 4W; an end takes what makes 2062 us of table 4's six proxies"
    )
    for short, where, waiting, end_us in (
        ("messages one at a time", wait, OneAtATime.MESSAGES, 48.1),
        ("all one at a time", f"{wait}; wake-ups and switches wait, too", OneAtATime.KERNEL, 48.4),
    ):
        found = _WhatIf(short, where, partial(replace, one_at_a_time=waiting, handling_s=end_us * 1e-6))
        yield from _steps_if(threads, found, _NOW_STEPS)
    for other, wanted in (("splitNOW", 1.37), ("quadNOW", 3.0), ("quadNOW", 3.34)):

        def gain(seconds: float, other: str = other) -> float:
            return threads.over_with("binaryNOW", other, lambda hosts: replace(hosts, wide_s=seconds))

        what = f"more for a wrapper of over two contributors, for binaryNOW {wanted} over {other}"
        yield microseconds(what, "needed", None, _least(gain, wanted, 1e-3))


def _blade(threads: Threads) -> Iterator[Compared]:
    yield microseconds("down latency", "assumed: 8W's by the clock", None, threads.runtime.down_s)
    for wanted in (1.12, 1.18):

        def gain(seconds: float) -> float:
            return threads.over_with("naryBlade", "binaryBlade", lambda hosts: replace(hosts, down_s=seconds))

        what = f"down latency for naryBlade {wanted} over binaryBlade"
        yield microseconds(what, "needed", None, _least(gain, wanted, 40e-6))


_OF: Mapping[str, Callable[[Threads], Iterator[Compared]]] = {"4w": _4w, "now": _now, "blade": _blade}
