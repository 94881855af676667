"""Gsum as the allreduce paper's own runtime runs it: ranks are threads that combine in memory, the last one goes on.

Threads are written as the paper has them (its figures 2 to 4): a computing thread invokes the wrappers on its path.
The last one to come to a wrapper goes on; with the result it wakes the others one after another, and then leaves; they
follow in the order in which they came. What is on another host is invoked through a proxy, by a service thread there.
All that threads do takes one of their host's processors, which a thread keeps until it waits.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random

from trunkline_papers.allreduce.paper_hosts import OneAtATime, Runtime
from trunkline_papers.allreduce.wrappers import Wrapper

__all__ = ["COUNTED", "WARM_UP", "Ran", "allreduce_seconds", "run_threads"]

WARM_UP = 10
COUNTED = 40
_RATE_BPS, _LATENCY_S = 100e6, 10e-6
"""Of the link of each host."""
_LEAST_FRAME, _FITS = 84, 6
"""Bytes on the wire of an Ethernet frame, and of a message that fits into it behind TCP's headers."""


@dataclass(frozen=True)
class _Work:
    """Takes a processor for so long."""

    seconds: float
    waits_where: frozenset[OneAtATime] = frozenset()
    """On hosts with these it has its turn besides."""


_PROXY_DEVIATION, _WAKE_DEVIATION = 12 / 66.25, 7 / 25
"""Of table 2, over the mean: of an end of a proxy, whose four make 24 us, and of an up latency."""
_DOWN_MEDIAN, _DOWN_LATE, _DOWN_DELAY = 5 / 6, 1 / 162, 162 / 6
"""Of table 2's down latency, over its mean of 6 us: 5 us, and one in 162 is 162 us later; that deviates by 18 us."""
_SEED = 1

_ONLY_IN_KERNEL = frozenset({OneAtATime.KERNEL})
_OF_MESSAGES = frozenset({OneAtATime.MESSAGES, OneAtATime.KERNEL})

_Doing = Generator[_Work | None, None, None]
"""What a thread does next; None: it waits until it is woken."""


@dataclass(eq=False)
class _Thread:
    host: _Host
    doing: _Doing
    has_processor: bool = False


@dataclass(eq=False)
class _Host:
    runtime: Runtime
    idle: int
    ready: deque[tuple[_Thread, _Work]] = field(default_factory=deque)
    """Threads that want a processor, first come first served."""
    has_turn: bool = False
    """Whether a thread has it."""
    to_turn: deque[tuple[_Thread, _Work]] = field(default_factory=deque)
    """Threads with a processor that want it."""
    sends_at: float = 0.0
    hears_at: float = 0.0


@dataclass(frozen=True)
class Ran:
    """What came out: the mean time of an allreduce, and when threads were where, by contributor or wrapper and call."""

    seconds: float
    entered: Mapping[tuple[Wrapper, int], float]
    """A contributor came to its wrapper."""
    left: Mapping[tuple[Wrapper, int], float]
    """It left with the result."""
    went_on: Mapping[tuple[Wrapper, int], float]
    """The last arrival at a wrapper went on."""
    came_back: Mapping[tuple[Wrapper, int], float]
    """With the result."""
    called: Mapping[tuple[Wrapper, int], tuple[float, float]]
    """A proxy, of a contributor on another host than its wrapper: when it was invoked, and when it returned."""


class _Run:
    """Threads that call allreduce after allreduce."""

    def __init__(self, root: Wrapper, runtimes: Mapping[str, Runtime], message_bytes: int, counted: int) -> None:
        self._calls = WARM_UP + counted
        self._random = Random(_SEED)
        self._frame_s = (_LEAST_FRAME + max(0, message_bytes - _FITS)) * 8 / _RATE_BPS
        self._hosts = {name: _Host(one, one.processors) for name, one in runtimes.items()}
        self._root = root
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._current: _Thread | None = None
        self._waiting: dict[tuple[Wrapper, int], deque[_Thread]] = {}
        """At a wrapper, in the order in which they came."""
        self._ended: dict[int, float] = {}
        self._entered: dict[tuple[Wrapper, int], float] = {}
        self._left: dict[tuple[Wrapper, int], float] = {}
        self._went_on: dict[tuple[Wrapper, int], float] = {}
        self._came_back: dict[tuple[Wrapper, int], float] = {}
        self._called: dict[tuple[Wrapper, int], tuple[float, float]] = {}

    def ran(self) -> Ran:
        for leaf in self._root.threads():
            self._start(leaf.host, self._computing(leaf))
        while self._events:
            self._now, _, happens = heapq.heappop(self._events)
            happens()
        seconds = (self._ended[self._calls - 1] - self._ended[WARM_UP - 1]) / (self._calls - WARM_UP)
        return Ran(seconds, self._entered, self._left, self._went_on, self._came_back, self._called)

    # What threads do.

    def _computing(self, leaf: Wrapper) -> _Doing:
        for call in range(self._calls):
            yield from self._invoke(leaf, call)
            self._ended[call] = self._now  # of the last one, as time goes on

    def _invoke(self, one: Wrapper, call: int) -> _Doing:
        """What is below a contributor on the path: its wrapper, by a proxy where that is elsewhere."""
        wrapper = one.parent
        if wrapper is None:
            yield _Work(self._hosts[one.host].runtime.core_s)
        elif wrapper.host == one.host:
            yield from self._combine(wrapper, one, call)
        else:
            yield from self._proxy(wrapper, one, call)

    def _combine(self, wrapper: Wrapper, one: Wrapper, call: int) -> _Doing:
        """The paper's figure 2."""
        runtime = self._hosts[wrapper.host].runtime
        storey = 0 if wrapper.is_within else 1
        waiting = self._waiting.setdefault((wrapper, call), deque())
        self._entered[one, call] = self._now
        yield _Work(runtime.down_s)
        if len(waiting) + 1 < len(wrapper.contributors):
            waiting.append(self._running)
            yield None
            yield _Work(runtime.next_s[storey], _ONLY_IN_KERNEL)
        else:
            self._went_on[wrapper, call] = self._now
            yield from self._invoke(wrapper, call)
            self._came_back[wrapper, call] = self._now
            wide_s = runtime.wide_s if len(waiting) > 1 else 0.0
            yield _Work(runtime.wake_s[storey] * len(waiting) + wide_s, _ONLY_IN_KERNEL)
        self._left[one, call] = self._now
        if waiting:  # the mutex goes on
            self._wake(waiting.popleft())

    def _proxy(self, wrapper: Wrapper, one: Wrapper, call: int) -> _Doing:
        handling = _Work(self._hosts[one.host].runtime.handling_s, _OF_MESSAGES)
        invoked, client = self._now, self._running
        yield handling
        self._send(
            one.host, wrapper.host, partial(self._start, wrapper.host, self._serving(wrapper, one, call, client))
        )
        yield None
        yield handling
        self._called[one, call] = invoked, self._now

    def _serving(self, wrapper: Wrapper, one: Wrapper, call: int, client: _Thread) -> _Doing:
        handling = _Work(self._hosts[wrapper.host].runtime.handling_s, _OF_MESSAGES)
        yield handling
        yield from self._combine(wrapper, one, call)
        yield handling
        self._send(wrapper.host, one.host, partial(self._wake, client))

    # Processors and links.

    @property
    def _running(self) -> _Thread:
        assert self._current is not None, "a thread is running"
        return self._current

    def _at(self, when: float, happens: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._order), happens))

    def _start(self, host: str, doing: _Doing) -> None:
        self._wake(_Thread(self._hosts[host], doing))

    def _wake(self, thread: _Thread) -> None:
        before, self._current = self._current, thread
        try:
            work = next(thread.doing, None)
        finally:
            self._current = before
        if work is None:
            self._give_up_processor(thread)
        elif thread.has_processor:
            self._work(thread, work)
        elif thread.host.idle:
            thread.host.idle -= 1
            thread.has_processor = True
            self._work(thread, work)
        else:
            thread.host.ready.append((thread, work))

    def _give_up_processor(self, thread: _Thread) -> None:
        host = thread.host
        thread.has_processor = False
        if not host.ready:
            host.idle += 1
            return
        following, work = host.ready.popleft()
        following.has_processor = True
        self._work(following, work)

    def _work(self, thread: _Thread, work: _Work) -> None:
        host = thread.host
        seconds = self._varied(work) if host.runtime.varies else work.seconds
        if host.runtime.one_at_a_time not in work.waits_where:
            self._at(self._now + seconds, partial(self._wake, thread))
        elif host.has_turn:
            host.to_turn.append((thread, work))
        else:
            host.has_turn = True
            self._at(self._now + seconds, partial(self._end_turn, thread))

    def _varied(self, work: _Work) -> float:
        """Of the same mean."""
        if work.seconds == 0.0:
            return 0.0
        if not work.waits_where:
            late = self._random.random() < _DOWN_LATE
            delay = self._random.expovariate(1 / _DOWN_DELAY) if late else 0.0
            return work.seconds * (_DOWN_MEDIAN + delay)
        deviation = _PROXY_DEVIATION if work.waits_where is _OF_MESSAGES else _WAKE_DEVIATION
        shape = 1 / deviation**2
        return work.seconds * self._random.gammavariate(shape, 1 / shape)

    def _end_turn(self, thread: _Thread) -> None:
        host = thread.host
        host.has_turn = False
        if host.to_turn:
            self._work(*host.to_turn.popleft())
        self._wake(thread)

    def _send(self, origin: str, to: str, then: Callable[[], None]) -> None:
        """Store and forward: a port carries one frame after another, on both links."""
        sender, receiver = self._hosts[origin], self._hosts[to]
        sender.sends_at = max(sender.sends_at, self._now) + self._frame_s
        receiver.hears_at = max(receiver.hears_at, sender.sends_at + _LATENCY_S) + self._frame_s
        self._at(receiver.hears_at + _LATENCY_S, then)


def run_threads(root: Wrapper, runtimes: Mapping[str, Runtime], message_bytes: int = 4, counted: int = COUNTED) -> Ran:
    """Threads that call one allreduce after another, along two trees by turns as in Gsum.

    Args:
        root: Of the tree of wrappers.
        runtimes: By host.
        message_bytes: Of the operand.
        counted: Calls behind the first :data:`WARM_UP`.
    """
    return _Run(root, runtimes, message_bytes, counted).ran()


def allreduce_seconds(
    root: Wrapper, runtime: Runtime | Mapping[str, Runtime], message_bytes: int = 4, counted: int = COUNTED
) -> float:
    """The mean time of an allreduce; hosts that are alike may have one runtime."""
    if isinstance(runtime, Runtime):
        runtime = dict.fromkeys(root.hosts(), runtime)
    return run_threads(root, runtime, message_bytes, counted).seconds
