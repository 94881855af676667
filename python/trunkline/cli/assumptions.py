"""What predicted and simulated times rest on, in the words that stand in titles."""

from __future__ import annotations

from collections.abc import Iterable

from trunkline import _core
from trunkline.accuracy import library_words, own_words
from trunkline.cluster import load_cluster
from trunkline.terminal import tell
from trunkline.units import format_rate, parse_rate


def rate_words(cluster: _core.Cluster) -> str:
    """The rates of hosts' links and of trunks: one where all are alike; links side by side count together."""
    switches = set(cluster.switches)
    hosts: list[float] = []
    trunks: list[float] = []
    for link in cluster.links:
        (trunks if {link.a, link.b} <= switches else hosts).extend(
            (link.width * link.rate_bps, link.width * link.back_rate_bps)
        )
    if not trunks or set(trunks) == set(hosts):
        return f"hosts{' and trunks' if trunks else ''} {_range(hosts)}"
    return f"hosts {_range(hosts)}, trunks {_range(trunks)}"


def tell_rate(cluster: _core.Cluster, rate_bps: float | None) -> None:
    """Say what a rate of the fastest link makes of the hosts' links, where those are others."""
    if rate_bps is None:
        return
    scaled = _core.scaled(cluster, rate_bps)
    words = rate_words(scaled)
    if ", trunks " in words:
        tell(f"--rate {format_rate(rate_bps)} is that of the fastest link, others keep their proportions: {words}")


def scaled_cluster(cluster: str, rate: str | None) -> _core.Cluster:
    """A cluster by name or file, its fastest link at that rate if one is given."""
    network = load_cluster(cluster)
    if rate is not None:
        tell_rate(network, parse_rate(rate))
        network = _core.scaled(network, parse_rate(rate))
    return network


def _range(rates: Iterable[float]) -> str:
    low, high = format_rate(min(rates)), format_rate(max(rates))
    return low if low == high else f"{low} to {high}"


def host_words(host_costs: str) -> str:
    """What messages cost their hosts."""
    if host_costs == "free":
        return "messages cost hosts nothing"
    return f"messages cost hosts what was measured under {host_costs}"


def accuracy_line(found: _core.Accuracy, library: str, *, measured: bool) -> str:
    """The line below predicted times."""
    words = f"{own_words(found)}; {library_words(found, library)} ({_core.source_of_accuracy})"
    if measured:
        words = "how far off predictions from measured tables are: docs/results/model.md"
    return f"[dim]Times: {words}.[/]"
