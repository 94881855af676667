"""Tables and a picture of ``trunkline_papers bench wave-optimality``."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from rich.console import Group
from rich.table import Table

from trunkline.draw.colours import GRID
from trunkline.report.chart import svg_text
from trunkline.report.line_styles import line_styles
from trunkline.terminal import titled_table
from trunkline_papers.grid.wave_optimality import OPTIMUM, Grid, Optimality, Ratios

__all__ = ["grid_table", "optimality_curves", "optimality_tables"]

SHOWN = ("wave", "local-search", OPTIMUM, "binomial")


def optimality_tables(rows: Sequence[Optimality]) -> Group:
    """A table for each family of graphs, and the one of all first."""
    return Group(
        *(_family([row for row in rows if row.family == family]) for family in dict.fromkeys(r.family for r in rows))
    )


def _family(rows: Sequence[Optimality]) -> Table:
    title = f"{rows[0].graphs} random graphs, {rows[0].family}: broadcast time over the optimum"
    table = titled_table(title, "shape", "mean", "worst", "optimal", left=("shape",))
    for row in rows:
        table.add_row(row.shape, f"{row.mean:.3f}", f"{row.worst:.3f}", f"{row.optimal:.1%}")
    return table


def grid_table(rows: Sequence[Grid]) -> Table:
    """Planned times of the paper's own experiment."""
    table = titled_table("Two sites, 100 000 bytes, as planned: ms", "processors", *SHOWN)
    for row in rows:
        table.add_row(str(row.processors), *(f"{1e3 * row.seconds[name]:.1f}" for name in SHOWN))
    return table


def optimality_curves(ratios: Sequence[Ratios], grid: Sequence[Grid]) -> str:
    """How many of the graphs are within what ratio, a curve for each shape; beside it the paper's figure 4."""
    figure = Figure(figsize=(10.4, 4.2), layout="constrained")
    within, times = figure.subplots(1, 2)
    for name, style in line_styles(ratios[0].over_optimum).items():
        x = sorted(one.over_optimum[name] for one in ratios)
        share = [(k + 1) / len(x) for k in range(len(x))]
        within.plot(x, share, color=style.colour, linestyle=style.dashes, label=name)
    within.set_xlim(0.99, 2.0)
    within.set_ylim(0, 1.02)
    within.set_xlabel("broadcast time over the optimum")
    within.set_ylabel("share of the graphs within")
    for name, (colour, dashes, marker) in line_styles(SHOWN).items():
        y = [1e3 * row.seconds[name] for row in grid]
        times.plot([row.processors for row in grid], y, color=colour, ls=dashes, marker=marker, label=name)
    times.set_ylim(bottom=0)
    times.set_xlabel("processors of two sites")
    times.set_ylabel("planned time of 100 000 bytes, ms")
    for axes in (within, times):
        axes.grid(color=GRID)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=9)
    return svg_text(figure)
