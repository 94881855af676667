"""The least height of a contention-free tree, by constraint programming: a yardstick for small clusters."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.errors import BadInput

__all__ = ["least_height"]


def least_height(cluster: _core.Cluster, placement: Sequence[int], root: int, k: int, most: int) -> int:
    """The least height of any contention-free tree of degree ``k``.

    Args:
        cluster: the network.
        placement: host index by rank.
        root: the rank that has the message.
        k: most ranks that a rank sends to.
        most: a height that is known to be possible.

    Raises:
        BadInput: where OR-tools is not installed.
    """
    try:
        from ortools.sat.python import cp_model  # a second to load, and only this needs it
    except ImportError as error:
        raise BadInput("the exact search on small clusters needs OR-tools: pip install 'trunkline[optimum]'") from error

    ranks = range(len(placement))
    hosts = cluster.hosts
    model = cp_model.CpModel()
    sends = {(u, v): model.new_bool_var(f"{u}>{v}") for u in ranks for v in ranks if u != v and v != root}
    level = [model.new_int_var(0 if r == root else 1, 0 if r == root else most, f"level {r}") for r in ranks]
    height = model.new_int_var(0, most, "height")
    senders: dict[int, dict[int, list[cp_model.IntVar]]] = {}
    for v in ranks:
        model.add(level[v] <= height)
        if v != root:
            model.add_exactly_one(sends[u, v] for u in ranks if u != v)
    for u in ranks:
        model.add(sum(sends[u, v] for v in ranks if (u, v) in sends) <= k)
    for (u, v), sent in sends.items():
        model.add(level[v] == level[u] + 1).only_enforce_if(sent)
        for channel in cluster.path(hosts[placement[u]], hosts[placement[v]]):
            senders.setdefault(channel, {}).setdefault(u, []).append(sent)
    for channel, by_sender in senders.items():
        uses = []
        for u, sent_through in by_sender.items():
            use = model.new_bool_var(f"{u} uses {channel}")
            model.add_max_equality(use, sent_through)
            uses.append(use)
        model.add_at_most_one(uses)
    model.minimize(height)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same answer every time
    status = solver.solve(model)
    if status != cp_model.OPTIMAL:
        raise RuntimeError(f"the exact search ended with {solver.status_name(status)}")
    return round(solver.objective_value)
