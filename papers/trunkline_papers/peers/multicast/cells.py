"""The rows of ``trunkline_papers bench multicast``, and the file that a run broken off goes on from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from trunkline.bench.measure import Cell
from trunkline_papers.peers.results import read_cells, save_cells

__all__ = ["Key", "MulticastCell", "MulticastResults"]

Key = tuple[str, str, float, int, str, str, str, str, int]


@dataclass(kw_only=True)
class MulticastCell(Cell):
    """One algorithm at one size under one peer, for so many receivers and so much loss.

    Attributes:
        receivers: One on each host but the root's.
        loss: Of the frames on every link, in each direction: ``0``, ``1%``.
        bound_seconds: The bare bytes on a link, m / B.
        library: What the peer says about itself.
    """

    receivers: int
    loss: str
    bound_seconds: float
    library: str

    @property
    def key(self) -> Key:
        """What it is of. Peers that are not MPI libraries say their version when they run, so it is not part of it."""
        where = self.cluster, self.cluster_fingerprint, self.rate_bps, self.receivers, self.loss
        return *where, self.mpi, self.collective, self.algorithm, self.message_bytes

    @property
    def loss_share(self) -> float:
        """0 to 1."""
        return float(self.loss.removesuffix("%")) / 100

    @property
    def name(self) -> str:
        """Of its curve: the peer, and its algorithm where it has several."""
        return self.mpi if self.mpi in ("pvm", "lam") else f"{self.mpi} {self.algorithm}"

    @property
    def bytes_per_second(self) -> float:
        """Of the message, to each receiver."""
        return self.message_bytes / self.seconds_median


class MulticastResults:
    """All rows of a run; with a file, saved after each change."""

    def __init__(self, file: str | None = None) -> None:
        self._file = Path(file) if file else None
        cells = read_cells(self._file, MulticastCell, "bench multicast") if self._file else []
        self._cells = {cell.key: cell for cell in cells}

    @property
    def cells(self) -> list[MulticastCell]:
        """By loss, receivers, peers as they came, sizes, algorithms as they came."""
        order: dict[str, int] = {}
        for cell in self._cells.values():
            order.setdefault(cell.mpi, len(order))
        return sorted(
            self._cells.values(),
            key=lambda cell: (cell.loss_share, cell.receivers, order[cell.mpi], cell.message_bytes),
        )

    def __contains__(self, key: Key) -> bool:
        return key in self._cells

    def add(self, cells: Iterable[MulticastCell]) -> None:
        """Keep what a job measured, and save."""
        self._cells |= {cell.key: cell for cell in cells}
        if self._file is not None:
            save_cells(self._file, self.cells)
