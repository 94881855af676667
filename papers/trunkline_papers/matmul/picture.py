"""Speed-ups of a matrix multiplication as a picture, as figure 5 of the paper on UDP broadcasts: a panel a rate."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from trunkline.compat import zip_equal
from trunkline.draw.colours import INK, SOFT
from trunkline.report.chart import svg_text, tidy_axes
from trunkline.report.line_styles import line_styles
from trunkline.units import format_rate
from trunkline_papers.matmul.simulated import PAPER_READINGS, Multiplied

__all__ = ["speed_up_curves"]

_WIDTH, _PANEL = 3.75, 3.2
"""Inches; a phone shows the whole width."""


def speed_up_curves(rows: Sequence[Multiplied]) -> str:
    """An ``<svg>`` element for light and dark screens; the rows of one order on one cluster."""
    rates = list(dict.fromkeys(row.rate_bps for row in rows))
    styles = line_styles(dict.fromkeys(row.algorithm for row in rows))
    hosts = sorted({row.hosts for row in rows})
    figure = Figure(figsize=(_WIDTH, _PANEL * len(rates) + 0.5), layout="constrained")
    first = rows[0]
    title = f"Product of order {first.order}, simulated\n{first.cluster}, hosts that make {first.host_gflops:g} GFLOP/s"
    figure.suptitle(title, fontsize=10, fontweight="bold")
    for axes, rate in zip_equal(figure.subplots(len(rates), 1, squeeze=False)[:, 0], rates):
        axes.plot(hosts, hosts, color=INK, lw=1, ls=(0, (4, 3)), label="y = x")
        for part, dots in zip_equal(PAPER_READINGS.values(), (":", "-.")):
            label = f"the paper's words: {part:g} x"
            axes.plot(hosts, [part * each for each in hosts], color=SOFT, lw=1, ls=dots, label=label)
        for number, (name, (colour, dashes, marker)) in enumerate(styles.items()):
            size = 4 + 2 * (len(styles) - 1 - number)  # curves that coincide are seen by their markers
            own = sorted((row for row in rows if (row.rate_bps, row.algorithm) == (rate, name)), key=_hosts)
            x, y = [row.hosts for row in own], [row.speed_up for row in own]
            axes.plot(x, y, color=colour, ls=dashes, lw=1.2, marker=marker, ms=size, label=name, gid=f"curve-{name}")
        axes.set_title(f"links at {format_rate(rate)}", fontsize=10)
        axes.set_xlabel("hosts")
        axes.set_ylabel("speed-up over one host")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        tidy_axes(axes)
        axes.legend(frameon=False, fontsize=8, loc="upper left")
    return svg_text(figure)


def _hosts(row: Multiplied) -> int:
    return row.hosts
