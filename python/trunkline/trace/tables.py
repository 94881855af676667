"""What was found out, as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from trunkline import _core
from trunkline.terminal import titled_table
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.compare import Compared
from trunkline.trace.metrics import Stats
from trunkline.trace.protocol import Protocol
from trunkline.trace.stages import Stage
from trunkline.trace.suggest import Suggestion
from trunkline.trace.top import Look, Spent
from trunkline.units import format_bytes, format_seconds

__all__ = ["PARTS", "call_text", "compared_table", "group_tables", "groups_table", "one_way", "parts_of"]
__all__ += ["reason_text", "stage_text", "suggestion_text", "top_table", "us_text"]

_REASONS = {
    "inside": "the time goes into the collective itself",
    "program": "ranks wait for others of the program that come late: balance its work",
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


def call_text(one: Analysed) -> str:
    """Collective and bytes, if it has any."""
    return ", ".join(filter(None, (one.group.collective, _bytes(one.group.collective, one.group.bytes))))


def _bytes(collective: str, count: int) -> str:
    """Empty of a barrier, which carries nothing; ``?``: the trace does not say."""
    if collective == "barrier":
        return ""
    return format_bytes(count) if count < 1 << 63 else "?"


def groups_table(analysis: Analysis) -> Table:
    """A row for each group of calls."""
    table = titled_table(
        "Calls, those that take most time first [µs]",
        *("collective", "bytes", "ran", "ranks", "calls", "mean", "median", "p90", "waiting", "inside", "late"),
        left=("collective", "ran", "late"),
    )
    for one in analysis.groups:
        late = ", ".join(f"{rank} {part:.0%}" for rank, part in one.imbalance.late_ranks[:2])
        table.add_row(
            one.group.collective,
            _bytes(one.group.collective, one.group.bytes),
            one.group.algorithm,
            str(len(one.group.ranks)),
            str(one.counted),
            *(us_text(value) for value in (one.time.mean, one.time.median, one.time.p90)),
            *(us_text(value) for value in (one.imbalance.waiting, one.imbalance.inside)),
            late,
        )
    return table


def reason_text(one: Analysed) -> str:
    """Whether it is the program or the network, in words."""
    found = one.imbalance
    return (
        f"{call_text(one)}: {_REASONS[found.reason]} (a rank waits {_us_words(found.waiting)} of "
        f"{_us_words(found.in_call)} for the last one to enter, to {_us_words(found.clock_error)}; between "
        f"calls the slowest rank takes {_us_words(found.program)} more than the quickest one)"
    )


def group_tables(analysis: Analysis, one: Analysed) -> Iterator[Table]:
    """The tree's costs by part, its hot spots and its orders; or the rounds; or what ranks of a multicast told."""
    for tree in one.trees:
        which = f", tree {tree.times.number}" if len(one.trees) > 1 else ""
        what = f"{call_text(one)}, {one.group.algorithm}{which}"
        collective = one.group.collective
        yield _costs(analysis, tree, what, collective)
        yield _hot_spots(analysis, tree, what, collective)
        yield _slowest_way(analysis, tree, what, collective)
    if one.rounds:
        yield _rounds(one)
    if one.protocol is not None:
        yield _steps(one, one.protocol)
        yield _spans(one, one.protocol)


def _costs(analysis: Analysis, tree: AnalysedTree, what: str, collective: str) -> Table:
    fast, slow = tree.fastest, tree.slowest
    hosts = analysis.job.hosts
    table = titled_table(
        f"Mean µs by part: {what}",
        *(
            "part",
            f"fastest: rank {fast.rank} on {hosts[fast.rank]}",
            f"slowest: rank {slow.rank} on {hosts[slow.rank]}",
        ),
        left=("part",),
    )
    for name, key in parts_of(collective):
        table.add_row(name, us_text(getattr(fast, key)), us_text(getattr(slow, key)))
    return table


def stage_text(analysis: Analysis, stage: Stage, collective: str = "allreduce") -> str:
    """Where a stage is, in words; of a collective whose data go one way, without that way."""
    hosts = analysis.job.hosts
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


def _hot_spots(analysis: Analysis, tree: AnalysedTree, what: str, collective: str) -> Table:
    table = titled_table(f"Hot spots: {what}", "stage", "share", "ranks", *_STATS, left=("stage",), wrap=("stage",))
    for stage in tree.hot_spots[:10]:
        row = (f"{tree.share(stage):.1%}", str(stage.ranks), *_stats(stage.stats))
        table.add_row(stage_text(analysis, stage, collective), *row)
    return table


_STATS = ("mean", "median", "stdev", "min", "max", "p10", "p90")


def _stats(stats: Stats) -> list[str]:
    values = (stats.mean, stats.median, stats.stdev, stats.least, stats.most, stats.p10, stats.p90)
    return [us_text(value) for value in values]


def _slowest_way(analysis: Analysis, tree: AnalysedTree, what: str, collective: str) -> Table:
    """The paper's table 2: all stages of the slowest rank."""
    rank = tree.slowest.rank
    table = titled_table(f"Stages of rank {rank}, µs: {what}", "stage", *_STATS, left=("stage",), wrap=("stage",))
    for stage in tree.way_of(rank):
        table.add_row(stage_text(analysis, stage, collective), *_stats(stage.stats))
    return table


def _rounds(one: Analysed) -> Table:
    table = titled_table(
        f"Waiting for each round, µs: {call_text(one)}, {one.group.algorithm}",
        *("round", "ranks", *_STATS, "slowest rank"),
    )
    for stage in one.rounds:
        table.add_row(str(stage.number), str(stage.ranks), *_stats(stage.wait), str(stage.slowest))
    return table


def _steps(one: Analysed, protocol: Protocol) -> Table:
    table = titled_table(
        f"What ranks told each other, a call: {call_text(one)}, {one.group.algorithm}",
        *("step", "told", "heard"),
        left=("step",),
    )
    for step in protocol.steps:
        table.add_row(step.name, f"{step.told:.1f}", f"{step.heard:.1f}")
    return table


def _spans(one: Analysed, protocol: Protocol) -> Table:
    table = titled_table(
        f"Parts of a call, µs: {call_text(one)}, {one.group.algorithm}",
        *("part", "ranks", *_STATS, "slowest rank"),
        left=("part",),
        wrap=("part",),
    )
    for span in protocol.spans:
        table.add_row(span.name, str(span.ranks), *_stats(span.time), str(span.slowest))
    return table


def suggestion_text(analysis: Analysis, step: Suggestion, collective: str) -> str:
    """What to do, why, and what it may bring."""
    mean = us_text(step.attacks.stats.mean)
    return (
        f"{step.command}\n  attacks: {stage_text(analysis, step.attacks, collective)}, {mean} µs on the way of "
        f"{step.attacks.ranks} ranks; predicted: {step.gain:.2f} times faster"
    )


def compared_table(compared: list[Compared]) -> Table:
    """This run beside another one."""
    table = titled_table(
        "Beside the other run [µs a call and rank]",
        *("collective", "bytes", "other ran", "this ran", "other", "this", "faster", "95 %", "certain"),
        left=("collective", "other ran", "this ran", "certain"),
    )
    for one in compared:
        interval = "too few calls" if one.interval is None else f"{one.interval[0]:.3f} .. {one.interval[1]:.3f}"
        table.add_row(
            one.first.group.collective,
            _bytes(one.first.group.collective, one.first.group.bytes),
            one.first.group.algorithm,
            one.second.group.algorithm,
            us_text(one.first.time.mean),
            us_text(one.second.time.mean),
            f"{one.ratio:.3f}",
            interval,
            "yes" if one.is_certain else "no",
        )
    return table


def top_table(look: Look, spent: Spent, title: str) -> Table:
    """What ranks spent in collectives: a row for each collective and size, and one for all of them.

    Args:
        look: Of the job.
        spent: Its last interval, or the whole of it.
        title: Which time it is.
    """
    calls = [] if spent is look.whole else ["then"]
    table = titled_table(
        title,
        *("collective", "bytes", "ran", "calls", *calls, "mean µs", "share", "most", "rank", "least", "rank"),
        left=("collective", "ran", "rank"),
        wrap=("ran", "rank"),
    )
    whole = {kind: max(one[0] for one in by_rank.values()) for kind, by_rank in look.whole.calls.items()}

    def place(rank: int) -> str:
        return f"{rank} {look.hosts[rank]}"

    for row in spent.rows():
        table.add_row(
            row.collective,
            _bytes(row.collective, row.bytes),
            row.algorithm,
            *(str(count) for count in (whole[row.collective, row.bytes, row.algorithm], *(row.calls for _ in calls))),
            us_text(row.mean_us) if row.mean_us is not None else "-",
            *(f"{row.share:.1%}", f"{row.most_share:.1%}", place(row.most_rank)),
            *(f"{row.least_share:.1%}", place(row.least_rank)),
        )
    if shares := spent.shares():
        most, least = max(shares, key=lambda rank: shares[rank]), min(shares, key=lambda rank: shares[rank])
        table.add_row(
            *("all", "", "", "", *("" for _ in calls), "", f"{sum(shares.values()) / len(shares):.1%}"),
            *(f"{shares[most]:.1%}", place(most), f"{shares[least]:.1%}", place(least)),
        )
    return table


def _us_words(value: float) -> str:
    """As `us_text`, always with a unit."""
    text = us_text(value)
    return text if text.endswith("s") else f"{text} µs"


def us_text(value: float) -> str:
    """Microseconds; with a unit of its own what has more than five digits of them."""
    if abs(value) >= 99_999.5:
        return format_seconds(value / 1e6)
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"
