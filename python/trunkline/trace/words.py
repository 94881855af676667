"""What was found out, in words: for the terminal and the page alike."""

from __future__ import annotations

from typing import NamedTuple

from trunkline import _core
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.critical_path import CriticalPath, PathStage
from trunkline.trace.metrics import order_pairs
from trunkline.trace.other_algorithms import OtherAlgorithm
from trunkline.trace.stages import Cost, Stage
from trunkline.trace.suggest import AnyStep
from trunkline.units import format_bytes, format_seconds

_REASONS = {
    "inside": "the time goes into the collective itself",
    "program": "ranks wait for others of the program that come late: balance its work",
    "late": "ranks wait for others that come late; why is not known, since other calls in between were not traced",
    "calls before": "ranks wait for others that leave the calls before late, not for the program's own work",
}

PARTS = (
    ("down to the root, with arrival wait", "down_with_arrival_wait"),
    ("down to the root, no arrival wait", "down"),
    ("up from the root", "up"),
    ("host subtree, no arrival wait", "host_subtree"),
    ("cluster-root subtree, no arrival wait", "cluster_root_subtree"),
    ("proxies", "proxy"),
    ("total, no arrival wait", "total"),
    ("total, with arrival wait", "total_with_arrival_wait"),
)
"""Rows of the paper's tables 3 and 4: words, and the name in a rank's costs. Data of a broadcast go up alone, and those
of a reduce down alone."""

MOST_HOT_SPOTS = 10

_ONE_WAY = {
    _core.Direction.down: {"up": "from the root"},
    _core.Direction.up: {
        "down_with_arrival_wait": "to the root, with arrival wait",
        "down": "to the root, no arrival wait",
    },
}
"""Rows of collectives whose data go one way, in place of those of down and up."""


def one_way(collective: str) -> dict[str, str] | None:
    """What rows are called where data go one way, by the name in a rank's costs; None: they go both ways."""
    direction = _core.facts_of(collective).direction
    return None if direction is None else _ONE_WAY.get(direction)


def parts_of(collective: str) -> list[tuple[str, str]]:
    """Those of :data:`PARTS` that a collective has; where data go one way, no row speaks of the other."""
    words = one_way(collective)
    if words is None:
        return list(PARTS)
    both = ("down_with_arrival_wait", "down", "up")
    return [(words.get(key, name), key) for name, key in PARTS if key in words or key not in both]


def call_text(analysed: Analysed) -> str:
    """Collective and bytes, if it has any."""
    return ", ".join(filter(None, (analysed.group.name, bytes_text(analysed.group.collective, analysed.group.bytes))))


def bytes_text(collective: str, count: int) -> str:
    """Empty of a barrier, which carries nothing; ``?``: the trace does not say."""
    if collective.endswith("barrier"):
        return ""
    return format_bytes(count) if count < 1 << 63 else "?"


def reason_text(analysed: Analysed) -> str:
    """Whether it is the program or the network, in words."""
    found = analysed.imbalance
    return (
        f"{call_text(analysed)}: {_REASONS[found.reason]} (a rank waits {_us_words(found.waiting)} of "
        f"{_us_words(found.in_call)} for the last one to enter, to {_us_words(found.clock_error)}; between "
        f"calls the slowest rank takes {_us_words(found.program)} more than the quickest one)"
    )


def told_costs(tree: AnalysedTree, rank: int | None) -> list[tuple[str, Cost]]:
    """The fastest and the slowest rank by proxies on the way, and one that is asked for, in words.

    Of more than three numbers of proxies the least, the next and the most.
    """
    numbers = sorted({cost.proxies for cost in tree.classes})
    shown = {*numbers[:2], *numbers[-1:]}
    found = []
    for number in sorted(shown):
        alike = [cost for cost in tree.classes if cost.proxies == number]
        words = f"{number or 'no'} {'proxy' if number < 2 else 'proxies'}"
        found += [
            (words + (f", {which}" * (len(alike) > 1)), cost) for which, cost in zip(("fastest", "slowest"), alike)
        ]
    chosen = None if rank is None else tree.cost_of(rank)
    return [*found, *([("as asked for", chosen)] if chosen is not None else [])]


def stage_text(analysis: Analysis, stage: Stage, collective: str = "allreduce") -> str:
    """Where a stage is, in words; of a collective whose data go one way, without that way."""
    hosts = analysis.job.shown_hosts
    is_one_way = one_way(collective) is not None
    if stage.kind.endswith("proxy"):
        name = "proxy" if stage.part == "proxy" else "link"
        way = "" if is_one_way else " down" if stage.is_down else " up"
        other = stage.contributor or 0
        return f"{name}{way}: rank {stage.node} ({hosts[stage.node]}) - {other} ({hosts[other]})"
    of = "" if stage.contributor in (None, stage.node) else f", of rank {stage.contributor}"
    of = ", of its own" if stage.contributor == stage.node else of
    kind = "latency" if is_one_way and stage.kind.endswith("latency") else stage.kind
    return f"{kind} at rank {stage.node} ({hosts[stage.node]}){of}"


def shown_rank(tree: AnalysedTree, rank: int | None) -> int:
    """The rank that is asked for, where the tree has it, else the slowest one."""
    return tree.slowest.rank if rank is None or rank not in tree.times.nodes else rank


MOST_ORDERS = 8


class Orders(NamedTuple):
    """How often the first, second, ... contributor to arrive at a node departed as the first, second, ..."""

    node: int
    contributors: int
    places: list[int]
    """That are shown, from 0."""
    shares: list[list[float]]
    """A row an arrival, a column a departure; rows add up to 1 over all places."""


def orders_of(tree: AnalysedTree, rank: int | None) -> Orders | None:
    """The paper's table 1, of a rank's node or else the one with most contributors; None: nothing goes both ways."""
    asked = None if rank is None else tree.times.nodes.get(rank)
    widest = max(tree.times.nodes.values(), key=lambda node: len(node.contributors))
    node = widest if asked is None or len(asked.contributors) < 2 else asked
    pairs = order_pairs(node)
    if pairs is None:
        return None
    count = len(pairs)
    places = list(range(count)) if count <= MOST_ORDERS else [*range(MOST_ORDERS - 1), count - 1]
    shares = pairs / pairs.sum(axis=1, keepdims=True)
    return Orders(node.rank, count, places, [[float(shares[row, column]) for column in places] for row in places])


def path_stage_text(analysis: Analysis, stage: PathStage) -> str:
    """Where a stage of a critical path is, in words."""
    hosts = analysis.job.shown_hosts
    if stage.sender is None:
        return f"at rank {stage.rank} ({hosts[stage.rank]})"
    kind = "link" if hosts[stage.sender] == hosts[stage.rank] else "proxy"
    return f"{kind}: rank {stage.sender} ({hosts[stage.sender]}) to {stage.rank} ({hosts[stage.rank]})"


def begins_text(path: CriticalPath) -> str:
    """Whose entries critical paths begin at, in words."""
    return ", ".join(f"rank {rank} in {part:.0%}" for rank, part in path.begins)


def attack_text(analysis: Analysis, step: AnyStep, collective: str) -> str:
    """The stage that a suggestion attacks, and what it takes, in words."""
    if isinstance(step.attacks, PathStage):
        return f"{path_stage_text(analysis, step.attacks)}, {step.attacks.share:.0%} of the critical path"
    mean, ranks = _us_words(step.attacks.stats.mean), step.attacks.ranks
    whose = "one rank" if ranks == 1 else f"{ranks} ranks"
    return f"{stage_text(analysis, step.attacks, collective)}, {mean} on the way of {whose}"


def slow_text(step: AnyStep) -> str:
    """What the prediction takes hosts to be besides, in words; empty: as the cluster file says."""
    if step.slow:
        return f", with the links of {_core.compress_hostlist(step.slow)} as slow as they were traced"
    return ""


def sure_text(step: AnyStep) -> str:
    """How far off the predicted times may be, in words; empty: the trace's own model says nothing of that."""
    return f" (predicted times: {step.sure})" if isinstance(step, OtherAlgorithm) else ""


def suggestion_text(analysis: Analysis, step: AnyStep, collective: str) -> str:
    """What to do, why, and what it may bring."""
    return (
        f"{step.command}\n  attacks: {attack_text(analysis, step, collective)}; "
        f"predicted{slow_text(step)}: {step.gain:.2f} times faster{sure_text(step)}"
    )


def change_text(before: float, after: float) -> str:
    """With its sign."""
    text = us_text(after - before)
    return text if text.startswith("-") else f"+{text}"


def _us_words(value: float) -> str:
    """As `us_text`, always with a unit."""
    text = us_text(value)
    return text if text.endswith("s") else f"{text} µs"


def us_text(value: float) -> str:
    """Microseconds; with a unit of its own what has more than five digits of them."""
    if abs(value) >= 99_999.5:
        return format_seconds(value / 1e6)
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"
