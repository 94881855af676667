"""The tables of ``trunkline_papers bench multicast``, on the terminal."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.peers.multicast.cells import MulticastCell

__all__ = ["best_ways", "loss_words", "multicast_tables", "rates_by_loss"]


def loss_words(loss: str) -> str:
    """For people."""
    return "no loss" if loss == "0" else f"{loss} loss on every link"


def best_ways(cells: Sequence[MulticastCell]) -> list[MulticastCell]:
    """Of a file transfer's ways the faster one for each network and size; all other cells."""
    best: dict[tuple[object, ...], MulticastCell] = {}
    for cell in cells:
        several = cell.algorithm in ("paced", "fec")
        key = (*cell.key[:6], "" if several else cell.algorithm, cell.message_bytes)
        if key not in best or cell.seconds_median < best[key].seconds_median:
            best[key] = cell
    return list(best.values())


def multicast_tables(cells: Sequence[MulticastCell]) -> Group:
    """Times by size, a table for each loss and number of receivers; then rates of the longest message by loss."""
    tables = [
        _times(list(rows))
        for _, rows in groupby(cells, key=lambda cell: (cell.cluster, cell.rate_bps, cell.loss, cell.receivers))
    ]
    return Group(*tables, *([rates_by_loss(cells)] if len({cell.loss for cell in cells}) > 1 else []))


def _times(cells: list[MulticastCell]) -> Table:
    first = cells[0]
    sizes = sorted({cell.message_bytes for cell in cells})
    place = f"{escape(first.cluster)} at {format_rate(first.rate_bps)}, {first.receivers} receivers"
    title = f"{place}, {loss_words(first.loss)}: slowest receiver, median"
    table = titled_table(title, "", *map(format_bytes, sizes), left=[""], wrap=[""], tight=True)
    bound = {cell.message_bytes: cell.bound_seconds for cell in cells}
    limit = {cell.message_bytes: cell.limit_seconds for cell in reversed(cells)}
    table.add_row("bound m/B", *(format_seconds(bound[size]) for size in sizes))
    table.add_row(f"T(m), {first.mpi}", *(format_seconds(limit[size]) for size in sizes), end_section=True)
    for name in dict.fromkeys(cell.name for cell in cells):
        of = {cell.message_bytes: cell.seconds_median for cell in cells if cell.name == name}
        table.add_row(name, *(format_seconds(of[size]) if size in of else "" for size in sizes))
    return table


def rates_by_loss(cells: Sequence[MulticastCell]) -> Table:
    """Megabytes a second to each receiver, of the longest message: what is left of the rate without loss beside it."""
    size = max(cell.message_bytes for cell in cells)
    rows = [cell for cell in best_ways(cells) if cell.message_bytes == size]
    losses = sorted({cell.loss for cell in rows}, key=lambda loss: float(loss.removesuffix("%")))
    title = f"{format_bytes(size)}, MB/s to each receiver, and the part of the rate without loss"
    words = ("", "receivers")
    table = titled_table(title, *words, *(loss_words(loss).split(" on")[0] for loss in losses), left=[""], wrap=[""])
    by_name = dict.fromkeys((_transfer_or_name(cell), cell.receivers) for cell in rows)
    for name, receivers in by_name:
        of = {
            cell.loss: cell.bytes_per_second
            for cell in rows
            if (_transfer_or_name(cell), cell.receivers) == (name, receivers)
        }
        whole = of.get("0")
        words_of = {loss: f"{rate / 1e6:.2f}" for loss, rate in of.items()}
        words_of |= {loss: f"{of[loss] / 1e6:.2f} ({of[loss] / whole:.0%})" for loss in of if whole and loss != "0"}
        table.add_row(name, str(receivers), *(words_of.get(loss, "") for loss in losses))
    return table


def _transfer_or_name(cell: MulticastCell) -> str:
    return cell.mpi if cell.algorithm in ("paced", "fec") else cell.name
