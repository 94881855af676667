"""The network of a job as its trace shows it, and what plans would take there: times as ``trunkline predict`` has them.

Where all ways of a host are slow, its link is taken to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from trunkline import _core
from trunkline.accuracy import accuracy_over
from trunkline.trace.analysis import Analysed, Analysis
from trunkline.trace.slow_hosts import Way, extras
from trunkline.units import format_seconds

MOST_OFF = 2.0
"""Predicted and measured times that differ by more: then the model does not know what holds the calls up."""


@dataclass(frozen=True)
class AsTraced:
    """What is known of the calls of one group, and of where they ran."""

    knowledge: _core.Knowledge
    placement: Sequence[int]
    """Host index by rank of the plan."""
    collective: str
    bytes: int
    now: float
    """Predicted seconds of a call as it ran."""
    slow: Sequence[str]
    """Hosts whose links were traced to be slower than the cluster file says."""
    accuracy: _core.Accuracy
    """Of predictions there."""

    def seconds_of(self, plan: _core.Plan, segment: int | None) -> float:
        """What a call would take by another plan.

        Args:
            plan: Over the same ranks.
            segment: Bytes, where its file fixes them; None: chosen for the message, as the ranks would.
        """
        costs = self.knowledge.costs_of(self.placement, plan, self.collective)
        chosen = costs.best_segment(self.bytes) if segment is None else segment
        return costs.seconds(self.bytes, min(chosen, self.bytes))


def as_traced(analysis: Analysis, analysed: Analysed) -> AsTraced | str:
    """The network on which calls ran, or why nothing can be predicted there.

    Args:
        analysis: Of a job.
        analysed: Calls of it that a plan of trees or rounds ran.
    """
    job, group = analysis.job, analysed.group
    if job.cluster is None:
        return "the trace has no cluster file, by which they could be judged"
    plan, ranks, _ = job.plans[group.plan]
    hosts = job.hosts
    places = {name: place for place, name in enumerate(job.cluster.hosts)}
    if any(hosts.get(rank) not in places for rank in ranks):
        return "the trace lacks some of the plan's ranks, or its cluster file lacks their hosts"
    placement = [places[hosts[rank]] for rank in ranks]
    segment = min(group.bytes, group.segment_bytes or group.bytes)
    slow = _slow_hosts(job.cluster, analysed.ways, hosts)
    if slow and job.cluster.merged:
        return (
            f"the links of {_core.compress_hostlist(list(slow))} are slow, which cannot be judged where equal-cost "
            "paths make several switches one"
        )
    network = _slowed(job.cluster, slow, _least_message(analysed, segment)) if slow else job.cluster
    library, _, version = job.headers[0].mpi.partition(" ")
    native = _core.NativeLibrary.openmpi if library.startswith("openmpi") else _core.NativeLibrary.mpich
    knowledge = _core.Knowledge(network, native, library, version)
    accuracy = accuracy_over(network, native, max(Counter(placement).values()))
    now = knowledge.costs_of(placement, plan.plan, group.collective).seconds(group.bytes, segment)
    measured = analysed.imbalance.inside / 1e6
    if not now / MOST_OFF <= measured <= now * MOST_OFF:
        return (
            f"a call takes {format_seconds(measured)} where the model says {format_seconds(now)}, so the model does "
            "not know what holds it up; the critical path says where that is"
        )
    return AsTraced(knowledge, placement, group.collective, group.bytes, now, list(slow), accuracy)


def _least_message(analysed: Analysed, segment: int) -> int:
    """Bytes of the shortest one: a segment of trees; in rounds a rank's block, or a segment of it."""
    return max(1, min(segment, analysed.group.bytes // len(analysed.group.ranks)) if analysed.rounds else segment)


def _slow_hosts(cluster: _core.Cluster, ways: Sequence[Way], hosts: Mapping[int, str]) -> dict[str, float]:
    """What slow hosts add to a way, microseconds.

    Typical is what ways take that were free: what waited at its sender's port says nothing of a whole way.
    """
    between = [(hosts[way.sender], hosts[way.receiver], way.us) for way in ways]

    def links(a: str, b: str) -> int:
        return len(cluster.path(a, b))

    by_links: dict[int, list[Way]] = {}
    for way in ways:
        by_links.setdefault(links(hosts[way.sender], hosts[way.receiver]), []).append(way)
    typical = {count: median([way.us for way in _free(alike)]) for count, alike in by_links.items()}
    return extras(between, typical, links)


def _free(ways: Sequence[Way]) -> Sequence[Way]:
    """Those of which parts were on their way alone; all where there are none."""
    return [way for way in ways if not way.queued] or ways


def _slowed(cluster: _core.Cluster, slow: Mapping[str, float], message: int) -> _core.Cluster:
    """The cluster in which a message takes so many microseconds more over the links of these hosts.

    Where a link's bytes take longer than its latency, its rate is taken to be lower, else its latency to be higher.
    """
    rates = [bps for link in cluster.links for bps in (link.rate_bps, link.back_rate_bps)]
    latencies = [link.mean_latency_s for link in cluster.links]
    for number, link in enumerate(cluster.links):
        more = next((slow[end] for end in (link.a, link.b) if end in slow), 0.0) / 1e6
        for way in (2 * number, 2 * number + 1):
            wire = 8 * message / rates[way]
            if wire >= latencies[number]:
                rates[way] = 8 * message / (wire + more)
        if 8 * message / link.rate_bps < latencies[number]:
            latencies[number] += more
    return _core.with_speeds(cluster, rates, latencies)
