"""Ways between hosts as weights, from what was measured between pairs: whatever lies between the hosts.

No switch is made up. Each pair that was measured is a way there and a way back; other pairs have none.

- **Injection.** A message keeps its sender for as long as a short one was measured to, and its bytes for as long as
  they take at the rate of the fastest stream that was measured from that host: its port is as fast as that at least.
- **Weight.** Half a round trip less the injection, or by the clocks of both hosts where ways there and back differ by
  more than these may be off; and what a slower stream needs for the bytes beyond that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trunkline import _core
from trunkline.pairs.file import MeasuredPair, Pairs

_BITS = 8
Way = tuple[int, int, float, float, float, float]
"""As ``_core.WeightedNetwork`` takes them."""


def network_of_pairs(name: str, hosts: Sequence[str], pairs: Pairs) -> tuple[_core.WeightedNetwork, int]:
    """What messages between the hosts take, and how many ways have no rate that was measured, which are left out.

    Args:
        name: Of the network.
        hosts: Names by index.
        pairs: What was measured between them.
    """
    streams = [one for pair in pairs.pairs for one in _streams(pair)]
    fastest: dict[int, float] = {}
    for sender, _, _, bps, _ in streams:
        if bps is not None:
            fastest[sender] = max(fastest.get(sender, 0.0), bps)
    ways: list[Way] = [
        (sender, receiver, latency_s, bps / _BITS, message_s, _BITS / fastest[sender])
        for sender, receiver, latency_s, bps, message_s in streams
        if bps is not None
    ]
    return _core.WeightedNetwork(name, list(hosts), ways), len(streams) - len(ways)


def _streams(pair: MeasuredPair) -> Iterator[tuple[int, int, float, float | None, float]]:
    """There and back: sender, receiver, seconds besides the injection, bits a second if known, injection."""
    more_s = 0.0
    if pair.one_way is not None and abs(pair.one_way.more_s) > pair.one_way.error_s:
        more_s = pair.one_way.more_s
    for (sender, receiver), more, bps, message_s in (
        (pair.hosts, more_s, pair.bandwidth_bps[0], pair.injection_s[0]),
        (pair.hosts[::-1], -more_s, pair.bandwidth_bps[1], pair.injection_s[1]),
    ):
        yield sender, receiver, max(0.0, pair.latency_s + more - message_s), bps, message_s
