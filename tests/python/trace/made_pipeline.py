"""Traces of a message that never went down a tree in segments: every way and every port carries one at a time."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

from made_run import PLAN, write_beside
from made_trace import ARRIVED, COMPLETE, HANDED_ON, Made, kind_bytes

from trunkline import _core


def write_pipeline(
    folder: Path,
    plan: _core.PlanFile,
    cluster: _core.Cluster,
    size: int,
    segment: int,
    wire_us: Callable[[int, int], float],
    between: Callable[[int, int], Sequence[Hashable]] = lambda a, b: (),
    calls: int = 3,
    queues: bool = False,
    late_us: Callable[[int], float] = lambda _rank: 0.0,
) -> float:
    """Write the traces of calls over the plan's tree, with the plan and the cluster beside; returns what one takes, us.

    Args:
        folder: Where to.
        plan: Of one tree, with hosts; a broadcast or an allreduce.
        cluster: Its hosts.
        size: Bytes of the message.
        segment: Bytes.
        wire_us: How long a segment keeps the ports of two ranks busy.
        between: What else it keeps busy on its way from one rank to another.
        calls: How many; each is alike.
        queues: Ranks hand on what they have at once, and it waits at their ports; else they wait themselves.
        late_us: So late a rank comes to each call: what came before waits for it.
    """
    [tree] = plan.plan.trees
    ranks, parts, goes_up = range(len(plan.plan)), -(-size // segment), plan.collective == "allreduce"
    events: list[list[tuple[float, int, int, int]]] = [[] for _ in ranks]
    free: dict[Hashable, float] = {}
    under_way: list[tuple[float, int, int, int, bool]] = []
    missing = {(rank, part): len(tree.children[rank]) for rank in ranks for part in range(parts)}

    def send(now: float, rank: int, to: int, part: int, is_up: bool) -> None:
        busy = [("out", rank), ("in", to), *between(rank, to)]
        start = max(now, *(free.get(one, 0.0) for one in busy))
        free.update(dict.fromkeys(busy, start + wire_us(rank, to)))
        events[rank].append((now if queues else start, HANDED_ON, to, part))
        heapq.heappush(under_way, (start + wire_us(rank, to), rank, to, part, is_up))

    def go_down(now: float, rank: int, part: int) -> None:
        for child in tree.children[rank]:
            send(now, rank, child, part, False)

    def whole(now: float, rank: int, part: int) -> None:
        if rank != tree.root:
            send(now, rank, tree.parent[rank], part, True)
            return
        events[rank].append((now, COMPLETE, 0, part))
        go_down(now, rank, part)

    for part in range(parts):
        for rank in ranks:
            if goes_up and not tree.children[rank]:
                whole(0.0, rank, part)
        if not goes_up:
            go_down(0.0, tree.root, part)
    over = [0.0 for _ in ranks]
    while under_way:
        now, sender, rank, part, is_up = heapq.heappop(under_way)
        if now < late_us(rank):
            heapq.heappush(under_way, (late_us(rank), sender, rank, part, is_up))
            continue
        events[rank].append((now, ARRIVED, sender, part))
        over[sender], over[rank] = max(over[sender], now), now
        if not is_up:
            go_down(now, rank, part)
            continue
        missing[rank, part] -= 1
        if missing[rank, part] == 0:
            whole(now, rank, part)
    period = max(over) + 100.0
    for rank, host in enumerate(plan.host_of_rank):
        kind = kind_bytes(plan=PLAN, size=size, segment=segment, collective=plan.collective)
        made = Made(rank, len(ranks), host, kinds=[kind])
        for turn in range(calls):
            made.begin(turn * period + late_us(rank), turn)
            for time, what, peer, part in sorted(events[rank], key=lambda event: event[0]):
                made.event(turn * period + time, what, peer, part)
            made.over(turn * period + over[rank] + 1.0)
        made.write(folder)
    write_beside(folder, plan, cluster, ranks)
    return max(over) + 1.0
