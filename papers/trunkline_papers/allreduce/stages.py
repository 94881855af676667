"""Where threads of the simulated paper's runtime spend an allreduce: the sums of its tables 2 to 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trunkline_papers.allreduce.paper_runtime import COUNTED, WARM_UP, Ran
from trunkline_papers.allreduce.wrappers import Wrapper

__all__ = ["Level", "Path", "departures", "path_of", "turns_kept"]

_CALLS = range(WARM_UP, WARM_UP + COUNTED - 1)


@dataclass(frozen=True)
class Level:
    """A wrapper on a thread's path, seconds, means over calls."""

    wrapper: Wrapper
    arrival_wait: float
    """Until the last arrival."""
    down: float
    """Until that one went on."""
    up: float
    """From the result until the first departure."""
    departure_wait: float
    """Until the thread's own."""
    proxy: float
    """There and back; 0: the wrapper is on the contributor's host."""


@dataclass(frozen=True)
class Path:
    """Of one thread, from itself to the root."""

    levels: Sequence[Level]
    core: float

    def subtree(self, *, within: bool) -> float:
        """Host subtree or cluster-root subtree, without arrival waits."""
        return sum(one.down + one.up + one.departure_wait for one in self.levels if one.wrapper.is_within == within)

    @property
    def proxies(self) -> float:
        """All of them."""
        return sum(one.proxy for one in self.levels)

    @property
    def proxy_count(self) -> int:
        """How many."""
        return sum(one.proxy > 0 for one in self.levels)

    @property
    def down(self) -> float:
        """The down path without arrival waits: half of the proxies, and the core, as the paper counts it."""
        return sum(one.down for one in self.levels) + self.proxies / 2 + self.core

    @property
    def up(self) -> float:
        """The up path."""
        return sum(one.up + one.departure_wait for one in self.levels) + self.proxies / 2

    @property
    def total(self) -> float:
        """Without arrival waits."""
        return self.down + self.up

    @property
    def with_waits(self) -> float:
        """With them."""
        return self.total + sum(one.arrival_wait for one in self.levels)


def path_of(ran: Ran, thread: Wrapper, core: float) -> Path:
    """What a thread's path took on the average."""
    levels = []
    one = thread
    while one.parent is not None:
        levels.append(_level(ran, one, one.parent))
        one = one.parent
    return Path(levels, core)


def _level(ran: Ran, one: Wrapper, wrapper: Wrapper) -> Level:
    def mean(of: Callable[[int], float]) -> float:
        return sum(map(of, _CALLS)) / len(_CALLS)

    def last_came(call: int) -> float:
        return max(ran.entered[part, call] for part in wrapper.contributors)

    def first_left(call: int) -> float:
        return min(ran.left[part, call] for part in wrapper.contributors)

    def proxy(call: int) -> float:
        invoked, returned = ran.called[one, call]
        return returned - invoked - (ran.left[one, call] - ran.entered[one, call])

    return Level(
        wrapper,
        arrival_wait=mean(lambda call: last_came(call) - ran.entered[one, call]),
        down=mean(lambda call: ran.went_on[wrapper, call] - last_came(call)),
        up=mean(lambda call: first_left(call) - ran.came_back[wrapper, call]),
        departure_wait=mean(lambda call: ran.left[one, call] - first_left(call)),
        proxy=mean(proxy) if wrapper.host != one.host else 0.0,
    )


def departures(ran: Ran, subtree: Wrapper) -> tuple[float, float]:
    """Of a host subtree or a part of the cluster-root subtree: until its first thread or part left, and its last one.

    Counted from when the result came to its bottom wrapper.
    """
    parts = [one for one in subtree.threads() if one.host == subtree.host] if subtree.is_within else _tops(subtree)
    left = [[ran.left[one, call] - ran.came_back[subtree, call] for one in parts] for call in _CALLS]
    return sum(map(min, left)) / len(left), sum(map(max, left)) / len(left)


def _tops(subtree: Wrapper) -> list[Wrapper]:
    """What contributes to the wrappers of a part of the cluster-root subtree that are on its host."""
    found: list[Wrapper] = []
    for one in subtree.contributors:
        found += _tops(one) if one.host == subtree.host and not one.is_within else [one]
    return found


def turns_kept(ran: Ran, wrapper: Wrapper) -> tuple[float, float]:
    """How often the last arrival departs first, and the first one second: shares of calls, table 1's corners."""
    last_first = first_second = 0
    for call in _CALLS:
        came = sorted(wrapper.contributors, key=lambda one: ran.entered[one, call])
        left = sorted(wrapper.contributors, key=lambda one: ran.left[one, call])
        last_first += came[-1] is left[0]
        first_second += came[0] is left[1]
    return last_first / len(_CALLS), first_second / len(_CALLS)
