"""``trunkline_papers bench heights``: how low trees without contention are on random clusters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Annotated

import typer

from trunkline.cli.app import Command
from trunkline.cli.options import CollectiveOption, JsonOption, SvgOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.errors import BadInput
from trunkline.terminal import console, progress_bar
from trunkline.units import parse_counts
from trunkline_papers.pipelined.drawn import DRAWINGS, ORDERS, ROOTS
from trunkline_papers.pipelined.heights import measure_heights
from trunkline_papers.pipelined.heights_table import heights_tables

__all__ = ["HeightsCommand", "heights"]


def _words(readings: Mapping[str, str]) -> str:
    return "; ".join(f"{name}, {what}" for name, what in readings.items())


def _known(text: str, readings: Mapping[str, str], option: str) -> list[str]:
    """Names of readings, separated by commas; ``all`` stands for each of them."""
    names = list(readings) if text == "all" else [name.strip() for name in text.split(",")]
    if wrong := [name for name in names if name not in readings]:
        raise BadInput(f"{option}: there is no '{wrong[0]}'; there are: {', '.join(readings)}, all")
    return names


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
    drawings: Annotated[
        str, typer.Option(metavar="NAME,...", help=f"How topologies are drawn: {_words(DRAWINGS)}.")
    ] = "pieces",
    orders: Annotated[
        str, typer.Option(metavar="NAME,...", help=f"What a depth-first search takes first: {_words(ORDERS)}.")
    ] = "drawn",
    roots: Annotated[str, typer.Option(metavar="NAME,...", help=f"Where trees start: {_words(ROOTS)}.")] = "random",
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Lay contention-free trees over random clusters: their heights beside the least possible, and planning times."""
    check_outputs({"--json": json, "--svg": svg})
    machines, each = parse_counts(hosts, "--hosts"), parse_counts(hosts_per_switch, "--hosts-per-switch")
    readings = list(
        itertools.product(
            _known(drawings, DRAWINGS, "--drawings"),
            _known(orders, ORDERS, "--orders"),
            _known(roots, ROOTS, "--roots"),
        )
    )
    rows = []
    with progress_bar(len(readings) * len(machines) * len(each), "planning") as bar:
        for row in measure_heights(collective, machines, each, degree, clusters, seed, readings):
            rows.append(row)
            bar.show(f"{row.machines} machines on {row.switches} switches, {row.drawing}, {row.order}", done=1)
    for table in heights_tables(rows):
        console.print(table)
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg:
        from trunkline_papers.pipelined.charts import height_curves  # Matplotlib takes a second to load

        write_text(height_curves(rows), svg)
