"""What the allreduce paper measured on the hosts of its clusters: the parameters of its simulated runtime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from trunkline_papers.allreduce.wrappers import GATEWAY

__all__ = ["RUNTIMES", "OneAtATime", "Runtime", "runtimes_of"]


class OneAtATime(Enum):
    """What waits for its turn on a host, whatever processors there are."""

    NOTHING = "nothing"
    MESSAGES = "messages"
    KERNEL = "messages, wake-ups and switches"
    """For what-if."""


@dataclass(frozen=True)
class Runtime:
    """Of a host, seconds. Pairs are of a host subtree and of the cluster-root subtree."""

    processors: int
    down_s: float
    """Down latency: a thread comes to a wrapper, and adds its operand."""
    wake_s: tuple[float, float]
    """Of the processor, for each thread that the last arrival wakes before it leaves: the up latency of two."""
    next_s: tuple[float, float]
    """Between departures: a woken thread is switched to, and gets the wrapper's mutex after the one before."""
    core_s: float
    """At the root."""
    handling_s: float
    """Of a processor, for a message that it sends or receives: each of a proxy's four ends."""
    one_at_a_time: OneAtATime = OneAtATime.NOTHING
    varies: bool = False
    """Whether stages vary as table 2 says, for what-if."""
    wide_s: float = 0.0
    """What a wrapper of more than two contributors would take besides. The paper states none: for what-if."""
    source: str = ""


_LINKS_S = 68e-6
"""Of a proxy's latency there and back: two links of 100 Mbit/s and 10 us, a frame of 84 bytes on each."""


def _handling(proxy_s: float) -> float:
    return (proxy_s - _LINKS_S) / 4


_8W = Runtime(
    processors=8,
    down_s=6.5e-6,
    wake_s=(25e-6, 17e-6),
    next_s=(50e-6, 28e-6),
    core_s=11e-6,
    handling_s=_handling(333e-6),
    source="table 2: down latencies 6 and 7 us, up latencies of two contributors 25 and 17 us, a host's departure wait "
    "25 us on the average of two, core 11 us, proxy 333 us; table 3: thread 0 departs last from both levels of the "
    "cluster-root subtree, 104 us in all, so 28 us behind the first",
)


def _slower(by: float, processors: int, handling_s: float, source: str) -> Runtime:
    """Hosts on which all of 8W's but the proxy takes so many times as long."""
    wake, after = _8W.wake_s, _8W.next_s
    return replace(
        _8W,
        processors=processors,
        down_s=_8W.down_s * by,
        wake_s=(wake[0] * by, wake[1] * by),
        next_s=(after[0] * by, after[1] * by),
        core_s=_8W.core_s * by,
        handling_s=handling_s,
        source=source,
    )


_4W = replace(
    _slower(
        1.27,
        4,
        65.3e-6,
        "section 6.2.1, split4W-2: at 1.27 times 8W's the fastest thread takes the stated 339 us, and at 65.3 us an "
        "end two proxies the stated 703; section 6.2: those take 1.55 times what one took in binary4W, so that one "
        "is 453 us there, under load: messages wait for one another (422 us then, and 354 if they do not)",
    ),
    one_at_a_time=OneAtATime.MESSAGES,
)
_NOW = Runtime(
    processors=2,
    down_s=3.5e-6,
    wake_s=(6.25e-6, 4.25e-6),
    next_s=(12.5e-6, 7e-6),
    core_s=6e-6,
    handling_s=_handling(343.7e-6),
    source="table 4: thread 0 passes six wrappers and the core in 27 us without waits; a host's two threads take 16 us "
    "on the average of five, a fourth of 8W's beside the down latency, and so in the cluster-root subtree; six proxies "
    "take 2062 us",
)
_BLADE = _slower(200 / 900, 1, _handling(127e-6), "nothing is stated: 8W's by the clock")

RUNTIMES: Mapping[str, Runtime] = {"8w": _8W, "4w": _4W, "now": _NOW, "blade": _BLADE}
"""By bundled cluster with hosts of one kind."""


def runtimes_of(cluster: str, hosts: set[str]) -> dict[str, Runtime]:
    """By host of one of the paper's clusters; those of ``4w+8w`` differ, and the gateway is as NOW's."""
    if cluster == "4w+8w":
        return {host: _NOW if host == GATEWAY else _4W if host.startswith("v") else _8W for host in hosts}
    return dict.fromkeys(hosts, RUNTIMES[cluster])
