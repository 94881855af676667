"""Self-contained HTML pages: no network, no script, the data inside."""

import json
import platform
from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import groupby

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from trunkline import __version__, _core
from trunkline.bench.measure import Cell
from trunkline.draw.colours import DARK, THEME
from trunkline.kinds import kind_of
from trunkline.report.cells_table import segment_text
from trunkline.report.chart import ratio_bars, time_curves
from trunkline.units import format_bytes, format_rate, format_seconds

_templates = Environment(
    loader=PackageLoader("trunkline.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {"bytes": format_bytes, "seconds": format_seconds, "rate": format_rate, "segment": segment_text}


def templates_with(package: str) -> Environment:
    """Our templates, and those of another package, which extend them."""
    return _templates.overlay(loader=ChoiceLoader([PackageLoader("trunkline.report"), PackageLoader(package)]))


def render(template: str, cells: Sequence[Cell], *, templates: Environment = _templates, **more: object) -> str:
    """A template with everything that all pages show: the cells as JSON, versions, machine and date."""
    data = json.dumps([cell.as_json() for cell in cells])
    return templates.get_template(template).render(
        cells=cells,
        data=data,
        version=__version__,
        mpis=dict.fromkeys((cell.mpi, cell.mpi_version) for cell in cells),
        when=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        machine=f"{platform.system()} {platform.release()}, {platform.machine()}",
        theme=THEME,
        dark=DARK,
        **more,
    )


def _native(cells: Sequence[Cell], cell: Cell) -> Cell:
    return next(c for c in cells if c.algorithm == "native" and _place(c) == _place(cell))


def _place(cell: Cell) -> tuple[str, str, int]:
    return cell.cluster, cell.mpi, cell.message_bytes


def plan_over(cluster: _core.Cluster, cells: Sequence[Cell], algorithm: str = "auto") -> tuple[str, list[str]]:
    """A sentence about the plan that the algorithm ran last in these cells, and its drawings on a page, SVG text."""
    placement = _core.block_placement(cluster, 1)
    collective = cells[0].collective if cells else "bcast"
    ran = next((cell.ran for cell in reversed(cells) if cell.algorithm == algorithm), "native")
    if ran == "native":
        return ran, []
    laid = _core.lay(collective, ran, cluster, placement, 0)
    kind = kind_of(laid)
    words = f"{ran} over {cluster.name} goes {kind.way}: {kind.extent(laid)}"
    if _core.contention_of(cluster, placement, laid).most_senders <= 1:
        words += "; no channel carries the transfers of two senders"
    title = f"{ran} over {cluster.name} from {cluster.hosts[0]}"
    return words, kind.sketches(cluster, placement, laid, title)


def demo_page(cells: Sequence[Cell], clusters: Sequence[_core.Cluster]) -> str:
    """The demo's page: for each cluster the bars, the table and the plan that ran, drawn over the switches."""
    sections = []
    for cluster in clusters:
        here = [cell for cell in cells if cell.cluster == cluster.name]
        ran, drawings = plan_over(cluster, here)
        sections.append(
            {
                "cluster": cluster,
                "rate": here[0].rate_bps,
                "bars": ratio_bars(here),
                "ran": ran,
                "drawings": drawings,
                "pairs": [(_native(here, cell), cell) for cell in here if cell.algorithm == "auto"],
            }
        )
    own = [cell for cell in cells if cell.algorithm == "auto"]
    best = max(own, key=lambda cell: _native(cells, cell).seconds_median / cell.seconds_median)
    gain = _native(cells, best).seconds_median / best.seconds_median
    return render("demo.html.j2", cells, sections=sections, best_gain=gain, best=best)


def bench_page(cells: Sequence[Cell]) -> str:
    """The page of ``trunkline bench``: curves by size and the table, for each cluster and MPI."""
    sections = [
        {
            "cluster": cluster,
            "mpi": mpi,
            "rate": rows[0].rate_bps,
            "curves": time_curves(rows),
            "cells": rows,
            "limit": _core.facts_of(rows[0].collective).limit_in_transfers(rows[0].hosts),
        }
        for (cluster, mpi), rows in (
            (key, list(rows)) for key, rows in groupby(cells, key=lambda c: (c.cluster, c.mpi))
        )
    ]
    return render("bench.html.j2", cells, sections=sections, collective=_core.facts_of(cells[0].collective).mpi_name)
