"""Rates and latencies of links, and injection times of hosts, from what was measured between pairs.

A few pairs tell all others, since many pairs share a link. Cost: one least-squares problem of pairs x links.

- **Latency** (``latencies.py``). Means of both directions follow from half round trips. What differs between directions
  stays as the file says, unless one-way times show something else, by more than what they may be off by.
- **Rate**, of each direction by itself. No pair is faster than a link on its way. So a link is at least as fast as the
  fastest pair over it. This is its rate where it was the slowest on some way: slower than all links between switches,
  and, if it is one, than hosts' links, too. It is so as well where the stated rate is lower. Else the stated rate
  stands: others were too slow to show more. But where a way is faster by these than what was measured over it, links
  between switches on it that no pair showed to be faster have the rate of their fastest pair. Directions that are
  nearly as fast as each other are taken for alike, unless the file says that they are not.
- **Links that stand for several** are as the fastest of these: which one a pair crosses is not known. Where pairs over
  them are far from alike, that is told.
- **Injection time.** What a host's short messages cost it beyond the median of all hosts, where that is as much again.

What a fit leaves open is told to people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.pairs.file import MeasuredPair, Pairs
from trunkline.pairs.latencies import Latencies, fit_latencies, headers_s, mean_rates, more_of_way_s

_AS_FAST = 1.05
"""Links of which the fastest pairs are within this are not told apart."""
_BOTH_WAYS = 1.25
"""Directions of a link that are within this, and that the file says are alike, are so, at the faster one's rate."""
_UNEVEN = 1.5
"""By this factor a pair is slower whose link is not the one that others cross."""
_OF_WIRE = _core.frame_wire_bytes / _core.frame_payload_bytes
_DIGITS = 3
"""More than is known."""


@dataclass(frozen=True)
class Uneven:
    """Pairs that are much slower than others over the same links, of which each stands for several.

    Which of these a pair crosses, a hash in the switches decides, so it is not known which of them is slow.

    Attributes:
        links: One of them, or several, is why; other pairs do not tell.
        rate: The slowest pair has this share of what follows from the fastest.
        latency: The slowest pair takes so many times what follows from all.
    """

    links: list[int]
    rate: float
    latency: float


@dataclass(frozen=True)
class Fit:
    """The cluster as measured.

    Attributes:
        cluster: With what was measured; what no pair shows is as stated.
        message_s: What a message costs besides the way, seconds.
        unseen: Links that no pair crosses.
        errors: Of each pair, in order: the latency that follows from the links, as a part of what was measured, less 1.
        differing: Links of which there and back were measured to differ otherwise than stated: within how many seconds.
        one_way_errors_s: Of each pair, in order: by how much there was measured to take longer than follows from the
            links; None: not known.
        uneven: What equal links side by side that are not equal explain.
    """

    cluster: _core.Cluster
    message_s: float
    unseen: list[int]
    errors: list[float]
    differing: dict[int, float]
    one_way_errors_s: list[float | None]
    uneven: list[Uneven]

    def latency_s(self, a: int, b: int) -> float:
        """Half a round trip of an empty message between two hosts, by their indices, whether measured or not."""
        return self.message_s + _way_s(self.cluster, a, b)

    def more_s(self, a: int, b: int) -> float:
        """By so much it takes longer from one to the other than half a round trip."""
        return _more_s(self.cluster, a, b)


def fit_pairs(cluster: _core.Cluster, pairs: Pairs) -> Fit:
    """The cluster that the pairs show.

    Args:
        cluster: Whose topology was measured; its rates and latencies count where pairs show none.
        pairs: What was measured on it.

    Raises:
        BadInput: where as measured other switches than before would be alike, so that equal-cost paths make them one.
    """
    crossed = {link for pair in pairs.pairs for link in _links(cluster, *pair.hosts)}
    rates = _rates(cluster, pairs.pairs)
    found = fit_latencies(cluster, pairs.pairs, rates)
    latencies_s = [
        seconds
        for number, link in enumerate(cluster.links)
        for seconds in (_ways_s(found, number) if number in crossed else (link.latency_s, link.back_latency_s))
    ]
    try:
        fitted = _core.with_speeds(cluster, rates, latencies_s, _injections(cluster, pairs.pairs))
    except ValueError as fault:
        raise BadInput(str(fault)) from None
    errors = [(found.message_s + _way_s(fitted, *pair.hosts)) / pair.latency_s - 1 for pair in pairs.pairs]
    unseen = [number for number, link in enumerate(cluster.links) if link.used and number not in crossed]
    one_way = [pair.one_way.more_s - _more_s(fitted, *pair.hosts) if pair.one_way else None for pair in pairs.pairs]
    return Fit(fitted, found.message_s, unseen, errors, found.known_s, one_way, _uneven(fitted, pairs.pairs, errors))


def _uneven(cluster: _core.Cluster, pairs: Sequence[MeasuredPair], errors: Sequence[float]) -> list[Uneven]:
    """The fewest that explain all slow pairs, as far as taking the one with most of them first finds these."""
    links = cluster.links
    of_hosts = set(cluster.hosts)
    several = {n for n, link in enumerate(links) if link.width > 1 and not {link.a, link.b} & of_hosts}
    streams = _streams(cluster, pairs)
    fastest = _fastest(streams)
    slow: list[tuple[set[int], float, float]] = []
    for number, way, bps in streams:
        of_rate = bps / min(fastest[one] for one in way)
        of_latency = 1 / (1 + errors[number])
        if of_rate * _UNEVEN < 1 or of_latency > _UNEVEN:
            rate, latency = min(1.0, of_rate), max(1.0, of_latency)
            slow.append((several & {channel // 2 for channel in way}, rate, latency))
    found = []
    while slow := [one for one in slow if one[0]]:
        counts = Counter(link for ways, _, _ in slow for link in ways)
        most = max(counts.values())
        suspects = [link for link, count in sorted(counts.items()) if count == most]
        here = [one for one in slow if one[0] & set(suspects)]
        found.append(Uneven(suspects, min(of for _, of, _ in here), max(of for _, _, of in here)))
        slow = [one for one in slow if not one[0] & set(suspects)]
    return found


def _links(cluster: _core.Cluster, a: int, b: int) -> list[int]:
    return [channel // 2 for channel in cluster.path(cluster.hosts[a], cluster.hosts[b])]


def _way_s(cluster: _core.Cluster, a: int, b: int) -> float:
    links = cluster.links
    means = mean_rates(_channel_rates(links))
    return sum(links[one].mean_latency_s + headers_s(means[one]) for one in _links(cluster, a, b))


def _more_s(cluster: _core.Cluster, a: int, b: int) -> float:
    links = cluster.links
    more_s = [(link.latency_s - link.back_latency_s) / 2 for link in links]
    return more_of_way_s(cluster.path(cluster.hosts[a], cluster.hosts[b]), more_s, _channel_rates(links))


def _channel_rates(links: Sequence[_core.Link]) -> list[float]:
    return [bps for link in links for bps in (link.rate_bps, link.back_rate_bps)]


def _ways_s(found: Latencies, link: int) -> tuple[float, float]:
    """There and back, as the cluster file has them."""
    mean_s, more_s = found.means_s[link], found.more_s[link]
    if link in found.known_s:
        return _rounded(mean_s + more_s), _rounded(mean_s - more_s)
    mean_s = _rounded(mean_s)
    more_s = max(-mean_s, min(mean_s, more_s))
    return mean_s + more_s, mean_s - more_s


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


Stream = tuple[int, list[int], float]
"""Number of the pair, channels, bits a second on the wire."""


def _streams(cluster: _core.Cluster, pairs: Sequence[MeasuredPair]) -> list[Stream]:
    streams = []
    for number, pair in enumerate(pairs):
        names = [cluster.hosts[host] for host in pair.hosts]
        for bps, ends in zip_equal(pair.bandwidth_bps, (names, names[::-1])):
            if bps:
                streams.append((number, cluster.path(*ends), bps * _OF_WIRE))
    return streams


def _fastest(streams: Sequence[Stream]) -> dict[int, float]:
    """Of each channel, over which there is a stream."""
    fastest: dict[int, float] = {}
    for _, way, bps in streams:
        for channel in way:
            fastest[channel] = max(fastest.get(channel, 0.0), bps)
    return fastest


def _rates(cluster: _core.Cluster, pairs: Sequence[MeasuredPair]) -> list[float]:
    """Bits a second on the wire, of each channel."""
    streams = _streams(cluster, pairs)
    ways = [way for _, way, _ in streams]
    fastest = _fastest(streams)
    hosts = set(cluster.hosts)
    trunks = {number for number, link in enumerate(cluster.links) if link.a not in hosts and link.b not in hosts}

    def is_slowest(channel: int, way: Sequence[int]) -> bool:
        others = [one for one in way if one != channel and (one // 2 in trunks or channel // 2 in trunks)]
        return all(fastest[one] > fastest[channel] * _AS_FAST for one in others)

    shown = {channel for way in ways for channel in way if is_slowest(channel, way)}
    rates = _channel_rates(cluster.links)
    for channel, bps in fastest.items():
        if channel in shown or bps > rates[channel]:
            rates[channel] = _rounded(bps)
    for way in ways:
        bps = min(fastest[one] for one in way)
        if min(rates[one] for one in way) > bps * _UNEVEN:
            for one in way:
                if one // 2 in trunks and fastest[one] <= bps * _AS_FAST:
                    rates[one] = _rounded(fastest[one])
    for there, link in zip_equal(range(0, len(rates), 2), cluster.links):
        both = rates[there : there + 2]
        if link.rate_bps == link.back_rate_bps and max(both) <= _BOTH_WAYS * min(both):
            rates[there : there + 2] = [max(both)] * 2
    return rates


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


MOST_NAMED = 8
"""Links, pairs or reasons, of which a command names each."""
_TOLD = 0.9
"""What is nearer to others than this is not why."""


def uneven_lines(fit: Fit) -> list[str]:
    """A line for each of the links side by side over which pairs are not alike."""
    return [_line(fit, one) for one in fit.uneven]


def _line(fit: Fit, uneven: Uneven) -> str:
    links = [fit.cluster.links[link] for link in uneven.links]
    names = [f"{link.a} - {link.b} ({link.width} links)" for link in links[:MOST_NAMED]]
    if len(links) > MOST_NAMED:
        names.append(f"{len(links) - MOST_NAMED} more")
    slow = [f"have {uneven.rate:.2g} of the rate"] if uneven.rate < _TOLD else []
    slow += [f"take {uneven.latency:.2g} times the latency"] if uneven.latency * _TOLD > 1 else []
    return (
        f"not alike: {' or '.join(names)}: some pairs over it {' and '.join(slow)} of others, as if a link of it were "
        "slower; a hash in the switches decides which one a pair crosses, so which one it is does not show, and the "
        "file has all of them as the fastest"
    )
