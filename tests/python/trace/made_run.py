"""Traces of a run that never was: a tree whose links and ranks take the times that they are given."""

from collections.abc import Callable, Sequence
from pathlib import Path

from made_trace import ARRIVED, COMPLETE, HANDED_ON, Made, kind_bytes

from trunkline import _core

PLAN = 0x1234


def write_run(
    folder: Path,
    plan: _core.PlanFile,
    cluster: _core.Cluster,
    link_us: Callable[[int, int], float],
    calls: int = 40,
    step_us: Callable[[int], float] = lambda rank: 4.0,
) -> None:
    """Write the traces of an allreduce over the plan's tree, with the plan and the cluster beside them.

    Args:
        folder: Where to.
        plan: Of one tree, with hosts.
        cluster: Its hosts.
        link_us: One way between two ranks.
        calls: How many; each is alike.
        step_us: What it takes a rank to combine an operand, or to send one message.
    """
    [tree] = plan.plan.trees
    hosts = plan.host_of_rank
    events: dict[int, list[tuple[float, int, int]]] = {rank: [] for rank in range(len(hosts))}
    over = dict.fromkeys(events, 0.0)

    def up(rank: int) -> float:
        time = 0.0
        for came, child in sorted((up(child) + link_us(child, rank), child) for child in tree.children[rank]):
            time = max(time, came)
            events[rank].append((time, ARRIVED, child))
            time += step_us(rank)
        if rank != tree.root:
            events[rank].append((time, HANDED_ON, tree.parent[rank]))
        else:
            events[rank].append((time, COMPLETE, 0))
        return time

    def down(rank: int, time: float) -> None:
        if rank != tree.root:
            events[rank].append((time, ARRIVED, tree.parent[rank]))
        for child in tree.children[rank]:
            events[rank].append((time, HANDED_ON, child))
            time += step_us(rank)
            down(child, time + link_us(rank, child))
        over[rank] = time + 1.0

    down(tree.root, up(tree.root))
    period = max(over.values()) + 50.0
    for rank, host in enumerate(hosts):
        made = Made(rank, len(hosts), host, kinds=[kind_bytes(plan=PLAN)])
        for turn in range(calls):
            made.begin(turn * period, turn)
            for time, what, peer in sorted(events[rank], key=lambda event: event[0]):
                made.event(turn * period + time, what, peer)
            made.over(turn * period + over[rank])
        made.write(folder)
    write_beside(folder, plan, cluster, range(len(hosts)))


def write_beside(folder: Path, plan: _core.PlanFile, cluster: _core.Cluster, ranks: Sequence[int]) -> None:
    stem = folder / Made(0, 1).job
    Path(f"{stem}.plan-{PLAN:016x}.yaml").write_text(_core.write_plan(plan))
    Path(f"{stem}.plan-{PLAN:016x}.ranks").write_text("".join(f"{rank}\n" for rank in ranks))
    Path(f"{stem}.cluster.yaml").write_text(_core.write_cluster(cluster))
