"""The page of a trace: self-contained, light and dark, for wide screens and phones; one script moves through calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.report.page import render
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.compare import Compared
from trunkline.trace.drawings import (
    BOTH_WAYS,
    cost_over_switches,
    cost_tree,
    departure_curves,
    shown_ranks,
    subtree_curves,
    timemap,
    told_subtrees,
    ways_of_ranks,
)
from trunkline.trace.suggest import Advice
from trunkline.trace.words import (
    MOST_HOT_SPOTS,
    attack_text,
    begins_text,
    call_text,
    change_text,
    one_way,
    orders_of,
    parts_of,
    path_stage_text,
    reason_text,
    shown_rank,
    slow_text,
    stage_text,
    told_costs,
    us_text,
)
from trunkline.units import format_bytes

MOST_GROUPS = 6
MOST_BARS = 64
MOST_CALLS = 100
MOST_WAYS = 6


def trace_page(
    analysis: Analysis,
    advice: list[Advice],
    confirmed: str = "",
    rank: int | None = None,
    compared: Sequence[Compared] = (),
) -> str:
    """The page.

    Args:
        analysis: Of a job.
        advice: For each of its groups.
        confirmed: What the first suggestion brought when it was tried, in words; empty: it was not.
        rank: Whose stages, orders and way are told; None: the slowest one's.
        compared: The job beside another one.
    """
    texts = (attack_text, begins_text, call_text, path_stage_text, reason_text, slow_text, stage_text)
    words: dict[str, Any] = {function.__name__: function for function in texts}
    return render(
        "trace.html.j2",
        [],
        analysis=analysis,
        job=analysis.job,
        hosts=len(set(analysis.job.hosts.values())),
        confirmed=confirmed,
        planned=_core.planned_words(),
        groups=[
            _group(analysis, one, given, rank, compared)
            for one, given in list(zip_equal(analysis.groups, advice))[:MOST_GROUPS]
        ],
        ways=_ways(analysis, rank, compared),
        clock_error=max(header.error_ns for header in analysis.job.headers) / 1e3,
        most=MOST_HOT_SPOTS,
        us=us_text,
        **words,
    )


def _group(
    analysis: Analysis, analysed: Analysed, advice: Advice, rank: int | None, compared: Sequence[Compared]
) -> dict[str, Any]:
    calls, ranks = _calls(analysed)
    return {
        "of": analysed,
        "collective": analysed.group.collective,
        "advice": advice,
        "trees": [_tree(analysis, tree, analysed.group.collective, rank) for tree in analysed.trees],
        "compared": next(
            (_compared(beside, rank) for beside in compared if beside.second is analysed and beside.trees), None
        ),
        "critical": analysed.critical if len(analysed.trees) != 1 else None,
        "rounds": sorted(analysed.rounds, key=lambda stage: -stage.wait.mean * stage.ranks)[:MOST_HOT_SPOTS],
        "calls": json.dumps({"ranks": ranks, "calls": calls}),
        "last": len(calls) - 1,
        "bars": len(ranks),
        "height": 12 * len(ranks) + 8,
    }


def _tree(analysis: Analysis, tree: AnalysedTree, collective: str, rank: int | None) -> dict[str, Any]:
    shown = told_subtrees(tree)
    told = shown_rank(tree, rank)
    way, axis = _WAYS[_core.facts_of(collective).direction or _core.Direction.up_and_down]
    return {
        "timemap": timemap(tree, "Timemap", axis, rank),
        "way": way,
        "latency": _latency(collective),
        "curves": departure_curves(tree, f"{_latency(collective)} and departure waits"),
        "subtrees": subtree_curves([(one.name, one) for one in shown], "Subtrees as one node"),
        "drawing": cost_tree(tree, analysis.job.hosts, "The tree by cost"),
        "network": cost_over_switches(tree, analysis.job, "The tree over the switches by cost"),
        "shown": len(shown_ranks(tree.costs)),
        "of": tree,
        "costs": told_costs(tree, rank),
        "more": [part for part in parts_of(collective) if part[1] not in _COLUMNS],
        "rank": told,
        "orders": orders_of(tree, rank),
    }


_COLUMNS = ("host_subtree", "cluster_root_subtree", "proxy", "total")
"""Of a tree's costs; the others stand below them on a phone."""


def _compared(beside: Compared, rank: int | None) -> dict[str, Any]:
    """By part and by stage, beside the other run."""
    assert beside.trees is not None
    ranks = [shown_rank(tree, rank) for tree in beside.trees]
    costs = [tree.cost_of(one) for tree, one in zip_equal(beside.trees, ranks)]
    before, after = costs
    parts: list[tuple[str, float, float]] = [
        (name, float(getattr(before, key)), float(getattr(after, key)))
        for name, key in parts_of(beside.second.group.collective)
    ]
    return {
        "ranks": ranks,
        "parts": [(name, us_text(a), us_text(b), change_text(a, b)) for name, a, b in parts],
        "stages": [(name, us_text(a), us_text(b), change_text(a, b)) for name, a, b in beside.stages()],
    }


def _ways(analysis: Analysis, rank: int | None, compared: Sequence[Compared]) -> list[dict[str, Any]]:
    """By collective the way of one rank at several sizes and in both runs: the paper's figures 13, 14, 17 and 18."""
    found = []
    for collective in dict.fromkeys(analysed.group.collective for analysed in analysis.groups):
        alike = [
            analysed
            for analysed in analysis.groups
            if analysed.group.collective == collective and len(analysed.trees) == 1
        ]
        if not alike:
            continue
        told = shown_rank(alike[0].trees[0], rank)
        runs = []
        for one in alike:
            before = next((beside.trees[0] for beside in compared if beside.second is one and beside.trees), None)
            size = format_bytes(one.group.bytes) if _core.facts_of(collective).has_data else collective
            runs.append((size, one.trees[0]))
            runs += [(f"{size}, other run", before)] if before is not None else []
        lines = [(name, tree, told) for name, tree in runs if told in tree.times.nodes][:MOST_WAYS]
        if len(lines) < 2:
            continue
        _, axis = _WAYS[_core.facts_of(collective).direction or _core.Direction.up_and_down]
        title = f"The way of rank {told}, {collective}"
        found.append({"rank": told, "collective": collective, "picture": ways_of_ranks(lines, title, axis)})
    return found


_WAYS = {
    _core.Direction.down: ("from the root", "µs after the root has begun"),
    _core.Direction.up: ("to the root, without arrival waits", "µs before the root has the result"),
    _core.Direction.up_and_down: ("to the root and back, without arrival waits", BOTH_WAYS),
}
"""Which way a timemap shows, and what is across it."""


def _latency(collective: str) -> str:
    return "Up latency" if one_way(collective) is None else "Latency"


def _calls(analysed: Analysed) -> tuple[list[dict[str, Any]], list[int]]:
    """Entries and exits, µs after the first entry; of calls and ranks evenly chosen where there are too many."""
    count, width = analysed.entries.shape[1], analysed.entries.shape[0]
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_CALLS)).round().astype(int))
    rows = np.unique(np.linspace(0, width - 1, min(width, MOST_BARS)).round().astype(int))
    start, end = analysed.entries[rows][:, chosen] / 1e3, analysed.exits[rows][:, chosen] / 1e3
    first = analysed.entries[:, chosen].min(axis=0) / 1e3
    calls = [
        {
            "number": int(call) + analysed.skipped,
            "start": (start[:, i] - first[i]).round(1).tolist(),
            "end": (end[:, i] - first[i]).round(1).tolist(),
        }
        for i, call in enumerate(chosen)
    ]
    return calls, [analysed.group.ranks[row] for row in rows]
