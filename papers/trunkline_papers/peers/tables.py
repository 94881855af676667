"""The comparison as tables: for the terminal, as Markdown, and beside the papers' numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.peers.comparison import BEST
from trunkline_papers.peers.figures import Figure, Stated
from trunkline_papers.peers.results import PeerCell, Place

__all__ = [
    "BESIDE",
    "Line",
    "algorithms_table",
    "beside_rows",
    "beside_table",
    "lines",
    "markdown",
    "peers_table",
    "unfinished",
]


BESIDE = ("cluster", "message", "what", "paper", "its rate", "here", "scaled", "source")
"""Columns of the comparison with a paper's numbers; scaled: ours in proportion, at the paper's rate."""


@dataclass(frozen=True)
class Line:
    """One peer at one size on one cluster.

    Attributes:
        default: Its own broadcast as it comes.
        best: The faster one of the default and the setting that won its race; None: not raced.
        own: Trunkline preloaded into it or, where that cannot be, into another one (``own.mpi`` says which).
    """

    default: PeerCell
    best: PeerCell | None
    own: PeerCell | None

    def gain(self, other: PeerCell | None) -> float | None:
        """How many times as long as Trunkline another cell took, each over T(m) of its own library."""
        if other is None or self.own is None:
            return None
        if other.mpi == self.own.mpi:
            return other.seconds_median / self.own.seconds_median
        return _over(other) / _over(self.own)


def _over(cell: PeerCell) -> float:
    return cell.seconds_median / cell.limit_seconds


def lines(cells: Sequence[PeerCell], algorithm: str = "auto") -> Iterator[Line]:
    """All peers that were measured, with the given algorithm of Trunkline beside them."""
    by_key = {cell.key: cell for cell in cells}
    for cell in cells:
        if cell.algorithm != "native":
            continue
        peer, size = (*cell.place, cell.mpi, cell.mpi_version, cell.collective), cell.message_bytes
        own = by_key.get((*peer, algorithm, size))
        if own is None:
            own = next(
                (c for c in cells if c.place == cell.place and c.key[5:] == (cell.collective, algorithm, size)), None
            )
        raced = by_key.get((*peer, BEST, size))
        best = min(cell, raced, key=lambda one: one.seconds_median) if raced else None
        yield Line(cell, best, own)


def unfinished(cells: Sequence[PeerCell]) -> list[str]:
    """What is to be known of races that ran out of time: a sentence without its full stop for each of them."""
    found: dict[tuple[Place, str], tuple[int, int]] = {}
    for cell in cells:
        if cell.algorithm == BEST and cell.untried > 0:
            tried, untried = found.get((cell.place, cell.mpi), (len(cell.trials), cell.untried))
            found[cell.place, cell.mpi] = min(tried, len(cell.trials)), max(untried, cell.untried)
    return [
        f"{place[0]} at {format_rate(place[2])}, {mpi}: 'best' is the best of {tried} of {tried + untried} settings; "
        "repeat the command to go on, or raise --sweep-budget"
        for (place, mpi), (tried, untried) in found.items()
    ]


def _place(line: Line) -> Place:
    return line.default.place


def _over_limit(cell: PeerCell) -> str:
    """What the ratios of a table are, and the least that they could be where that is not 1."""
    least = _core.facts_of(cell.collective).limit_in_transfers(cell.hosts)
    return "times over T(m)" if least == 1.0 else f"times over T(m), limit {least:.3g}"


def _ratio(value: float | None) -> str:
    return f"{value:.2f}" if value is not None else ""


def peers_table(cells: Sequence[PeerCell]) -> Group:
    """For the terminal: a table a cluster; times over T(m), and how much faster Trunkline is."""
    tables = []
    for (cluster, _, rate), group in groupby(lines(cells), key=_place):
        some = list(group)
        columns = ("peer", "size", "default", "best", "Trunkline", "gain", "on best", "best setting")
        table = titled_table(
            f"{escape(cluster)} at {format_rate(rate)}, {some[0].default.ranks} ranks: "
            f"{_core.facts_of(some[0].default.collective).mpi_name}, {_over_limit(some[0].default)}, "
            "slowest rank, median",
            *columns,
            left=["peer", "best setting"],
            wrap=["best setting"],
        )
        table.columns[-1].min_width = 14
        for mpi, of_peer in groupby(some, key=lambda line: line.default.mpi):
            rows = [_words(line) for line in of_peer]
            for k, (size, _, default, best, setting, own, *gains) in enumerate(rows):
                name = mpi if k == 0 else ""
                table.add_row(name, size, default, best, own, *gains, setting, end_section=k == len(rows) - 1)
        if any(_is_foreign(line) for line in some):
            table.caption = "* under another library: it cannot be preloaded into this one; each over its own T(m)"
            table.caption_justify = "left"
        tables.append(table)
    return Group(*tables)


def _is_foreign(line: Line) -> bool:
    return line.own is not None and line.own.mpi != line.default.mpi


def _words(line: Line) -> tuple[str, ...]:
    """Size, T(m), default, best, its setting, Trunkline, and what it gains over the default and over the best."""
    return (
        format_bytes(line.default.message_bytes),
        format_seconds(line.default.limit_seconds),
        _ratio(_over(line.default)),
        _ratio(_over(line.best) if line.best else None),
        line.best.setting if line.best else "",
        _ratio(_over(line.own) if line.own else None) + ("*" if _is_foreign(line) else ""),
        _ratio(line.gain(line.default)),
        _ratio(line.gain(line.best)),
    )


def _peer(cell: PeerCell) -> str:
    return cell.mpi if "-" in cell.mpi else f"{cell.mpi} {cell.mpi_version}"


def markdown(cells: Sequence[PeerCell], algorithm: str = "auto") -> str:
    """For a README: one table for each cluster, with the given algorithm of Trunkline."""
    ours = "Trunkline" if algorithm == "auto" else f"Trunkline: {algorithm}"
    parts = []
    for (cluster, _, rate), group in groupby(lines(cells, algorithm), key=_place):
        some = list(group)
        parts.append(
            f"`{cluster}`, {some[0].default.hosts} hosts at {format_rate(rate)}, {_over_limit(some[0].default)}:\n\n"
            f"| peer | message | T(m) | default | best | best setting | {ours} | faster than default | than best |\n"
            "|---|---|---|---|---|---|---|---|---|\n"
            + "".join(f"| {_peer(line.default)} | {' | '.join(_words(line))} |\n" for line in some)
        )
    parts += [f"{text}.\n" for text in unfinished(cells)]
    return "\n".join(parts)


def algorithms_table(cells: Sequence[PeerCell]) -> Group:
    """All cells of a figure over T(m): a table a cluster, a column a size."""
    tables = []
    for (cluster, _, rate), group in groupby(cells, key=lambda cell: cell.place):
        some = list(group)
        sizes = sorted({cell.message_bytes for cell in some})
        title = f"{escape(cluster)} at {format_rate(rate)}: time over T(m), slowest rank, median"
        table = titled_table(title, "algorithm", *map(format_bytes, sizes), left=["algorithm"])
        found = {(cell.mpi, cell.algorithm, cell.message_bytes): cell for cell in some}
        for mpi, algorithm in dict.fromkeys((cell.mpi, cell.algorithm) for cell in some):
            row = [found.get((mpi, algorithm, size)) for size in sizes]
            name = f"{mpi}, its own" if algorithm == "native" else f"{algorithm} over {mpi}"
            table.add_row(name, *(_ratio(_over(cell) if cell else None) for cell in row))
        tables.append(table)
    return Group(*tables)


def _measured(stated: Stated, cells: Sequence[PeerCell]) -> tuple[float, float] | None:
    """Seconds and rate of what a stated number speaks of."""
    for cell in cells:
        if (cell.cluster, cell.message_bytes) != (stated.cluster, stated.size):
            continue
        if stated.what == "T(m)" and cell.mpi == "mpich":
            return cell.limit_seconds, cell.rate_bps
        if stated.what in (cell.algorithm, cell.mpi if cell.algorithm == "native" else ""):
            return cell.seconds_median, cell.rate_bps
    return None


def beside_rows(figure: Figure, cells: Sequence[PeerCell]) -> list[tuple[str, ...]]:
    """A row for each stated number, its columns those of :data:`BESIDE`; empty where nothing was measured."""
    rows: list[tuple[str, ...]] = []
    for stated in figure.stated:
        own = _measured(stated, cells)
        rows.append(
            (
                stated.cluster,
                format_bytes(stated.size),
                stated.what,
                f"{stated.milliseconds:g} ms",
                format_rate(stated.rate_bps),
                format_seconds(own[0]) if own else "",
                f"{own[0] * own[1] / stated.rate_bps * 1e3:.1f} ms" if own else "",
                stated.source,
            )
        )
    return rows


def beside_table(figure: Figure, cells: Sequence[PeerCell]) -> Table:
    """The numbers the paper states, beside ours: as measured, and in proportion at the paper's rate."""
    title = f"{figure.name}: what the paper states, what was measured here, and that scaled to their rate"
    table = titled_table(title, *BESIDE, left=["cluster", "what", "source"], wrap=["source"])
    for row in beside_rows(figure, cells):
        table.add_row(*row)
    return table
