"""Charts as SVG text, to stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from itertools import groupby

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from trunkline import _core
from trunkline.bench.learning import CALLS, Learned
from trunkline.bench.measure import Cell
from trunkline.draw.colours import ACCENT, AXIS, GRID, INK, NATIVE, SERIES, SOFT, dark_too
from trunkline.predict import Predicted
from trunkline.report.line_styles import LineStyle, line_styles
from trunkline.units import format_bytes, format_seconds

mpl.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "svg.fonttype": "none",
        "svg.hashsalt": "trunkline",
        "axes.edgecolor": AXIS,
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
)


def svg_text(figure: Figure) -> str:
    """The figure as an ``<svg>`` element, the same text each time."""
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return dark_too(_STYLED.sub(_colours_as_attributes, text[text.index("<svg") :]))


_STYLED = re.compile(r'style="([^"]*)"')
_COLOUR = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})(?:; |$)")


def _colours_as_attributes(style: re.Match[str]) -> str:
    """Colours out of an inline style, which no style sheet could change."""
    attributes = "".join(f' {name}="{colour}"' for name, colour in _COLOUR.findall(style[1]))
    return f'style="{_COLOUR.sub("", style[1])}"{attributes}'


def ratio_bars(cells: Sequence[Cell]) -> str:
    """Bars of every algorithm's time over T(m), one group for each MPI and size; the cells of one cluster."""
    groups = [(key, list(rows)) for key, rows in groupby(cells, key=lambda c: (c.mpi, c.message_bytes))]
    styles = line_styles(dict.fromkeys(c.algorithm for c in cells))
    figure = Figure(figsize=(5.6, 0.6 + 0.34 * len(cells) + 0.22 * len(groups)))
    axes = figure.add_subplot()
    y = 0.0
    ticks, labels = [], []
    for (mpi, size), rows in groups:
        ticks.append(y + (len(rows) - 1) / 2)
        labels.append(f"{mpi}\n{format_bytes(size)}")
        for cell in rows:
            ratio = cell.seconds_median / cell.limit_seconds
            axes.barh(y, ratio, height=0.84, color=styles[cell.algorithm].colour)
            axes.text(
                ratio * 1.04, y, f"{ratio:.3g} T · {format_seconds(cell.seconds_median)}", va="center", fontsize=9
            )
            y += 1
        y += 0.8
    top = max(c.seconds_median / c.limit_seconds for c in cells)
    axes.set_xscale("log")
    axes.set_xlim(0.8, top * 6)
    axes.set_yticks(ticks, labels)
    axes.invert_yaxis()
    axes.axvline(1.0, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.xaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    least = cells[0].least_seconds / cells[0].limit_seconds
    if least != 1.0:
        axes.axvline(least, color=INK, linewidth=1, linestyle=":")
    call = f"{_core.facts_of(cells[0].collective).mpi_name} on {cells[0].hosts} hosts"
    axes.set_xlabel(f"time over T(m), half a ping-pong: no {call} can be faster than {least:.3g}")
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return svg_text(figure)


def tidy_axes(axes: Axes) -> None:
    """A grid behind the curves, and no frame but the two scales."""
    axes.grid(color=GRID)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def size_axes(axes: Axes, sizes: Sequence[int], label: str = "message") -> None:
    """Message sizes along, seconds up, both on log scales, with a legend; after everything is plotted."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_bytes(int(value))))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: format_seconds(value).replace(".00", "").replace(".0", ""))
    )
    if len(sizes) > 6:
        axes.tick_params(axis="x", rotation=45)
    axes.set_xlabel(label)
    tidy_axes(axes)
    axes.legend(frameon=False)


def _curve(axes: Axes, x: Sequence[int], y: Sequence[float], style: LineStyle, name: str) -> None:
    colour, dashes, marker = style
    axes.plot(x, y, color=colour, linestyle=dashes, marker=marker, markersize=5, label=name, gid=f"curve-{name}")


def _legend_beside(axes: Axes, ends: Mapping[str, float]) -> None:
    """The legend at the right end of the curves, in the order of their last values: no curve lies under it."""
    last = sorted(axes.get_lines(), key=lambda line: -ends[str(line.get_label())])
    axes.legend(handles=last, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5), handlelength=3.2)


def prediction_curves(rows: Sequence[Predicted]) -> str:
    """Predicted time by size on log axes, one curve for each algorithm."""
    styles = line_styles(dict.fromkeys(row.algorithm for row in rows))
    figure = Figure(figsize=(6.2, max(4.4, 0.24 * len(styles))))
    axes = figure.add_subplot()
    for name, style in styles.items():
        own = sorted((row for row in rows if row.algorithm == name), key=lambda row: row.message_bytes)
        x, y = [row.message_bytes for row in own], [row.seconds for row in own]
        _curve(axes, x, y, style, name)
    size_axes(axes, sorted({row.message_bytes for row in rows}))
    _legend_beside(axes, {row.algorithm: row.seconds for row in sorted(rows, key=lambda row: row.message_bytes)})
    axes.set_ylabel("predicted time")
    return svg_text(figure)


def time_curves(cells: Sequence[Cell]) -> str:
    """Time by size on log axes, one curve for each algorithm, T(m) and the limit; the cells of one cluster and MPI."""
    styles = line_styles(dict.fromkeys(c.label for c in cells))
    sizes = sorted({c.message_bytes for c in cells})
    figure = Figure(figsize=(6.2, max(4.4, 0.24 * len(styles))))
    axes = figure.add_subplot()
    for name, style in styles.items():
        rows = sorted((c for c in cells if c.label == name), key=lambda c: c.message_bytes)
        x = [c.message_bytes for c in rows]
        axes.fill_between(
            x, [c.seconds_low for c in rows], [c.seconds_high for c in rows], color=style.colour, alpha=0.18, lw=0
        )
        _curve(axes, x, [c.seconds_median for c in rows], style, name)
    limits = {c.message_bytes: c.limit_seconds for c in cells}
    axes.plot(sizes, [limits[s] for s in sizes], color=INK, linestyle=(0, (4, 3)), linewidth=1, label="T(m)")
    ends = {cell.label: cell.seconds_median for cell in sorted(cells, key=lambda cell: cell.message_bytes)}
    ends |= {"T(m)": limits[sizes[-1]]}
    least = {c.message_bytes: c.least_seconds for c in cells}
    if least != limits:
        axes.plot(sizes, [least[s] for s in sizes], color=INK, linestyle=":", linewidth=1, label="limit")
        ends["limit"] = least[sizes[-1]]
    size_axes(axes, sizes)
    _legend_beside(axes, ends)
    axes.set_ylabel("time of the slowest rank")
    return svg_text(figure)


def learning_picture(job: Learned) -> str:
    """An ``<svg>`` element of two panels: what a call takes, and what all calls so far have lost."""
    figure = Figure(figsize=(5.2, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    calls = [CALLS * number for number in range(1, len(job.ours_ms) + 1)]
    above.plot(calls, job.native_ms, color=NATIVE, linestyle=(0, (5, 2)), label="native, in turns")
    above.plot(calls, job.ours_ms, color=ACCENT, label="calls that learn")
    above.axhline(job.best_ms, color=SERIES[1], linestyle=(0, (1, 1.4)), label="the best")
    above.set_ylabel("a call, ms")
    above.set_ylim(bottom=0)
    below.plot(calls, job.lost_so_far_ms, color=ACCENT, label="beside native calls")
    below.plot(
        calls, job.allowed_so_far_ms, color=INK, linewidth=1, linestyle=(0, (4, 3)), label="that much is allowed"
    )
    below.plot(calls, job.regret_so_far_ms, color=SERIES[1], linestyle=(0, (1, 1.4)), label="beside the best")
    below.set_ylabel("lost so far, ms")
    below.set_xlabel("calls that learn")
    for axes in (above, below):
        if job.settled_after is not None:
            label = f"settled after {job.settled_after} calls" if axes is above else "_"  # once is enough
            axes.axvline(job.settled_after, color=SOFT, linewidth=1, label=label)
        tidy_axes(axes)
        axes.legend(frameon=False, fontsize=9)
    return svg_text(figure)
