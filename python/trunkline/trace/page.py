"""The page of a trace: self-contained, light and dark, for wide screens and phones; one script moves through calls."""

import json
from typing import Any

import numpy as np

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.report.page import render
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.drawings import cost_over_switches, cost_tree, departure_curves, shown_ranks, timemap
from trunkline.trace.suggest import Advice
from trunkline.trace.tables import call_text, one_way, parts_of, reason_text, stage_text, us_text

__all__ = ["trace_page"]

MOST_GROUPS = 6
MOST_BARS = 64
MOST_CALLS = 100


def trace_page(analysis: Analysis, advice: list[Advice], confirmed: str = "") -> str:
    """The page.

    Args:
        analysis: Of a job.
        advice: For each of its groups.
        confirmed: What the first suggestion brought when it was tried, in words; empty: it was not.
    """
    job = analysis.job
    return render(
        "trace.html.j2",
        [],
        job=job,
        hosts=len(set(job.hosts.values())),
        mpi=job.headers[0].mpi,
        records=analysis.records,
        notes=analysis.notes,
        confirmed=confirmed,
        planned=_core.planned_words(),
        rows=[_row(one) for one in analysis.groups],
        groups=[_group(analysis, one, given) for one, given in list(zip_equal(analysis.groups, advice))[:MOST_GROUPS]],
        clock_error=us_text(max(header.clock_error_ns for header in job.headers) / 1e3),
    )


def _row(one: Analysed) -> dict[str, Any]:
    return {
        "name": call_text(one),
        "ran": one.group.algorithm,
        "calls": one.counted,
        "mean": us_text(one.time.mean),
        "waiting": us_text(one.imbalance.waiting),
        "inside": us_text(one.imbalance.inside),
        "late": ", ".join(f"rank {rank} {part:.0%}" for rank, part in one.imbalance.late_ranks[:1]),
    }


def _group(analysis: Analysis, one: Analysed, advice: Advice) -> dict[str, Any]:
    calls, ranks = _calls(one)
    return {
        "name": f"{call_text(one)}, {one.group.algorithm}",
        "reason": reason_text(one),
        "suggestions": [
            {
                "why": f"attacks {stage_text(analysis, step.attacks, one.group.collective)}",
                "gain": step.gain,
                "command": step.command,
            }
            for step in advice.steps
        ],
        "no_suggestion": advice.silent,
        "trees": [_tree(analysis, tree, one.group.collective) for tree in one.trees],
        "calls": json.dumps({"ranks": ranks, "calls": calls}),
        "last": len(calls) - 1,
        "bars": len(ranks),
        "first": one.group.ranks[0],
        "height": 12 * len(ranks) + 8,
    }


def _tree(analysis: Analysis, tree: AnalysedTree, collective: str) -> dict[str, Any]:
    fast, slow = tree.fastest, tree.slowest
    return {
        "timemap": timemap(tree, "Timemap"),
        "curves": departure_curves(tree, _curves_title(collective)),
        "drawing": cost_tree(tree, analysis.job.hosts, "The tree by cost"),
        "network": cost_over_switches(tree, analysis.job, "The tree over the switches by cost"),
        "shown": len(shown_ranks(tree.costs)),
        "ranks": len(tree.costs),
        "fast": fast,
        "slow": slow,
        "parts": [
            (name, us_text(getattr(fast, key)), us_text(getattr(slow, key))) for name, key in parts_of(collective)
        ],
        "hot": [
            {
                "name": stage_text(analysis, stage, collective),
                "share": f"{tree.share(stage):.1%}",
                "ranks": stage.ranks,
                "mean": us_text(stage.stats.mean),
                "median": us_text(stage.stats.median),
                "p10": us_text(stage.stats.p10),
                "p90": us_text(stage.stats.p90),
            }
            for stage in tree.hot_spots[:10]
        ],
    }


def _curves_title(collective: str) -> str:
    return f"{'Up latency' if one_way(collective) is None else 'Latency'} and departure waits"


def _calls(one: Analysed) -> tuple[list[dict[str, Any]], list[int]]:
    """Entries and exits, µs after the first entry; of calls and ranks evenly chosen where there are too many."""
    count, width = one.entries.shape[1], one.entries.shape[0]
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_CALLS)).round().astype(int))
    rows = np.unique(np.linspace(0, width - 1, min(width, MOST_BARS)).round().astype(int))
    start, end = one.entries[rows][:, chosen] / 1e3, one.exits[rows][:, chosen] / 1e3
    first = one.entries[:, chosen].min(axis=0) / 1e3
    calls = [
        {
            "number": int(call) + one.skipped,
            "start": (start[:, i] - first[i]).round(1).tolist(),
            "end": (end[:, i] - first[i]).round(1).tolist(),
        }
        for i, call in enumerate(chosen)
    ]
    return calls, [one.group.ranks[row] for row in rows]
