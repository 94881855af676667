"""Heights of trees, for the terminal."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from trunkline.terminal import titled_table
from trunkline_papers.pipelined.heights import Heights

__all__ = ["heights_tables"]


def heights_tables(rows: Sequence[Heights]) -> Iterator[Table]:
    """The rows for the terminal, a table for each way of drawing clusters, order and root."""
    for reading in dict.fromkeys((row.drawing, row.order, row.root) for row in rows):
        yield _table([row for row in rows if (row.drawing, row.order, row.root) == reading])


def _table(rows: Sequence[Heights]) -> Table:
    first = rows[0]
    title = (
        f"{first.shape} trees on {first.clusters} random clusters of each size: mean heights\n"
        f"topologies: {first.drawing}; search: {first.order}; root: {first.root}"
    )
    columns = (
        "hosts",
        "switches",
        "mean",
        "most",
        "Alg.\n2",
        "bound",
        "full\ntree",
        "ratio",
        "Alg. 2\nratio",
        "optimal",
    )
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
            f"{row.ratio_algorithm_2:.2f}",
            f"{row.optimal}/{row.clusters}" if row.optimal is not None else "",
        )
    return table
