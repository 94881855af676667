"""What else could run calls whose plans no step edits: what `auto` would take, had it seen what the trace has.

Steps of ``trunkline plan edit`` are for one tree. Of two trees and of rounds the bytes decide, which the choice's own
model knows (docs/choice.md). It is asked about the network as it was traced: where all ways of a host are slow, its
link is taken to be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from trunkline import _core
from trunkline.predict import setting_of
from trunkline.trace.analysis import Analysed, Analysis
from trunkline.trace.critical_path import PathStage
from trunkline.trace.slow_hosts import Way, extras

__all__ = ["MOST_OFF", "OtherAlgorithm", "other_algorithm"]

MOST_OFF = 2.0
"""Predicted and measured times that differ by more: then the model does not know what holds the calls up."""


@dataclass(frozen=True)
class OtherAlgorithm:
    """Another algorithm for the calls, instead of a step of ``trunkline plan edit``."""

    words: str
    """The setting: ``TRUNKLINE_ALLREDUCE=two-tree:8192``."""
    gain: float
    """Predicted: time of a call now over then."""
    attacks: PathStage
    """The dearest stage of the critical path."""
    slow: Sequence[str]
    """Hosts whose links were traced to be slower than the cluster file says."""
    file: str
    """The plan that was traced."""

    @property
    def command(self) -> str:
        """To be typed before the job, for the ranks to get."""
        return self.words

    def settings(self, folder: Path) -> dict[str, str]:  # noqa: ARG002 - no plan is written
        """What the ranks must be told."""
        name, _, value = self.words.partition("=")
        return {name: value}


def other_algorithm(analysis: Analysis, one: Analysed, least_gain: float) -> OtherAlgorithm | str:
    """The better algorithm, or why there is none to name.

    Args:
        analysis: Of a job.
        one: Calls of it that a plan of trees or rounds ran, and whose critical path is known.
        least_gain: Predicted; what promises less is not named.
    """
    job, group = analysis.job, one.group
    if job.cluster is None:
        return "the trace has no cluster file, by which other algorithms could be judged"
    plan, ranks, file = job.plans[group.plan]
    assert one.critical is not None
    hosts = job.hosts
    places = {name: place for place, name in enumerate(job.cluster.hosts)}
    if any(hosts.get(rank) not in places for rank in ranks):
        return "the trace lacks some of the plan's ranks, or its cluster file lacks their hosts"
    placement = [places[hosts[rank]] for rank in ranks]
    segment = min(group.bytes, group.segment_bytes or group.bytes)
    slow = _slow_hosts(job.cluster, one.ways, hosts)
    if slow and job.cluster.merged:
        return (
            f"the links of {_core.compress_hostlist(list(slow))} are slow, which cannot be judged where equal-cost "
            "paths make several switches one"
        )
    network = _slowed(job.cluster, slow, _least_message(one, segment)) if slow else job.cluster
    library, _, version = job.headers[0].mpi.partition(" ")
    native = _core.NativeLibrary.openmpi if library.startswith("openmpi") else _core.NativeLibrary.mpich
    knowledge = _core.Knowledge(network, native, library, version)
    now = knowledge.costs_of(placement, plan.plan, group.collective).seconds(group.bytes, segment)
    measured = one.imbalance.inside / 1e6
    if not now / MOST_OFF <= measured <= now * MOST_OFF:
        return (
            f"a call takes {measured * 1e3:.3g} ms where the model says {now * 1e3:.3g}, so the model does not know "
            "what holds it up; the critical path says where that is"
        )
    decider = _core.Decider(knowledge, group.collective, placement, plan.plan.root)
    best = decider.decide(group.bytes, datagrams=False)
    if best.algorithm == "native":
        known = {found.algorithm: found.seconds for found in decider.predictions(group.bytes, datagrams=False)}
        if "native" not in known:
            return "all ranks share one host, and what the library's own call takes there is not known"
        then, words = known["native"], "native"
    else:
        then = decider.seconds_of(best.algorithm, group.bytes, best.segment_bytes)
        words = f"{best.algorithm}:{best.segment_bytes}"
    # Other segments of the same algorithm: their times depend on what messages cost the hosts, which no trace says.
    if now / then < least_gain or best.algorithm == plan.algorithm:
        return ""
    words = f"{setting_of(group.collective)}={words}"
    return OtherAlgorithm(words, now / then, one.critical.stages[0], list(slow), str(file))


def _least_message(one: Analysed, segment: int) -> int:
    """Bytes of the shortest one: a segment of trees; in rounds a rank's block, or a segment of it."""
    return max(1, min(segment, one.group.bytes // len(one.group.ranks)) if one.rounds else segment)


def _slow_hosts(cluster: _core.Cluster, ways: Sequence[Way], hosts: Mapping[int, str]) -> dict[str, float]:
    """What slow hosts add to a way, microseconds."""
    between = [(hosts[way.sender], hosts[way.receiver], way.us) for way in ways]

    def links(a: str, b: str) -> int:
        return len(cluster.path(a, b))

    by_links: dict[int, list[float]] = {}
    for one, other, us in between:
        by_links.setdefault(links(one, other), []).append(us)
    return extras(between, {count: median(us) for count, us in by_links.items()}, links)


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
    return _core.restated(cluster, rates, latencies)
