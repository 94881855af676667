"""Curves of the model and of trees' heights, as SVG text."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from trunkline.compat import zip_equal
from trunkline.draw.colours import ACCENT, GRID, INK, SERIES
from trunkline.report.chart import size_axes, svg_text
from trunkline.report.line_styles import line_styles
from trunkline.units import format_bytes, format_seconds
from trunkline_papers.pipelined.heights import Heights
from trunkline_papers.pipelined.model import Verdict
from trunkline_papers.pipelined.replayed import Replayed

__all__ = ["height_curves", "replayed_curves", "segment_curves"]


def segment_curves(verdicts: Sequence[Verdict]) -> str:
    """Time by segment for one message size: what was measured as points, what was predicted as lines.

    Below, as in figure 11 of the journal paper on pipelined broadcast: the best measured time of each message size, and
    the measured time of the segment that the model takes. The verdicts of one cluster and MPI.
    """
    styles = line_styles(dict.fromkeys(v.algorithm for v in verdicts))
    shown = max(v.message_bytes for v in verdicts)
    figure = Figure(figsize=(7.4, 8.4), layout="constrained")
    by_segment, by_size = figure.subplots(2, 1)
    for name, (colour, dashes, marker) in styles.items():
        (one,) = (v for v in verdicts if (v.algorithm, v.message_bytes) == (name, shown))
        x = [p.segment_bytes for p in one.points]
        by_segment.plot(
            x, [p.seconds_predicted for p in one.points], color=colour, ls=dashes, label=f"{name}, predicted"
        )
        spread = [
            [p.seconds_median - p.seconds_low for p in one.points],
            [p.seconds_high - p.seconds_median for p in one.points],
        ]
        by_segment.errorbar(
            x, [p.seconds_median for p in one.points], spread, fmt=marker, ms=4, color=colour, label=f"{name}, measured"
        )
        own = sorted((v for v in verdicts if v.algorithm == name), key=lambda v: v.message_bytes)
        sizes = [v.message_bytes for v in own]
        by_size.plot(
            sizes, [v.best.seconds_median for v in own], color=colour, ls=dashes, label=f"{name}, best segment"
        )
        chosen = [v.chosen.seconds_median for v in own]
        by_size.plot(sizes, chosen, "x", color=colour, label=f"{name}, the model's segment")
    size_axes(
        by_segment, sorted({p.segment_bytes for v in verdicts if v.message_bytes == shown for p in v.points}), "segment"
    )
    by_segment.tick_params(axis="x", rotation=60, labelsize=8)
    by_segment.set_title(f"{format_bytes(shown)} by segment", fontsize=10)
    by_segment.set_ylabel("time of the slowest rank")
    size_axes(by_size, sorted({v.message_bytes for v in verdicts}))
    by_size.set_ylabel("measured time of the slowest rank")
    for axes in (by_segment, by_size):  # less than a decade often: more ticks than its ends
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
    return svg_text(figure)


def height_curves(rows: Sequence[Heights]) -> str:
    """Mean heights against machines, a panel for each density of switches, and planning times.

    Of several ways to draw clusters, orders and roots the first is drawn.
    """
    first = rows[0]
    rows = [row for row in rows if (row.drawing, row.order, row.root) == (first.drawing, first.order, first.root)]
    densities = list(dict.fromkeys(row.machines_per_switch for row in rows))
    figure = Figure(figsize=(4.2 * (len(densities) + 1), 3.6), layout="constrained")
    panels = figure.subplots(1, len(densities) + 1, squeeze=False)[0]
    lines = (
        ("mean_height_algorithm_2", "Algorithm 2", SERIES[3], "-"),
        ("mean_height", "Trunkline", ACCENT, "-"),
        ("mean_height_bound", "lower bound", INK, ":"),
        ("complete_tree_height", "complete tree", INK, "--"),
    )
    for axes, density in zip_equal(panels[:-1], densities):
        some = [row for row in rows if row.machines_per_switch == density]
        for field, label, colour, style in lines:
            axes.plot(
                [row.machines for row in some], [getattr(row, field) for row in some], style, color=colour, label=label
            )
        axes.set_title(f"{density} machines a switch", fontsize=10)
        axes.set_ylabel("height, transfers")
        axes.set_ylim(bottom=0)
    for density, colour in zip(densities, SERIES, strict=False):
        some = [row for row in rows if row.machines_per_switch == density]
        panels[-1].plot(
            [row.machines for row in some],
            [row.seconds_median for row in some],
            marker="o",
            markersize=3,
            color=colour,
            label=f"{density} a switch",
        )
    panels[-1].set_title("planning one tree", fontsize=10)
    panels[-1].set_yscale("log")
    panels[-1].yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_seconds(value)))
    for axes in panels:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_xlabel("machines")
        axes.grid(color=GRID)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=9)
    return svg_text(figure)


def replayed_curves(rows: Sequence[Replayed]) -> str:
    """A row of panels for each figure and cluster, one for each way to count processors; what is stated as crosses."""
    panels = list(dict.fromkeys((row.figure, row.cluster) for row in rows))
    ways = list(dict.fromkeys(row.processors for row in rows))
    figure = Figure(figsize=(4.6 * len(ways), 3.1 * len(panels)), layout="constrained")
    for (name, cluster), line in zip_equal(panels, figure.subplots(len(panels), len(ways), squeeze=False)):
        for way, axes in zip_equal(ways, line):
            some = [row for row in rows if (row.figure, row.cluster, row.processors) == (name, cluster, way)]
            sizes = sorted({row.message_bytes for row in some})
            for algorithm, (colour, dashes, marker) in line_styles(dict.fromkeys(r.algorithm for r in some)).items():
                own = sorted((row for row in some if row.algorithm == algorithm), key=lambda row: row.message_bytes)
                axes.plot(
                    [row.message_bytes for row in own],
                    [row.seconds for row in own],
                    color=colour,
                    ls=dashes,
                    marker=marker,
                    ms=4,
                    label=algorithm,
                )
                said = [(row.message_bytes, row.stated_seconds) for row in own if row.stated_seconds is not None]
                if said:
                    axes.plot(*zip_equal(*said), "x", color=colour, ms=8)
            size_axes(axes, sizes)
            axes.set_title(f"{name}, {cluster}: {way}", fontsize=9)
            axes.set_ylabel("time of the last rank; x: stated")
            axes.legend(frameon=False, fontsize=7)
    return svg_text(figure)
