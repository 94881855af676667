"""A search over hierarchical plans by measured times: shapes of both storeys, roots, splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from trunkline import _core
from trunkline.hierarchy import Hierarchy, hierarchical_plan
from trunkline.planned import Planned
from trunkline.statistics import Median, median_with_interval

__all__ = ["fastest_of", "initial_hierarchy", "plans_worth_trying"]

FAN_INS = (0, 4, 2)
"""Flat, quad, binary."""
SPLITS = (0, 1, None)
"""Levels on other hosts than the root's: none, the highest, all."""
LEFT_OVER = 3
"""Candidates that are measured to the end."""


def initial_hierarchy(cluster: _core.Cluster) -> Hierarchy:
    """What the paper starts from: flat on both storeys, and on its 30 hosts a quad tree."""
    fan_in = 4 if len(cluster.hosts) >= 30 else 0
    return Hierarchy(fan_in, fan_in, 0)


def plans_worth_trying(cluster: _core.Cluster, collective: str, placement: Sequence[int]) -> dict[str, Planned]:
    """Different hierarchical trees by name, from one host of each switch: hosts of a switch are alike."""
    switches: dict[str, int] = {}
    for rank, host in enumerate(placement):
        switches.setdefault(cluster.switch_of(host), rank)
    found: dict[str, Planned] = {}
    seen = set()
    for root in switches.values():
        for host_fan_in in FAN_INS:
            for root_fan_in in FAN_INS:
                for split in SPLITS:
                    shape = Hierarchy(host_fan_in, root_fan_in, split)
                    planned = hierarchical_plan(cluster, collective, shape, placement, root)
                    tree = _core.write_plan(planned.file).partition("root:")[2]
                    if tree not in seen:
                        seen.add(tree)
                        where = f" on {cluster.hosts[placement[root]]}" if len(switches) > 1 else ""
                        found[shape.text + where] = planned
    return found


def fastest_of(
    names: Sequence[str],
    sizes: Sequence[int],
    measure: Callable[[str], Mapping[int, float]],
    passes: int = 4,
    on_left: Callable[[int], None] = lambda _: None,
    initial: str | None = None,
) -> dict[int, str]:
    """The fastest of several by size, by halving: in each pass all that are left are measured once, in turns.

    After a pass those stay that are in the better half at any size, by the median of what was measured so far.

    Args:
        names: The candidates.
        sizes: Bytes.
        measure: Seconds by size, of one run of a candidate.
        passes: How often the last ones are measured.
        on_left: Told how many are measured in the next pass.
        initial: The candidate that stays the choice unless another one is faster beyond doubt: their intervals do not
            overlap. It is measured to the end.
    """
    times: dict[str, list[Mapping[int, float]]] = {name: [] for name in names}
    left = list(names)

    def ranked(size: int) -> list[str]:
        return sorted(left, key=lambda name: median(one[size] for one in times[name]))

    for _ in range(passes):
        on_left(len(left))
        for name in left:
            times[name].append(measure(name))
        keep = max(LEFT_OVER, (len(left) + 1) // 2)
        good = {name for size in sizes for name in ranked(size)[:keep]}
        left = [name for name in left if name in good or name == initial]

    def interval(name: str, size: int) -> Median:
        return median_with_interval([one[size] for one in times[name]])

    def chosen(size: int) -> str:
        first = ranked(size)[0]
        if initial is None or not interval(first, size).may_equal(interval(initial, size)):
            return first
        return initial

    return {size: chosen(size) for size in sizes}
