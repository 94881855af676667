"""The page of a study: what each step brought here, and what the traces show."""

import json
from typing import Any

from trunkline.draw.plan import draw_trees
from trunkline.report.page import render
from trunkline.trace.drawings import ways_of_ranks, widest_departures
from trunkline.trace.suggest import Advice
from trunkline.trace.words import us_text
from trunkline.units import format_bytes
from trunkline_papers.allreduce.study import Studied, Study
from trunkline_papers.pages import TEMPLATES

__all__ = ["study_page"]


def study_page(study: Study) -> str:
    """Self-contained HTML."""
    job = study.job
    return render(
        "study.html.j2",
        [],
        templates=TEMPLATES,
        cluster=job.lab.cluster,
        rate=job.lab.rate_bps,
        mpi=job.mpi,
        ranks=job.ranks,
        iterations=job.iterations,
        turns=len(study.studied[0].seconds[job.sizes[0]]),
        rows=[row for one in study.studied for row in _rows(one)],
        sizes=[_size(study, size) for size in job.sizes],
        configurations=[_configuration(study, one) for one in study.studied],
        is_papers=study.is_the_papers,
        ended=study.ended,
        json=json.dumps(study.as_json()),
    )


def _rows(one: Studied) -> list[dict[str, Any]]:
    rows = []
    for size in one.seconds:
        median = one.median(size)
        row = {
            "name": f"{one.name}, " + format_bytes(size).replace(" ", "\u00a0"),  # on one line
            "time": f"{median.value * 1e6:.0f}",
            "interval": f"{median.low * 1e6:.0f} .. {median.high * 1e6:.0f}",
        }
        claims = one.compared_at(size)
        for found in claims:
            here = found.here
            rows.append(
                row
                | {
                    "over": found.claim.over,
                    "here": f"{here.value:.2f}",
                    "within": f"{here.low:.2f} .. {here.high:.2f}",
                    "paper": found.paper_text,
                }
            )
        if not claims:
            rows.append(row | dict.fromkeys(("over", "here", "within", "paper"), ""))
    return rows


def _size(study: Study, size: int) -> dict[str, Any]:
    runs = [(one.name, tree) for one in study.studied if (tree := one.tree(size)) is not None]
    slowest = [(name, tree, tree.slowest.rank) for name, tree in runs]
    return {
        "bytes": format_bytes(size),
        "ways": ways_of_ranks(slowest, f"The slowest rank's way, {format_bytes(size)}") if runs else "",
        "curves": widest_departures(runs, f"Up latency and departure waits, {format_bytes(size)}") if runs else "",
        "parts": [row for one in study.studied for row in _parts(one, size)],
    }


def _parts(one: Studied, size: int) -> list[dict[str, Any]]:
    tree, dearest = one.tree(size), one.dearest(size)
    if tree is None or dearest is None:
        return []
    slow = tree.slowest
    return [
        {
            "name": one.name,
            "rank": slow.rank,
            "host": us_text(slow.host_subtree),
            "root": us_text(slow.cluster_root_subtree),
            "proxy": us_text(slow.proxy),
            "total": us_text(slow.total),
            "dearest": f"{dearest[0]}: {dearest[1]:.0%} of all time",
        }
    ]


def _configuration(study: Study, one: Studied) -> dict[str, Any]:
    cluster, size = study.job.lab.cluster, study.job.sizes[0]
    trees = one.plan.plan.trees if one.plan is not None else None
    drawing = ""
    if trees:
        drawing = draw_trees(cluster, study.job.placement, trees, f"{one.name} over {cluster.name}")[0]
    return {
        "name": one.name,
        "step": f"{one.configuration.step}{one.ran_text}",
        "pointed": one.pointed_text.removeprefix("; "),
        "advice": _advice(one.advice(size)) if one.analysis is not None else "",
        "drawing": drawing,
    }


def _advice(advice: Advice) -> str:
    if not advice.steps:
        return f"none: {advice.silent}"
    best = advice.steps[0]
    return f"{best.words}, predicted {best.gain:.2f} times faster"
