"""What was found out, as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.draw.names import without_domain
from trunkline.terminal import titled_table
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.compare import Compared
from trunkline.trace.critical_path import CriticalPath
from trunkline.trace.metrics import Stats
from trunkline.trace.protocol import Protocol
from trunkline.trace.top import Look, Spent
from trunkline.trace.words import (
    MOST_HOT_SPOTS,
    Orders,
    begins_text,
    bytes_text,
    call_text,
    change_text,
    one_way,
    orders_of,
    parts_of,
    path_stage_text,
    shown_rank,
    stage_text,
    told_costs,
    us_text,
)


def groups_table(analysis: Analysis) -> Table:
    """A row for each group of calls."""
    table = titled_table(
        "Calls, those that take most time first [µs]",
        *("collective", "bytes", "ran", "ranks", "calls", "mean", "median", "p90", "waiting", "inside", "late"),
        left=("collective", "ran", "late"),
    )
    for analysed in analysis.groups:
        late = ", ".join(f"{rank} {part:.0%}" for rank, part in analysed.imbalance.late_ranks[:2])
        table.add_row(
            analysed.group.name,
            bytes_text(analysed.group.collective, analysed.group.bytes),
            analysed.group.algorithm,
            str(len(analysed.group.ranks)),
            str(analysed.counted),
            *(us_text(value) for value in (analysed.time.mean, analysed.time.median, analysed.time.p90)),
            *(us_text(value) for value in (analysed.imbalance.waiting, analysed.imbalance.inside)),
            late,
        )
    return table


def group_tables(analysis: Analysis, analysed: Analysed, rank: int | None = None) -> Iterator[Table]:
    """The tree's costs by part, its hot spots and its orders; or the rounds; or what ranks of a multicast told.

    Args:
        analysis: Of the job.
        analysed: A group of its calls.
        rank: Whose stages and orders are told too; None: the slowest one's.
    """
    for tree in analysed.trees:
        which = f", tree {tree.times.number}" if len(analysed.trees) > 1 else ""
        what = f"{call_text(analysed)}, {analysed.group.algorithm}{which}"
        collective = analysed.group.collective
        yield _costs(analysis, tree, what, collective, rank)
        yield _hot_spots(analysis, tree, what, collective)
        yield _stages_of_rank(analysis, tree, what, collective, rank)
        if tree.subtrees:
            yield _subtrees(tree, what, collective)
        if (orders := orders_of(tree, rank)) is not None:
            yield _orders(analysis, orders, what)
    if analysed.rounds:
        yield _rounds(analysed)
    if analysed.critical is not None and len(analysed.trees) != 1:
        yield _critical_path(analysis, analysed, analysed.critical)
    if analysed.protocol is not None:
        yield _steps(analysed, analysed.protocol)
        yield _spans(analysed, analysed.protocol)


def _costs(analysis: Analysis, tree: AnalysedTree, what: str, collective: str, rank: int | None) -> Table:
    """The paper's tables 3 and 4."""
    told = told_costs(tree, rank)
    hosts = analysis.job.shown_hosts
    heads = [f"{words}: {cost.rank} on {hosts[cost.rank]}" for words, cost in told]
    table = titled_table(f"Mean µs by part and rank: {what}", "part", *heads, left=("part",), wrap=(*heads, "part"))
    for name, key in parts_of(collective):
        table.add_row(name, *(us_text(getattr(cost, key)) for _, cost in told))
    return table


def _hot_spots(analysis: Analysis, tree: AnalysedTree, what: str, collective: str) -> Table:
    table = titled_table(f"Hot spots: {what}", "stage", "share", "ranks", *_STATS, left=("stage",), wrap=("stage",))
    for stage in tree.hot_spots[:MOST_HOT_SPOTS]:
        row = (f"{tree.share(stage):.1%}", str(stage.ranks), *_stats(stage.stats))
        table.add_row(stage_text(analysis, stage, collective), *row)
    return table


_STATS = ("mean", "median", "stdev", "min", "max", "p10", "p90")


def _stats(stats: Stats) -> list[str]:
    values = (stats.mean, stats.median, stats.stdev, stats.least, stats.most, stats.p10, stats.p90)
    return [us_text(value) for value in values]


def _stages_of_rank(analysis: Analysis, tree: AnalysedTree, what: str, collective: str, rank: int | None) -> Table:
    """The paper's table 2: all stages of one rank."""
    shown = shown_rank(tree, rank)
    table = titled_table(
        f"Stages of rank {shown}, µs: {what}", "level", "stage", *_STATS, left=("level", "stage"), wrap=("stage",)
    )
    for stage, label in tree.labelled_way(shown):
        level = " ".join(label.split()[:2])
        table.add_row(level, stage_text(analysis, stage, collective), *_stats(stage.stats))
    return table


def _subtrees(tree: AnalysedTree, what: str, collective: str) -> Table:
    """Subtrees as one node each, the paper's figures 10, 16 and 21."""
    way = _core.facts_of(collective).direction
    down, up = way is not _core.Direction.down, way is not _core.Direction.up
    columns = [*(("down latency", "arrival wait") if down else ()), *(("up latency", "last departure") if up else ())]
    table = titled_table(
        f"Subtrees as one node, mean µs: {what}",
        *("subtree", "nodes", "enter", *(name.replace("up ", "") if one_way(collective) else name for name in columns)),
        left=("subtree",),
        wrap=("subtree",),
    )
    for subtree in tree.subtrees:
        values = {
            "down latency": None if subtree.down_latency is None else subtree.down_latency.mean,
            "arrival wait": subtree.arrival_wait,
            "up latency": None if subtree.up_latency is None else subtree.up_latency.mean,
            "last departure": subtree.last_departure,
        }
        told = [values[name] for name in columns]
        cells = ("-" if value is None else us_text(value) for value in told)
        table.add_row(subtree.name, str(len(subtree.nodes)), str(len(subtree.contributors)), *cells)
    return table


def _orders(analysis: Analysis, orders: Orders, what: str) -> Table:
    """The paper's table 1."""
    where = f"rank {orders.node} ({analysis.job.shown_hosts[orders.node]})"
    table = titled_table(
        f"Arrivals and departures at {where}, of {orders.contributors}: {what}",
        *("arrived", *(f"left as {place + 1}" for place in orders.places)),
        left=("arrived",),
    )
    for place, row in zip_equal(orders.places, orders.shares):
        table.add_row(f"as {place + 1}", *(f"{share:.1%}" for share in row))
    return table


def _rounds(analysed: Analysed) -> Table:
    table = titled_table(
        f"Waiting for each round, µs: {call_text(analysed)}, {analysed.group.algorithm}",
        *("round", "ranks", *_STATS, "slowest rank"),
    )
    for stage in analysed.rounds:
        table.add_row(str(stage.number), str(stage.ranks), *_stats(stage.wait), str(stage.slowest))
    return table


def _critical_path(analysis: Analysis, analysed: Analysed, path: CriticalPath) -> Table:
    table = titled_table(
        f"Hot spots on the critical path: {call_text(analysed)}, {analysed.group.algorithm}",
        *("stage", "share", "of the calls", "mean"),
        left=("stage",),
        wrap=("stage",),
    )
    for stage in path.stages[:MOST_HOT_SPOTS]:
        share, calls = f"{stage.share:.1%}", f"{stage.calls:.0%}"
        table.add_row(path_stage_text(analysis, stage), share, calls, us_text(stage.mean))
    table.caption = f"{path.calls} calls; the path begins at the entry of {begins_text(path)} of them"
    return table


def _steps(analysed: Analysed, protocol: Protocol) -> Table:
    table = titled_table(
        f"What ranks told each other, a call: {call_text(analysed)}, {analysed.group.algorithm}",
        *("step", "told", "heard"),
        left=("step",),
    )
    for step in protocol.steps:
        table.add_row(step.name, f"{step.told:.1f}", f"{step.heard:.1f}")
    return table


def _spans(analysed: Analysed, protocol: Protocol) -> Table:
    table = titled_table(
        f"Parts of a call, µs: {call_text(analysed)}, {analysed.group.algorithm}",
        *("part", "ranks", *_STATS, "slowest rank"),
        left=("part",),
        wrap=("part",),
    )
    for span in protocol.spans:
        table.add_row(span.name, str(span.ranks), *_stats(span.time), str(span.slowest))
    return table


def compared_table(compared: list[Compared]) -> Table:
    """This run beside another one."""
    table = titled_table(
        "Beside the other run [µs a call and rank]",
        *("collective", "bytes", "other ran", "this ran", "other", "this", "faster", "95 %", "certain"),
        left=("collective", "other ran", "this ran", "certain"),
    )
    for pair in compared:
        interval = "too few calls" if pair.interval is None else f"{pair.interval[0]:.3f} .. {pair.interval[1]:.3f}"
        table.add_row(
            pair.first.group.name,
            bytes_text(pair.first.group.collective, pair.first.group.bytes),
            pair.first.group.algorithm,
            pair.second.group.algorithm,
            us_text(pair.first.time.mean),
            us_text(pair.second.time.mean),
            f"{pair.ratio:.3f}",
            interval,
            "yes" if pair.is_certain else "no",
        )
    return table


def compared_stages_tables(compared: list[Compared], rank: int | None) -> Iterator[Table]:
    """This run beside another one by part and by stage, where both ran one tree."""
    for pair in compared:
        if pair.trees is None:
            continue
        before, after = pair.trees
        what = call_text(pair.second)
        asked = [tree.cost_of(shown_rank(tree, rank)) for tree in (before, after)]
        ranks = [cost.rank for cost in asked if cost is not None]
        table = titled_table(
            f"By part, mean µs: {what}",
            *("part", f"other: rank {ranks[0]}", f"this: rank {ranks[1]}", "change"),
            left=("part",),
        )
        for name, key in parts_of(pair.second.group.collective):
            values = [float(getattr(cost, key)) for cost in asked]
            table.add_row(name, *map(us_text, values), change_text(*values))
        yield table
        table = titled_table(
            f"By stage, mean µs of a rank: {what}", "stage", "other", "this", "change", left=("stage",), wrap=("stage",)
        )
        for name, *values in pair.stages():
            table.add_row(name, *map(us_text, values), change_text(*values))
        yield table


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

    hosts = dict(zip_equal(look.hosts, without_domain(list(look.hosts.values()))))

    def place(rank: int) -> str:
        return f"{rank} {hosts[rank]}"

    for row in spent.rows():
        table.add_row(
            row.collective,
            bytes_text(row.collective, row.bytes),
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
