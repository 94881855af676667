"""``trunkline_papers bench grid``: the grid paper's experiment (figure 4) in its own model."""

from trunkline.cli.options import JsonOption, SvgOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.terminal import console
from trunkline_papers.grid.experiment import WITHIN_HOSTS, grid_experiment

__all__ = ["grid"]


def grid(json: JsonOption = None, svg: SvgOption = None) -> None:
    """Plan the grid paper's experiment (figure 4) in its own model: 100 000 bytes over two to nine processors.

    The paper's method stands beside MPICH's binomial tree and the optimum, three times: with messages between two
    processors of a host as costly as between hosts, through the host's own TCP, and through memory.
    """
    check_outputs({"--json": json, "--svg": svg})
    rows = [row for within in WITHIN_HOSTS for row in grid_experiment(within)]
    # Matplotlib takes a second to load
    from trunkline_papers.grid.tables import grid_curves, grid_tables

    console.print(grid_tables(rows))
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg:
        write_text(grid_curves(rows), svg)
