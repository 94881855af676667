"""The cells of a comparison: in memory, in their file, merged over rounds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from trunkline import _core
from trunkline.bench.cell import check_entry
from trunkline.bench.measure import Cell
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput
from trunkline.files import read_json, replace_file
from trunkline.mpi import Mpi
from trunkline.statistics import median_with_interval

__all__ = ["PeerCell", "Place", "Results", "place_of", "read_cells", "save_cells"]

Place = tuple[str, str, float]
"""Name and fingerprint of a cluster, and its rate."""
Key = tuple[str, str, float, str, str, str, str, int]


@dataclass(kw_only=True)
class PeerCell(Cell):
    """A cell of ``trunkline_papers bench peers``: of several jobs, one a round.

    Attributes:
        setting: How the library was set up: ``default``, or the one that won the race of ``native-best``.
        rounds: Jobs that its times are from; 0: only of the race.
        limits: T(m), every repetition of all jobs; ``limit_seconds`` is their median.
        trials: The race of ``native-best``: each setting with its median, or why it has none.
        untried: Settings that the race has not had time for; it goes on when the command is repeated.
        library: What the library says about itself.
    """

    setting: str = "default"
    rounds: int = 0
    limits: list[float] = field(default_factory=list)
    trials: list[dict[str, Any]] = field(default_factory=list)
    untried: int = 0
    library: str = ""

    @property
    def place(self) -> Place:
        """Where it was measured."""
        return self.cluster, self.cluster_fingerprint, self.rate_bps

    @property
    def key(self) -> Key:
        """What it is of: place, peer and its version, collective, algorithm, size."""
        return *self.place, self.mpi, self.mpi_version, self.collective, self.algorithm, self.message_bytes

    def absorb(self, other: PeerCell, width: float) -> None:
        """Take in the times of one more job."""
        self.seconds = ([] if self.rounds == 0 else self.seconds) + other.seconds
        self.limits = ([] if self.rounds == 0 else self.limits) + other.limits
        self.rounds += 1
        median = median_with_interval(self.seconds)
        self.seconds_median, self.seconds_low, self.seconds_high = median.value, median.low, median.high
        self.repetitions = median.count
        self.limit_seconds = median_with_interval(self.limits).value
        self.ran, self.segment_bytes, self.library = other.ran, other.segment_bytes, other.library
        self.stopped_by = "interval" if median.is_known_within(width) else "limit"


def place_of(cluster: _core.Cluster, rate_bps: float) -> Place:
    """Where a cell is from that was measured on this cluster with its fastest link at that rate."""
    network = _core.scaled(cluster, rate_bps)
    return cluster.name, fingerprint_text(network), max(link.most_bps for link in network.links)  # as the lab's


Kind = TypeVar("Kind", bound=Cell)


def read_cells(file: Path, kind: type[Kind], command: str) -> list[Kind]:
    """The cells of a file that a command wrote; none where there is no file.

    Raises:
        BadInput: where it is another file.
    """
    if not file.exists():
        return []
    cells = []
    try:
        for entry in read_json(str(file)):
            check_entry(entry, kind)
            cells.append(kind(**entry))
    except (BadInput, ValueError, TypeError, AttributeError) as error:
        raise BadInput(
            f"{file} is not a file of 'trunkline_papers {command}', so nothing can go on from it: {error}; "
            "name another file or remove it"
        ) from error
    return cells


def save_cells(file: Path, cells: Iterable[Cell]) -> None:
    """Write a file anew: a reader finds the old one or the new one.

    Raises:
        BadInput: where it cannot be written.
    """
    text = json.dumps([asdict(cell) for cell in cells], indent=1)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror}") from error
    replace_file(file, text + "\n")


class Results:
    """All cells of a run; with a file, saved after each change, so that a run broken off goes on from there."""

    def __init__(self, file: str | None = None) -> None:
        self._file = Path(file) if file else None
        self._cells: dict[Key, PeerCell] = {}
        if self._file is not None:
            self._cells = {cell.key: cell for cell in read_cells(self._file, PeerCell, "bench peers")}

    @property
    def cells(self) -> list[PeerCell]:
        """By places as they came, peers as they came, then sizes."""
        places = {key[:3]: number for number, key in reversed(list(enumerate(self._cells)))}
        peers = {key[:5]: number for number, key in reversed(list(enumerate(self._cells)))}
        return sorted(
            self._cells.values(), key=lambda cell: (places[cell.place], peers[cell.key[:5]], cell.message_bytes)
        )

    def get(self, place: Place, mpi: Mpi, collective: str, algorithm: str, size: int) -> PeerCell | None:
        """The cell of that name, if there is one."""
        return self._cells.get((*place, mpi.name, mpi.version, collective, algorithm, size))

    def rate_of(self, cluster: _core.Cluster) -> float | None:
        """The rate at which this very network was measured so far."""
        rates = (cell.rate_bps for cell in self._cells.values() if cell.place == place_of(cluster, cell.rate_bps))
        return next(rates, None)

    def add(self, cells: Iterable[PeerCell], width: float) -> None:
        """Merge the cells of a job into those there are, and save."""
        for cell in cells:
            self._cells.setdefault(cell.key, cell).absorb(cell, width)
        self.save()

    def put(self, cells: Iterable[PeerCell]) -> None:
        """Keep cells as they are, and save."""
        self._cells |= {cell.key: cell for cell in cells}
        self.save()

    def save(self) -> None:
        """Write the file anew: a reader finds the old one or the new one."""
        if self._file is not None:
            save_cells(self._file, self.cells)
