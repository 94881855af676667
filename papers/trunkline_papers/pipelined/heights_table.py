"""Heights of trees, for the terminal."""

from collections.abc import Sequence

from rich.table import Table

from trunkline.terminal import titled_table
from trunkline.units import format_seconds
from trunkline_papers.pipelined.heights import Heights

__all__ = ["heights_table"]


def heights_table(rows: Sequence[Heights]) -> Table:
    """The rows for the terminal."""
    first = rows[0]
    title = f"{first.shape} trees on {first.clusters} random clusters of each size: mean heights"
    columns = ("hosts", "switches", "mean", "most", "Alg.\n2", "bound", "full\ntree", "ratio", "optimal", "planning")
    table = titled_table(title, *columns)
    for row in rows:
        table.add_row(
            str(row.machines),
            str(row.switches),
            f"{row.mean_height:.2f}",
            str(row.highest),
            f"{row.mean_height_algorithm_2:.2f}",
            f"{row.mean_height_bound:.2f}",
            str(row.complete_tree_height),
            f"{row.ratio_to_complete:.2f}",
            f"{row.optimal}/{row.clusters}" if row.optimal is not None else "",
            format_seconds(row.seconds_median),
        )
    return table
