"""Where the simulated runtime does not reach the allreduce paper's gains: what would have to cost how much for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

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


def _4w(threads: Threads) -> Iterator[Compared]:
    what_if: tuple[tuple[str, str, Callable[[Runtime], Runtime]], ...] = (
        (
            "all one at a time",
            "if wake-ups and switches of a host wait for one another as its messages do",
            lambda hosts: replace(hosts, one_at_a_time=OneAtATime.KERNEL),
        ),
        ("varied", "if stages vary as table 2 says", lambda hosts: replace(hosts, varies=True)),
    )
    steps = (
        ("binary4W", "nary4W", 1.07),
        ("links4W", "binary4W", 1 / 1.49),
        ("split4W", "binary4W", 1.10),
        ("split4W-2", "split4W", 1.05),
    )
    for short, where, change in what_if:
        for name, other, paper in steps:
            here = threads.over_with(name, other, change)
            yield Compared(f"{name} over {other}, {short}", where, TIMES, paper, here)


def _now(threads: Threads) -> Iterator[Compared]:
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
