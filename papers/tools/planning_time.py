#!/usr/bin/env python3
"""Draws how long trees over weighted graphs take to lay, from what trunkline-bench-wave prints; says the table, too."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path

from matplotlib.figure import Figure

from trunkline.draw.colours import INK
from trunkline.report.chart import svg_text, tidy_axes
from trunkline.report.line_styles import line_styles

Rows = Mapping[str, Sequence[Mapping[str, float]]]


def steps(row: Mapping[str, float]) -> float:
    """V log2 V + E of a graph."""
    return row["hosts"] * log2(row["hosts"]) + row["edges"]


def drawn(by_shape: Rows) -> str:
    """An ``<svg>`` element: seconds by hosts on log axes, and what would grow as V log V + E from `wave`'s first."""
    figure = Figure(figsize=(4.2, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for name, (colour, dashes, marker) in line_styles(by_shape).items():
        x = [row["hosts"] for row in by_shape[name]]
        y = [1e3 * row["planning_seconds"] for row in by_shape[name]]
        axes.plot(x, y, color=colour, ls=dashes, lw=1.2, marker=marker, ms=4, label=name)
    own = by_shape["wave"]
    grown = [1e3 * own[0]["planning_seconds"] * steps(row) / steps(own[0]) for row in own]
    axes.plot([row["hosts"] for row in own], grown, color=INK, ls=(0, (4, 3)), lw=1, label="as V log V + E")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("hosts, ten edges each")
    axes.set_ylabel("milliseconds of the processor")
    tidy_axes(axes)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return svg_text(figure)


def main() -> None:
    """Reads the benchmark's JSON from standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", required=True, type=Path, help="the picture")
    output = parser.parse_args().output
    by_shape: dict[str, list[Mapping[str, float]]] = {}
    for row in json.load(sys.stdin):
        by_shape.setdefault(row["shape"], []).append(row)
    output.write_text(drawn(by_shape))
    names = list(by_shape)
    print("| hosts | edges | " + " | ".join(f"`{name}`" for name in names) + " | `wave`, ns a step |")
    print("|---|" + "---|" * (len(names) + 2))
    for number, row in enumerate(by_shape["wave"]):
        times = " | ".join(f"{1e3 * by_shape[name][number]['planning_seconds']:.3g} ms" for name in names)
        print(f"| {row['hosts']} | {row['edges']} | {times} | {1e9 * row['planning_seconds'] / steps(row):.3g} |")


if __name__ == "__main__":
    main()
