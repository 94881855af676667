"""Charts as SVG text, to stand inside a page."""

import io
from collections.abc import Sequence
from itertools import groupby

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from trunkline.bench.bcast import Cell
from trunkline.units import format_bytes, format_seconds

__all__ = ["PALETTE", "ratio_bars", "time_curves"]

PALETTE = {"native": "#9aa5b1", "auto": "#0b7285", "linear": "#1971c2", "unaware-linear": "#e8590c"}
"""Colour of each algorithm, the same in every picture."""
_OTHER = ["#5f3dc4", "#2b8a3e", "#c2255c", "#846358"]
_INK = "#212529"

mpl.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "svg.fonttype": "none",
        "svg.hashsalt": "trunkline",
        "axes.edgecolor": "#adb5bd",
        "axes.labelcolor": _INK,
        "text.color": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
    }
)


def _colour(algorithm: str, known: list[str]) -> str:
    if algorithm in PALETTE:
        return PALETTE[algorithm]
    others = [name for name in known if name not in PALETTE]
    return _OTHER[others.index(algorithm) % len(_OTHER)]


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def ratio_bars(cells: Sequence[Cell]) -> str:
    """Bars of every algorithm's time over T(m), one group for each MPI and size; the cells of one cluster."""
    groups = [(key, list(rows)) for key, rows in groupby(cells, key=lambda c: (c.mpi, c.message_bytes))]
    algorithms = list(dict.fromkeys(c.algorithm for c in cells))
    figure = Figure(figsize=(7.4, 0.6 + 0.34 * len(cells) + 0.22 * len(groups)))
    axes = figure.add_subplot()
    y = 0.0
    ticks, labels = [], []
    for (mpi, size), rows in groups:
        ticks.append(y + (len(rows) - 1) / 2)
        labels.append(f"{mpi}\n{format_bytes(size)}")
        for cell in rows:
            ratio = cell.seconds_median / cell.limit_seconds
            axes.barh(y, ratio, height=0.84, color=_colour(cell.algorithm, algorithms))
            axes.text(
                ratio * 1.04, y, f"{ratio:.3g} T   {format_seconds(cell.seconds_median)}", va="center", fontsize=9
            )
            y += 1
        y += 0.8
    top = max(c.seconds_median / c.limit_seconds for c in cells)
    axes.set_xscale("log")
    axes.set_xlim(0.8, top * 4)
    axes.set_yticks(ticks, labels)
    axes.invert_yaxis()
    axes.axvline(1.0, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.xaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("time over T(m), half a ping-pong: no broadcast can be faster than 1")
    axes.grid(axis="x", color="#e9ecef")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return _svg(figure)


def time_curves(cells: Sequence[Cell]) -> str:
    """Time by size on log axes, one curve for each algorithm and T(m) below; the cells of one cluster and MPI."""
    algorithms = list(dict.fromkeys(c.algorithm for c in cells))
    sizes = sorted({c.message_bytes for c in cells})
    figure = Figure(figsize=(7.4, 4.4))
    axes = figure.add_subplot()
    for name in algorithms:
        rows = sorted((c for c in cells if c.algorithm == name), key=lambda c: c.message_bytes)
        x = [c.message_bytes for c in rows]
        colour = _colour(name, algorithms)
        axes.fill_between(
            x, [c.seconds_low for c in rows], [c.seconds_high for c in rows], color=colour, alpha=0.18, lw=0
        )
        axes.plot(x, [c.seconds_median for c in rows], marker="o", markersize=4, color=colour, label=name)
    limits = {c.message_bytes: c.limit_seconds for c in cells}
    axes.plot(sizes, [limits[s] for s in sizes], color=_INK, linestyle=(0, (4, 3)), linewidth=1, label="T(m)")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_bytes(int(value))))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: format_seconds(value).replace(".00", "").replace(".0", ""))
    )
    axes.set_xlabel("message")
    axes.set_ylabel("time of the slowest rank")
    axes.grid(color="#e9ecef")
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return _svg(figure)
