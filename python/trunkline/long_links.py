"""Links between sites: the same cluster with others, and ranks that are dealt over sites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.placement import placement_on


@dataclass(frozen=True)
class LongLinks:
    """What a cluster's long links are, those that its spanning tree uses."""

    least_bps: float
    most_bps: float
    least_s: float
    most_s: float
    """Latency, in the mean of both directions."""


def long_links_of(cluster: _core.Cluster) -> LongLinks | None:
    """None where no long link divides the cluster into sites."""
    long = [link for link, is_long in zip_equal(cluster.links, _core.long_links(cluster)) if is_long and link.in_tree]
    if not cluster.has_sites or not long:
        return None
    return LongLinks(
        least_bps=min(min(link.rate_bps, link.back_rate_bps) for link in long),
        most_bps=max(max(link.rate_bps, link.back_rate_bps) for link in long),
        least_s=min(link.mean_latency_s for link in long),
        most_s=max(link.mean_latency_s for link in long),
    )


def with_long_links(cluster: _core.Cluster, fastest_bps: float | None, longest_s: float | None) -> _core.Cluster:
    """The cluster with other long links; all others stay.

    Args:
        cluster: One with sites.
        fastest_bps: Bits per second of the fastest long link, others in proportion; None: they stay.
        longest_s: Latency of the longest one, others in proportion; None: they stay.

    Raises:
        BadInput: where the cluster has no sites, or equal-cost paths would make other switches one.
    """
    if fastest_bps is None and longest_s is None:
        return cluster
    now = long_links_of(cluster)
    if now is None:
        raise BadInput(f"{cluster.name} has no long links: --long-rate and --long-latency are those between sites")
    faster = 1.0 if fastest_bps is None else fastest_bps / now.most_bps
    longer = 1.0 if longest_s is None else longest_s / now.most_s
    long = _core.long_links(cluster)
    rates = [
        rate * (faster if is_long else 1.0)
        for link, is_long in zip_equal(cluster.links, long)
        for rate in (link.rate_bps, link.back_rate_bps)
    ]
    latencies = [link.mean_latency_s * (longer if is_long else 1.0) for link, is_long in zip_equal(cluster.links, long)]
    try:
        return _core.with_speeds(cluster, rates, latencies)
    except ValueError as error:
        raise BadInput(f"{cluster.name}: --long-rate and --long-latency: {error}") from None


def seats(cluster: _core.Cluster, ranks_per_host: int, hosts: int | None = None, *, dealt: bool = False) -> list[int]:
    """The host of each rank of a job on the lab, a host's ranks together, on the cluster's first hosts or on all.

    Where ``dealt``, hosts go in turn over the sites, as cards are dealt.

    Raises:
        BadInput: as :func:`trunkline.placement.placement_on` does, and where there are no sites to deal hosts over.
    """
    if not dealt:
        return placement_on(cluster, ranks_per_host, hosts)
    return [host for host in dealt_placement(cluster, placement_on(cluster, 1, hosts)) for _ in range(ranks_per_host)]


def dealt_placement(cluster: _core.Cluster, placement: Sequence[int]) -> list[int]:
    """The host of each rank where ranks are dealt over the sites as a deck of cards is.

    One rank after another goes to the next site, and there to the next host. Hosts get as many ranks as they have.

    Args:
        cluster: One with sites.
        placement: The host of each rank, as they would stand by themselves.

    Raises:
        BadInput: where there are no sites.
    """
    if not cluster.has_sites:
        raise BadInput(f"{cluster.name} has no sites that --dealt could deal ranks over")
    site_of = _core.sites_of_hosts(cluster)
    turns = Counter[int]()
    by_site: dict[int, list[tuple[int, int]]] = {}
    for host in placement:
        by_site.setdefault(site_of[host], []).append((turns[host], host))
        turns[host] += 1
    # A host's second rank comes after the first ones of all hosts of its site.
    hosts = [[host for _, host in sorted(ranks, key=lambda one: one[0])] for ranks in by_site.values()]
    return [host for dealt in zip_longest(*hosts) for host in dealt if host is not None]
