"""``trunkline_papers simulate broadcasts``: figures of the papers on pipelined broadcasts, on their own hosts."""

from collections.abc import Sequence
from itertools import product
from typing import Annotated

import typer
from rich.table import Table

from trunkline.cli.options import JsonOption, SvgOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.errors import BadInput
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.peers.figures import figure
from trunkline_papers.pipelined.own_hosts import Processors
from trunkline_papers.pipelined.replayed import FIGURES, Replayed, line_from, replay_figure

__all__ = ["broadcasts"]


def broadcasts(
    figures: Annotated[
        str, typer.Option(metavar="NAME,...", help=f"Of {FIGURES[0]} to {FIGURES[-1]}, separated by commas; or all.")
    ] = "all",
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Replay figures 12 to 18 of the papers on pipelined broadcasts with what their table 2 says of their hosts.

    Each is shown twice: with messages that keep ports alone busy, as the papers' model has them, and with all that the
    table allows them to take of the hosts' processors.
    """
    check_outputs({"--json": json, "--svg": svg})
    names = list(FIGURES) if figures == "all" else [name.strip() for name in figures.split(",")]
    if wrong := [name for name in names if name not in FIGURES]:
        raise BadInput(f"--figures: '{wrong[0]}' is not replayed; there are: {', '.join(FIGURES)}, all")
    rows: list[Replayed] = []
    cases = list(product(names, Processors))
    with progress_bar(len(cases), "replaying") as bar:
        for name, processors in cases:
            bar.show(f"{name}, {processors.value}")
            rows += replay_figure(name, processors)
            bar.show(done=1)
    for name in names:
        console.print(_table(name, [row for row in rows if row.figure == name]))
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg:
        from trunkline_papers.pipelined.charts import replayed_curves  # Matplotlib takes a second to load

        write_text(replayed_curves(rows), svg)


def _table(name: str, rows: Sequence[Replayed]) -> Table:
    columns = ("cluster", "size", "algorithm", *(one.value for one in Processors), "the paper")
    title = f"{name}, {format_rate(rows[0].rate_bps)}: {figure(name).title}"
    table = titled_table(title, *columns, left=("cluster", "algorithm"), wrap=("algorithm",))
    times = {(row.cluster, row.message_bytes, row.algorithm, row.processors): row for row in rows}
    for cluster, size, algorithm in dict.fromkeys((row.cluster, row.message_bytes, row.algorithm) for row in rows):
        both = [times[cluster, size, algorithm, one.value] for one in Processors]
        stated = both[0].stated_seconds
        table.add_row(
            cluster,
            format_bytes(size),
            algorithm,
            *(format_seconds(one.seconds) for one in both),
            "" if stated is None else format_seconds(stated),
        )
    if {"linear", "binary"} <= {row.algorithm for row in rows}:
        for cluster in dict.fromkeys(row.cluster for row in rows):
            here = [
                line_from([row for row in rows if (row.cluster, row.processors) == (cluster, one.value)])
                for one in Processors
            ]
            words = ["nowhere" if size is None else f"from {format_bytes(size)}" for size in here]
            table.add_row(cluster, "", "line below binary", *words, "")
    return table
