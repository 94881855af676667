"""Tables and pictures of ``trunkline_papers bench wave-optimality`` and ``bench grid``."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from rich.console import Group
from rich.table import Table

from trunkline.compat import zip_equal
from trunkline.draw.colours import GRID
from trunkline.report.chart import svg_text
from trunkline.report.line_styles import line_styles
from trunkline.terminal import titled_table
from trunkline_papers.grid.experiment import BINOMIAL, WITHIN_HOSTS, Grid
from trunkline_papers.grid.wave_optimality import Optimality, Ratios

__all__ = ["grid_curves", "grid_tables", "optimality_curves", "optimality_tables"]

_WITHIN = {
    "network": "as between hosts of a network",
    "loopback": "through the host's own TCP",
    "memory": "through memory",
}


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


def grid_tables(rows: Sequence[Grid]) -> Group:
    """A table for each assumption about processors of a host: times, and what is in a row on the longest way."""
    return Group(*(_grid([row for row in rows if row.within_hosts == within], within) for within in WITHIN_HOSTS))


def _grid(rows: Sequence[Grid], within: str) -> Table:
    """By the number of processors; the gain is that of ``wave`` over ``binomial``. ``local-search`` is the optimum."""
    shapes = [shape for shape in dict.fromkeys(row.shape for row in rows) if shape != "local-search"]
    title = f"Within a host {_WITHIN[within]}: ms (sends + far ways in a row)"
    table = titled_table(title, "number", *shapes, "gain")
    for processors in dict.fromkeys(row.processors for row in rows):
        here = {row.shape: row for row in rows if row.processors == processors}
        cells = [
            f"{1e3 * one.seconds:.1f} ({one.sends_in_a_row}+{one.far_in_a_row})"
            for one in (here[shape] for shape in shapes)
        ]
        table.add_row(str(processors), *cells, f"{here[BINOMIAL].seconds / here['wave'].seconds:.2f}")
    return table


def grid_curves(rows: Sequence[Grid]) -> str:
    """The paper's figure 4, once for each assumption about processors of a host."""
    figure = Figure(figsize=(10.4, 3.8), layout="constrained")
    for axes, within in zip_equal(figure.subplots(1, len(WITHIN_HOSTS), sharey=True), WITHIN_HOSTS):
        some = [row for row in rows if row.within_hosts == within]
        shapes = list(dict.fromkeys(row.shape for row in some))
        for name, (colour, dashes, marker) in line_styles(shapes).items():
            x = [row.processors for row in some if row.shape == name]
            y = [1e3 * row.seconds for row in some if row.shape == name]
            axes.plot(x, y, color=colour, ls=dashes, marker=marker, label=name)
        axes.set_ylim(bottom=0)
        axes.set_title(f"within a host {_WITHIN[within]}", fontsize=9)
        axes.set_xlabel("processors of two sites")
        axes.grid(color=GRID)
        axes.set_axisbelow(True)
    figure.axes[0].set_ylabel("planned time of 100 000 bytes, ms")
    figure.axes[0].legend(frameon=False, fontsize=9)
    return svg_text(figure)


def optimality_curves(ratios: Sequence[Ratios]) -> str:
    """How many of the graphs are within what ratio, a curve for each shape."""
    figure = Figure(figsize=(5.4, 4.2), layout="constrained")
    within = figure.subplots()
    for name, style in line_styles(ratios[0].over_optimum).items():
        x = sorted(one.over_optimum[name] for one in ratios)
        share = [(k + 1) / len(x) for k in range(len(x))]
        within.plot(x, share, color=style.colour, linestyle=style.dashes, label=name)
    within.set_xlim(0.99, 2.0)
    within.set_ylim(0, 1.02)
    within.set_xlabel("broadcast time over the optimum")
    within.set_ylabel("share of the graphs within")
    within.grid(color=GRID)
    within.set_axisbelow(True)
    within.legend(frameon=False, fontsize=9)
    return svg_text(figure)
