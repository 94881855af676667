"""Traces of a ring that never was: its links, ranks and entries take the times that they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from made_run import PLAN, write_beside
from made_trace import ARRIVED, HANDED_ON, Made, kind_bytes

from trunkline import _core


def ring_of(cluster: _core.Cluster, ranks: int) -> _core.PlanFile:
    """Its plan: one rank on each of the first hosts."""
    plan = _core.PlanFile()
    plan.collective, plan.algorithm = "allreduce", "ring"
    plan.cluster, plan.cluster_fingerprint = cluster.name, cluster.topology_fingerprint
    plan.host_of_rank = list(cluster.hosts[:ranks])
    plan.plan = _core.lay("allreduce", "ring", cluster, list(range(ranks)), 0)
    return plan


def write_ring(
    folder: Path,
    plan: _core.PlanFile,
    cluster: _core.Cluster,
    link_us: Callable[[int, int], float],
    step_us: Callable[[int], float] = lambda rank: 1.0,
    enters_us: Callable[[int], float] = lambda rank: 0.0,
    size: int = 1 << 20,
    calls: int = 12,
    ranks: Sequence[int] | None = None,
) -> float:
    """Write the traces of an allreduce in 2 (P - 1) rounds, each rank to the next one; returns what a call takes, us.

    Args:
        folder: Where to.
        plan: Of the ring, with hosts.
        cluster: Its hosts.
        link_us: One way between two ranks, for which the message keeps the way busy.
        step_us: What it takes a rank to begin to send.
        enters_us: When a rank enters.
        size: Bytes of the message.
        calls: How many; each is alike.
        ranks: That leave a file; None: all.
    """
    hosts, count = plan.host_of_rank, len(plan.plan)
    events: list[list[tuple[float, int, int, int]]] = [[] for _ in range(count)]
    now = [enters_us(rank) for rank in range(count)]
    free = [0.0] * count
    """When the way to a rank has carried what was sent before."""
    for number in range(2 * (count - 1)):
        sent = [now[rank] + step_us(rank) for rank in range(count)]
        for rank in range(count):
            events[rank].append((sent[rank], HANDED_ON, (rank + 1) % count, number))
        for rank in range(count):
            before = (rank - 1) % count
            free[rank] = max(free[rank], sent[before]) + link_us(before, rank)
            now[rank] = max(sent[rank], free[rank])
            events[rank].append((now[rank], ARRIVED, before, number))
    period = max(now) + 100.0
    for rank in range(count):
        if ranks is not None and rank not in ranks:
            continue
        made = Made(rank, count, hosts[rank], kinds=[kind_bytes(plan=PLAN, size=size, segment=size, name="ring")])
        for turn in range(calls):
            made.begin(turn * period + enters_us(rank), turn)
            for time, what, peer, part in events[rank]:
                made.event(turn * period + time, what, peer, part)
            made.over(turn * period + now[rank] + 1.0)
        made.write(folder)
    write_beside(folder, plan, cluster, range(count))
    return max(now) + 1.0
