"""Rates and latencies of links, and injection times of hosts, from what was measured between pairs.

A few pairs tell all others, since many pairs share a link. Cost: one least-squares problem of pairs x links.

- **Latency.** Half a round trip is what any message costs, plus the latencies of the links on the way, plus the time a
  frame's headers take on each. A link's latency is the mean of both directions, which round trips do not tell apart:
  what the file says of their difference stays. The latencies are the ones, not below zero, that come nearest to all
  pairs, as a part of what each took. Where several fit, what all pairs have in common is a message's cost, and no
  link's latency.
- **Rate**, of each direction by itself. No pair is faster than a link on its way. So a link is at least as fast as the
  fastest pair over it. This is its rate where it was the slowest on some way: slower than all links between switches,
  and, if it is one, than hosts' links, too. It is so as well where the stated rate is lower. Else the stated rate
  stands: others were too slow to show more. Directions that are nearly as fast as each other are taken for alike,
  unless the file says that they are not.
- **Injection time.** What a host's short messages cost it beyond the median of all hosts, where that is as much again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.pairs.file import MeasuredPair, Pairs
from trunkline.pairs.least_squares import nonnegative_least_squares

__all__ = ["Fit", "fit_pairs"]

_PULL = 1e-4
"""Of a latency towards zero, beside a pair that takes all of its time there: decides only where pairs do not."""
_AS_FAST = 1.05
"""Links of which the fastest pairs are within this are not told apart."""
_BOTH_WAYS = 1.25
"""Directions of a link that are within this, and that the file says are alike, are so, at the faster one's rate."""
_DIGITS = 3
"""More than is known."""


@dataclass(frozen=True)
class Fit:
    """The cluster as measured.

    Attributes:
        cluster: With what was measured; what no pair shows is as stated.
        message_s: What a message costs besides the way, seconds.
        unseen: Links that no pair crosses.
        errors: Of each pair, in order: the latency that follows from the links, as a part of what was measured, less 1.
    """

    cluster: _core.Cluster
    message_s: float
    unseen: list[int]
    errors: list[float]

    def latency_s(self, a: int, b: int) -> float:
        """Half a round trip of an empty message between two hosts, by their indices, whether measured or not."""
        return self.message_s + _way_s(self.cluster, a, b)


def fit_pairs(cluster: _core.Cluster, pairs: Pairs) -> Fit:
    """The cluster that the pairs show.

    Args:
        cluster: Whose topology was measured; its rates and latencies count where pairs show none.
        pairs: What was measured on it.

    Raises:
        BadInput: where links cannot be told apart.
    """
    if cluster.merged:
        raise BadInput(
            f"{cluster.name} has switches that equal-cost paths make one: pairs do not tell their links apart"
        )
    ways = [_links(cluster, *pair.hosts) for pair in pairs.pairs]
    crossed = sorted({link for way in ways for link in way})
    rates = _rates(cluster, pairs.pairs)
    message_s, latencies = _latencies(cluster, pairs.pairs, ways, crossed, _means(rates))
    restated = _core.restated(cluster, rates, latencies, _injections(cluster, pairs.pairs))
    errors = [(message_s + _way_s(restated, *pair.hosts)) / pair.latency_s - 1 for pair in pairs.pairs]
    unseen = [number for number, link in enumerate(cluster.links) if link.used and number not in crossed]
    return Fit(restated, message_s, unseen, errors)


def _links(cluster: _core.Cluster, a: int, b: int) -> list[int]:
    return [channel // 2 for channel in cluster.path(cluster.hosts[a], cluster.hosts[b])]


def _means(rates: Sequence[float]) -> list[float]:
    """Of each link: at which a byte takes half of what it takes there and back."""
    return [2 / (1 / there + 1 / back) for there, back in zip_equal(rates[::2], rates[1::2])]


def _headers_s(rate_bps: float) -> float:
    return (_core.frame_wire_bytes - _core.frame_payload_bytes) * 8 / rate_bps


def _way_s(cluster: _core.Cluster, a: int, b: int) -> float:
    links = cluster.links
    means = _means([bps for link in links for bps in (link.rate_bps, link.back_rate_bps)])
    return sum(links[one].mean_latency_s + _headers_s(means[one]) for one in _links(cluster, a, b))


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _rates(cluster: _core.Cluster, pairs: Sequence[MeasuredPair]) -> list[float]:
    """Bits a second on the wire, of each channel."""
    of_wire = _core.frame_wire_bytes / _core.frame_payload_bytes
    fastest: dict[int, float] = {}
    ways = []
    for pair in pairs:
        names = [cluster.hosts[host] for host in pair.hosts]
        for bps, ends in zip_equal(pair.bandwidth_bps, (names, names[::-1])):
            if not bps:
                continue
            ways.append(cluster.path(*ends))
            for channel in ways[-1]:
                fastest[channel] = max(fastest.get(channel, 0.0), bps * of_wire)
    hosts = set(cluster.hosts)
    trunks = {number for number, link in enumerate(cluster.links) if link.a not in hosts and link.b not in hosts}

    def is_slowest(channel: int, way: Sequence[int]) -> bool:
        others = [one for one in way if one != channel and (one // 2 in trunks or channel // 2 in trunks)]
        return all(fastest[one] > fastest[channel] * _AS_FAST for one in others)

    shown = {channel for way in ways for channel in way if is_slowest(channel, way)}
    rates = [bps for link in cluster.links for bps in (link.rate_bps, link.back_rate_bps)]
    for channel, bps in fastest.items():
        if channel in shown or bps > rates[channel]:
            rates[channel] = _rounded(bps)
    for there, link in zip_equal(range(0, len(rates), 2), cluster.links):
        both = rates[there : there + 2]
        if link.rate_bps == link.back_rate_bps and max(both) <= _BOTH_WAYS * min(both):
            rates[there : there + 2] = [max(both)] * 2
    return rates


def _latencies(
    cluster: _core.Cluster,
    pairs: Sequence[MeasuredPair],
    ways: Sequence[list[int]],
    crossed: Sequence[int],
    rates: Sequence[float],
) -> tuple[float, list[float]]:
    """What a message costs, and the latency of each link."""
    column = {link: number for number, link in enumerate(crossed, 1)}
    rows = np.zeros((len(pairs) + len(crossed), 1 + len(crossed)))
    wanted = np.zeros(len(rows))
    for number, (pair, way) in enumerate(zip_equal(pairs, ways)):
        share = 1 / pair.latency_s
        rows[number, 0] = share
        for link in way:
            rows[number, column[link]] = share
        wanted[number] = max(0.0, pair.latency_s - sum(_headers_s(rates[link]) for link in way)) * share
    for number, link in enumerate(crossed):
        longest = max(pair.latency_s for pair, way in zip_equal(pairs, ways) if link in way)
        rows[len(pairs) + number, 1 + number] = _PULL / longest
    solution = nonnegative_least_squares(rows, wanted)
    latencies = [link.mean_latency_s for link in cluster.links]
    for link, number in column.items():
        latencies[link] = _rounded(solution[number])
    return float(solution[0]), latencies


def _injections(cluster: _core.Cluster, pairs: Sequence[MeasuredPair]) -> list[float]:
    """Seconds of each host, besides what a message costs the median one."""
    least: dict[int, float] = {}
    for pair in pairs:
        for host, seconds in zip_equal(pair.hosts, pair.injection_s):
            least[host] = min(least.get(host, seconds), seconds)
    usual = median(least.values())
    injections = [cluster.injection_s(host) for host in range(len(cluster.hosts))]
    for host, seconds in least.items():
        more = seconds - usual
        injections[host] = _rounded(more) if more > usual else 0.0
    return injections
