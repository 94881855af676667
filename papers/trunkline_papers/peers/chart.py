"""Pictures of ``trunkline_papers bench peers``: curves by size, and the colours of its heat map."""

from collections.abc import Sequence
from math import log2

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from trunkline import _core
from trunkline.draw.colours import INK
from trunkline.report.chart import size_axes, svg_text
from trunkline.report.line_styles import line_styles
from trunkline_papers.peers.comparison import BEST
from trunkline_papers.peers.results import PeerCell

__all__ = ["heat_colour", "peer_curves"]

_LABELS = {"native": "as it comes", BEST: "at its best setting", "auto": "with Trunkline"}


def peer_curves(cells: Sequence[PeerCell], title: str, least: float, most: float) -> str:
    """Time by size on log axes for one peer on one cluster, with T(m) and the bound m/B.

    Args:
        cells: Of one peer and one cluster.
        title: Above the chart.
        least: Lower end of the time axis in seconds, alike for all peers of a cluster.
        most: Upper end.
    """
    figure = Figure(figsize=(4.9, 3.6))
    axes = figure.add_subplot()
    sizes = sorted({cell.message_bytes for cell in cells})
    for algorithm, (colour, dashes, marker) in line_styles(dict.fromkeys(cell.algorithm for cell in cells)).items():
        rows = sorted((cell for cell in cells if cell.algorithm == algorithm), key=lambda cell: cell.message_bytes)
        x = [cell.message_bytes for cell in rows]
        low, high = [cell.seconds_low for cell in rows], [cell.seconds_high for cell in rows]
        axes.fill_between(x, low, high, color=colour, alpha=0.18, lw=0)
        label = _LABELS.get(algorithm, algorithm)
        y = [cell.seconds_median for cell in rows]
        axes.plot(x, y, color=colour, linestyle=dashes, marker=marker, markersize=4, label=label)
    limits = {cell.message_bytes: cell.limit_seconds for cell in cells}
    rate = cells[0].rate_bps
    axes.plot(sizes, [limits[size] for size in sizes], color=INK, linestyle=(0, (4, 3)), linewidth=1, label="T(m)")
    times = _core.facts_of(cells[0].collective).limit_in_transfers(cells[0].hosts)
    bound = "bound m/B" if times == 1.0 else f"bound {times:.3g} m/B"
    axes.plot(sizes, [times * size * 8 / rate for size in sizes], color=INK, linestyle=":", linewidth=1, label=bound)
    axes.set_ylim(least * 0.8, most * 1.25)
    size_axes(axes, sizes)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))  # a cluster may span less than a decade
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_ylabel("time of the slowest rank", fontsize=9)
    axes.legend(frameon=False, fontsize=8)
    return svg_text(figure)


def heat_colour(ratio: float) -> str:
    """Background for how many times faster Trunkline is: red below 1, none at 1, ever greener up to 16."""
    if ratio < 1:
        share = min(1.0, log2(1 / ratio))
        return f"rgba(224, 49, 49, {0.6 * share:.2f})"
    share = min(1.0, log2(ratio) / 4)
    return f"rgba(18, 158, 98, {0.75 * share:.2f})"
