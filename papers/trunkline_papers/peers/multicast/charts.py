"""Figures 1 to 4 of the paper on UDP broadcasts, and what loss leaves of the rate; as wide as a phone."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from trunkline.compat import zip_equal
from trunkline.draw.colours import INK
from trunkline.report.chart import svg_text, tidy_axes
from trunkline.report.line_styles import line_styles
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.peers.multicast.cells import MulticastCell
from trunkline_papers.peers.multicast.tables import best_ways, loss_words

__all__ = ["FIGURES", "loss_figure", "paper_figures"]

_WIDTH, _PANEL = 3.75, 2.7
"""Inches; a phone shows the whole width."""

OURS = "multicast"
FIGURES = {
    "figure-1": ("Time of the paper's peers and of MPI libraries", False, False),
    "figure-2": ("Rate of the paper's peers and of MPI libraries", False, True),
    "figure-3": ("Time of the broadcast by datagrams", True, False),
    "figure-4": ("Rate of the broadcast by datagrams", True, True),
}
"""The paper's numbers: title, whether it shows the multicast, whether it shows rates."""


def paper_figures(cells: Sequence[MulticastCell]) -> dict[str, str]:
    """An ``<svg>`` element for light and dark screens for each figure that there are cells for; those without loss.

    As in the paper: a curve for each message length over the number of receivers, times on a log axis.
    """
    without = [cell for cell in cells if cell.loss == "0" and cell.algorithm in ("native", OURS)]
    figures = {}
    for name, (title, ours, rates) in FIGURES.items():
        shown = [cell for cell in without if (cell.algorithm == OURS) == ours]
        if shown:
            figures[name] = _over_receivers(shown, title, rates)
    return figures


def _panels(count: int, title: str, first: MulticastCell, legend: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(_WIDTH, _PANEL * count + 0.7 + legend), layout="constrained")
    place = f"{first.cluster}, links at {format_rate(first.rate_bps)}"
    figure.suptitle(f"{title}\n{place}", fontsize=10, fontweight="bold")
    return figure, list(figure.subplots(count, 1, squeeze=False, sharey=True)[:, 0])


def _over_receivers(cells: Sequence[MulticastCell], title: str, rates: bool) -> str:
    """A panel for each peer."""
    found = dict.fromkeys(cell.name for cell in cells)
    names = sorted(found, key=lambda name: name not in ("pvm", "lam"))  # the paper's first
    sizes = sorted({cell.message_bytes for cell in cells})
    styles = line_styles(map(format_bytes, sizes))
    receivers = sorted({cell.receivers for cell in cells})
    figure, panels = _panels(len(names), title, cells[0], 0.2 * ((len(sizes) + 2) // 3))
    for axes, name in zip_equal(panels, names):
        for size, (label, (colour, dashes, marker)) in zip_equal(sizes, styles.items()):
            own = sorted(
                (cell for cell in cells if (cell.name, cell.message_bytes) == (name, size)),
                key=lambda cell: cell.receivers,
            )
            x = [receivers.index(cell.receivers) for cell in own]
            y = [cell.bytes_per_second / 1e6 if rates else cell.seconds_median for cell in own]
            axes.plot(
                x, y, color=colour, ls=dashes, lw=1.2, marker=marker, ms=4, label=label, gid=f"curve-{name}-{size}"
            )
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("receivers")
        axes.xaxis.set_major_locator(FixedLocator(range(len(receivers))))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: str(receivers[int(at)])))
        if rates:
            _rate_axis(axes, cells[0].rate_bps)
        else:
            axes.set_ylabel("time of the slowest")
            _time_axis(axes)
        tidy_axes(axes)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return svg_text(figure)


def loss_figure(cells: Sequence[MulticastCell]) -> str | None:
    """The rate of the longest message over loss, a panel for each number of receivers; None: there is one loss alone.

    Of the MPI libraries native and multicast are shown, of file transfers the faster way.
    """
    size = max(cell.message_bytes for cell in cells)
    shown = [cell for cell in best_ways(cells) if cell.message_bytes == size and _is_shown(cell)]
    losses = sorted({cell.loss for cell in shown}, key=lambda loss: float(loss.removesuffix("%")))
    if len(losses) < 2:
        return None
    receivers = sorted({cell.receivers for cell in shown})
    styles = line_styles(dict.fromkeys(_curve_name(cell) for cell in shown))
    title = f"{format_bytes(size)} over loss on every link"
    figure, panels = _panels(len(receivers), title, shown[0], 0.2 * ((len(styles) + 1) // 2))
    for axes, count in zip_equal(panels, receivers):
        for name, (colour, dashes, marker) in styles.items():
            own = {cell.loss: cell for cell in shown if (_curve_name(cell), cell.receivers) == (name, count)}
            x = [losses.index(loss) for loss in losses if loss in own]
            y = [own[loss].bytes_per_second / 1e6 for loss in losses if loss in own]
            axes.plot(
                x, y, color=colour, ls=dashes, lw=1.2, marker=marker, ms=4, label=name, gid=f"curve-{name}-{count}"
            )
        axes.set_title(f"{count} receivers", fontsize=10)
        axes.xaxis.set_major_locator(FixedLocator(range(len(losses))))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda at, _: loss_words(losses[int(at)]).split(" on")[0]))
        _rate_axis(axes, shown[0].rate_bps)
        tidy_axes(axes)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return svg_text(figure)


def _is_shown(cell: MulticastCell) -> bool:
    return cell.algorithm in ("native", OURS, "paced", "fec")


def _curve_name(cell: MulticastCell) -> str:
    return cell.mpi if cell.algorithm in ("paced", "fec") else cell.name


def _rate_axis(axes: Axes, rate_bps: float) -> None:
    axes.axhline(rate_bps / 8e6, color=INK, lw=1, ls=":", label="link")
    axes.set_ylabel("MB/s to each")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(5))


def _time_axis(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: format_seconds(value).replace(".00", "").replace(".0", ""))
    )
    axes.yaxis.set_minor_locator(NullLocator())
