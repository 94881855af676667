"""``trunkline_papers bench heights``: how low trees without contention are on random clusters."""

from __future__ import annotations

from typing import Annotated

import typer

from trunkline.cli.app import Command
from trunkline.cli.options import CollectiveOption, JsonOption, SvgOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.terminal import console, progress_bar
from trunkline.units import parse_counts
from trunkline_papers.pipelined.heights import measure_heights
from trunkline_papers.pipelined.heights_table import heights_table

__all__ = ["HeightsCommand", "heights"]


class HeightsCommand(Command):
    """Its sizes were those of clusters once, and their hosts machines."""

    other_names = {"--sizes": "--hosts", "--machines-per-switch": "--hosts-per-switch"}  # noqa: RUF012 (as click's own attributes)


def heights(
    collective: CollectiveOption = "bcast",
    hosts: Annotated[str, typer.Option(metavar="N,...", help="Of the clusters, separated by commas.")] = (
        "16,32,64,128,256,512,1024"
    ),
    hosts_per_switch: Annotated[
        str, typer.Option(metavar="N,...", help="On average; several, separated by commas.")
    ] = "8,16",
    degree: Annotated[int, typer.Option(min=2, max=8, help="Most ranks that a rank sends to: 2 is a binary tree.")] = 2,
    clusters: Annotated[int, typer.Option(min=1, help="Random clusters of each size.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the random clusters.")] = 1,
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Lay contention-free trees over random clusters: their heights beside the least possible, and planning times."""
    check_outputs({"--json": json, "--svg": svg})
    machines, each = parse_counts(hosts, "--hosts"), parse_counts(hosts_per_switch, "--hosts-per-switch")
    rows = []
    with progress_bar(len(machines) * len(each), "planning") as bar:
        for row in measure_heights(collective, machines, each, degree, clusters, seed):
            rows.append(row)
            bar.show(f"{row.machines} machines on {row.switches} switches", done=1)
    console.print(heights_table(rows))
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg:
        from trunkline_papers.pipelined.charts import height_curves  # Matplotlib takes a second to load

        write_text(height_curves(rows), svg)
