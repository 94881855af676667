"""``trunkline_papers bench wave-optimality``: trees over weighted graphs beside the optimum."""

from typing import Annotated

import typer

from trunkline.cli.options import JsonOption, SvgOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.terminal import console, progress_bar
from trunkline_papers.grid.wave_optimality import measure_ratios, summarize

__all__ = ["wave_optimality"]


def wave_optimality(
    graphs: Annotated[int, typer.Option(min=3, help="Random graphs of 6 to 10 hosts, of three families by turns.")] = (
        1000
    ),
    seed: Annotated[int, typer.Option(help="Of the random graphs.")] = 1,
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Lay trees over random weighted graphs: how much slower than the fastest broadcast possible they are.

    Latencies are around those of the paper on broadcasts in grids, injection takes 0.1 to 10 times as long. The paper's
    own experiment is 'trunkline_papers bench grid'.
    """
    check_outputs({"--json": json, "--svg": svg})
    ratios = []
    with progress_bar(graphs, "planning") as bar:
        for one in measure_ratios(graphs, seed):
            ratios.append(one)
            bar.show(f"{one.hosts} hosts, {one.family}", done=1)
    rows = summarize(ratios, seed)
    # Matplotlib takes a second to load
    from trunkline_papers.grid.tables import optimality_curves, optimality_tables

    console.print(optimality_tables(rows))
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg:
        write_text(optimality_curves(ratios), svg)
