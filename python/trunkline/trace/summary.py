"""What a trace says first, in three lines: where the time went, who was late, and which link was slow or busiest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from trunkline import _core
from trunkline.trace.analysis import Analysed, Analysis
from trunkline.trace.calls import Group
from trunkline.trace.words import call_text, path_stage_text
from trunkline.units import format_bytes, format_rate, format_seconds

_SLOW = 2.0
"""A way is slow that takes this times what the quicker ways take, for what the cluster file says of both."""
_LATE = 0.1
"""Part of the time in calls below which waiting is no matter."""


def summary_lines(analysis: Analysis) -> list[str]:
    """Of the calls that take most time; the analysis has some."""
    one = analysis.groups[0]
    return [f"time: {_time(analysis, one)}", f"late: {_late(analysis, one)}", f"link: {_link(analysis, one)}"]


def _time(analysis: Analysis, one: Analysed) -> str:
    spent = {id(group): group.time.mean * group.counted * len(group.group.ranks) for group in analysis.groups}
    part = spent[id(one)] / (sum(spent.values()) or 1.0)
    if not one.group.is_blocking:
        return (
            f"no call that blocks is in the trace; {call_text(one)} by {one.group.algorithm} is {part:.0%} of what was "
            f"under way, {_words(one.time.mean)} a call and rank, hidden or not"
        )
    waiting = min(1.0, one.imbalance.waiting / (one.imbalance.in_call or 1.0))
    return (
        f"{call_text(one)} by {one.group.algorithm} takes {part:.0%} of what was traced, {_words(one.time.mean)} a "
        f"call and rank; {waiting:.0%} of it is waiting for the last rank to come, {1 - waiting:.0%} the collective "
        "itself"
    )


def _late(analysis: Analysis, one: Analysed) -> str:
    found = one.imbalance
    if found.waiting <= max(found.clock_error, _LATE * found.in_call):
        return f"no rank to speak of: a rank waits {_words(found.waiting)} a call for the last one"
    rank, part = found.late_ranks[0]
    why = {
        "program": "; the program between the calls makes it late",
        "calls before": "; it leaves the calls before late",
    }.get(found.reason, "")
    return (
        f"rank {rank} ({analysis.job.shown_hosts[rank]}) comes last in {part:.0%} of the calls; the others wait "
        f"{_words(found.waiting)} a call{why}"
    )


def _link(analysis: Analysis, one: Analysed) -> str:
    """One that is slow; else by the bytes that a plan of trees sends over each, or what was on the critical path."""
    if slow := _slow(analysis, one):
        return slow
    busiest = _busiest(analysis, one)
    if busiest is not None:
        name, count, rate = busiest
        busy = 8 * count / rate * 1e6
        part = min(1.0, busy / (one.imbalance.inside or busy))
        return (
            f"{name} carries most, {format_bytes(count)} a call: at {format_rate(rate)} that takes {_words(busy)}, "
            f"{part:.0%} of a call from the last entry on"
        )
    if one.critical is not None:
        ways = [stage for stage in one.critical.stages if stage.sender is not None]
        if ways:
            return f"most of the critical path, {ways[0].share:.0%}, is the {path_stage_text(analysis, ways[0])}"
    return (
        f"not known: {'the MPI library ran the calls' if one.group.is_native else 'no plan of trees is in the trace'}"
    )


def _slow(analysis: Analysis, one: Analysed) -> str:
    """Of a link all of whose ways are slow beside what the cluster file says: in words; empty: there is none."""
    cluster, hosts = analysis.job.cluster, analysis.job.hosts
    if cluster is None or cluster.merged or any(hosts.get(rank) not in cluster.hosts for rank in one.group.ranks):
        return ""
    paths = {way: cluster.path(hosts[way.sender], hosts[way.receiver]) for way in one.ways}
    stated = {way: _stated_us(cluster, path, one.group) for way, path in paths.items()}
    usual = sorted(way.us / stated[way] for way in paths if not way.queued)
    if not usual:
        return ""
    most_us = {way: _SLOW * usual[len(usual) // 4] * stated[way] for way in paths}
    slow = {way for way in paths if way.us > most_us[way]}
    over: Counter[int] = Counter(channel for way in slow for channel in paths[way])
    for way in paths.keys() - slow:
        for channel in paths[way]:
            over.pop(channel, None)
    if not over:
        return ""
    most = max(over.values())
    blamed = {channel for channel, ways in over.items() if ways == most}
    worst = max((way for way in slow if blamed & set(paths[way])), key=lambda way: way.us)
    names = [cluster.channel_name(one).replace("->", " to ") for one in paths[worst] if one in blamed]
    return (
        f"{' or '.join(names)} is slow: from {hosts[worst.sender]} to {hosts[worst.receiver]} a part takes "
        f"{_words(worst.us)}, where by the other links it would take {_words(most_us[worst] / _SLOW)}"
    )


def _stated_us(cluster: _core.Cluster, path: Sequence[int], group: Group) -> float:
    """What a part takes over these channels by the cluster file; switches store its first frame."""
    part = min(group.bytes, group.segment_bytes or group.bytes)
    frame = min(part, _core.frame_payload_bytes)
    byte_s = sorted(8 / cluster.channel_bps(channel) for channel in path)
    latency_s = sum(cluster.links[channel // 2].mean_latency_s for channel in path)
    return 1e6 * (latency_s + part * byte_s[-1] + frame * sum(byte_s[:-1]))


def _busiest(analysis: Analysis, one: Analysed) -> tuple[str, int, float] | None:
    """Name, bytes and bits per second of the way over a link that is busy for longest; None: it is not known."""
    job, group = analysis.job, one.group
    if job.cluster is None or group.plan not in job.plans or group.bytes >= 1 << 63:
        return None
    plan, ranks, _ = job.plans[group.plan]
    trees = plan.plan.trees or []
    if not trees or _core.facts_of(group.collective).goes_by_shares:
        return None
    hosts = job.hosts
    if any(hosts.get(rank) not in job.cluster.hosts for rank in ranks):
        return None
    load: Counter[int] = Counter()
    for sender, receiver in _edges(plan.plan, group.collective):
        ends = hosts[ranks[sender]], hosts[ranks[receiver]]
        if ends[0] != ends[1]:
            load.update(job.cluster.path(*ends))
    if not load:
        return None
    bps = job.cluster.channel_bps
    channel = max(load, key=lambda one: load[one] / bps(one))
    return (
        job.cluster.channel_name(channel).replace("->", " to "),
        load[channel] * group.bytes // len(trees),
        bps(channel),
    )


def _edges(plan: _core.Plan, collective: str) -> Iterator[tuple[int, int]]:
    """Sender and receiver of each transfer: down from the root, up to it, or both."""
    way = _core.facts_of(collective).direction
    for tree in plan.trees or []:
        pairs = [(parent, rank) for rank, parent in enumerate(tree.parent) if parent is not None]
        if way is not _core.Direction.up:
            yield from pairs
        if way is not _core.Direction.down:
            yield from ((rank, parent) for parent, rank in pairs)


def _words(us: float) -> str:
    return format_seconds(us / 1e6)
