"""Cells of evidence: what one algorithm took once, simulated or measured, and the file that keeps them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.cluster import fingerprint_text, load_cluster
from trunkline.errors import BadInput
from trunkline.files import read_json, replace_file

_GENERATED = re.compile(r"^(random|sites|sites-dealt)-(\d+x\d+)-(\d+)$", re.ASCII)
"""What results call a generated cluster, whose name has colons where it is asked for."""
_KEPT = Path(__file__).parents[3] / "bench" / "evidence" / "cells.json"


@dataclass(frozen=True, order=True)
class Cell:
    """One algorithm at one size, from rank 0, hosts' ranks in rows."""

    collective: str
    cluster: str
    """Bundled or generated: its name says all of it."""
    rate_bps: float
    """Of its fastest link."""
    ranks_per_host: int
    host_costs: str
    """What messages cost hosts, by name."""
    library: str
    """Whose own algorithm it is, ``mpich`` or ``openmpi``; empty: Trunkline's."""
    algorithm: str
    message_bytes: int
    segment_bytes: int
    """0: a library's own."""
    seconds: float
    by: str
    """What says so, with its version: ``simgrid 3.32``."""


def kept_file() -> str:
    """Trunkline's own cells.

    Raises:
        BadInput: outside a checkout, where they are not.
    """
    if not _KEPT.is_file():
        raise BadInput("Trunkline's own evidence is in its checkout alone; name a file of yours: --file FILE")
    return str(_KEPT)


def read_cells(file: str) -> list[Cell]:
    """All cells of a file.

    Raises:
        BadInput: where it cannot be read, or has something else.
    """
    kept = read_json(file)
    names = [field.name for field in fields(Cell)]
    if not isinstance(kept, list) or not all(isinstance(one, dict) and sorted(one) == sorted(names) for one in kept):
        raise BadInput(f"{file}: is no list of cells as 'trunkline evidence add' writes it: {', '.join(names)}")
    return [Cell(**one) for one in kept]


def write_cells(file: str, cells: Iterable[Cell]) -> None:
    """Each once, one a line, sorted, so that a change of the file shows which are new."""
    lines = ",\n".join(json.dumps(asdict(cell)) for cell in sorted(set(cells)))
    replace_file(Path(file), f"[\n{lines}\n]\n")


def cells_of(rows: Iterable[Mapping[str, Any]], file: str, host_costs: str = "") -> Iterator[Cell]:
    """Rows of ``simulate --json`` or ``bench --json`` as cells; not what was given up, or what ``auto`` chose.

    Args:
        rows: As they were read.
        file: Where they stand, for messages.
        host_costs: Of rows of ``bench``, which do not say what messages cost their hosts.

    Raises:
        BadInput: where they are no such rows, or of a cluster that has no name here.
    """
    for number, row in enumerate(rows, 1):
        try:
            own = row["algorithm"].partition(":")[0] if row["segment_bytes"] else ""
            is_librarys = row["ran"] == "native" and row.get("native_algorithm", row["algorithm"] == "native")
            if row.get("gave_up", False) or own == "auto" or not (own or is_librarys):
                continue
            cell = Cell(
                collective=row["collective"],
                cluster=_GENERATED.sub(r"\1:\2:\3", row["cluster"]),
                rate_bps=row["rate_bps"],
                ranks_per_host=row["ranks"] // row["hosts"],
                host_costs=row.get("host_costs", host_costs),
                library="" if own else _library(row),
                algorithm=own or row.get("native_algorithm", "native"),
                message_bytes=row["message_bytes"],
                segment_bytes=row["segment_bytes"],
                seconds=row["seconds_median"],
                by=f"{row['mpi']} {row['mpi_version']}",
            )
        except (AttributeError, KeyError, TypeError) as problem:
            raise BadInput(f"{file}: row {number} is none of 'simulate --json' or 'bench --json': {problem}") from None
        if not cell.host_costs:
            raise BadInput(f"{file}: rows of 'bench' do not say what messages cost their hosts; name it: --host-costs")
        if not _is_named(cell, row["cluster_fingerprint"]):
            raise BadInput(
                f"{file}: row {number}: {cell.cluster} names no cluster here, or another one; evidence is of bundled "
                "and generated clusters alone, whose names say all of them"
            )
        yield cell


def _is_named(cell: Cell, fingerprint: str) -> bool:
    try:
        return fingerprint_text(network_of(cell)) == fingerprint
    except BadInput:
        return False


def _library(row: Mapping[str, Any]) -> str:
    """The family whose rules a prediction is about."""
    said: str = row.get("library", row["mpi"])
    return "openmpi" if said.startswith("openmpi") else "mpich"


@lru_cache(maxsize=16)
def _network(name: str, rate_bps: float) -> _core.Cluster:
    return _core.scaled(load_cluster(name), rate_bps)


def network_of(cell: Cell) -> _core.Cluster:
    """The cluster at its rate."""
    return _network(cell.cluster, cell.rate_bps)


def laid(cell: Cell) -> tuple[_core.Cluster, list[int], _core.Plan]:
    """Of Trunkline's own, the network, the ranks' hosts and the plan."""
    return _laid(cell.cluster, cell.rate_bps, cell.ranks_per_host, cell.collective, cell.algorithm)


@lru_cache(maxsize=1)  # cells come plan by plan
def _laid(
    cluster: str, rate_bps: float, ranks_per_host: int, collective: str, algorithm: str
) -> tuple[_core.Cluster, list[int], _core.Plan]:
    network = _network(cluster, rate_bps)
    placement = _core.block_placement(network, ranks_per_host)
    return network, placement, _core.lay(collective, algorithm, network, placement, 0)


@lru_cache(maxsize=1)
def _decider(
    cluster: str, rate_bps: float, ranks_per_host: int, collective: str, library: str, host_costs: str
) -> _core.Decider:
    network = _network(cluster, rate_bps)
    placement = _core.block_placement(network, ranks_per_host)
    knowledge = _core.Knowledge(network, getattr(_core.NativeLibrary, library), "", "", host_costs=host_costs)
    return _core.Decider(knowledge, collective, placement, 0)


def predicted_s(cell: Cell) -> float | None:
    """Seconds that ``auto`` predicts for it today; None: of this library, nothing is predicted there."""
    if cell.library:
        where = (cell.cluster, cell.rate_bps, cell.ranks_per_host, cell.collective, cell.library, cell.host_costs)
        rows = _decider(*where).predictions(cell.message_bytes)
        return next((one.seconds for one in rows if one.algorithm == "native"), None)
    where = (cell.cluster, cell.rate_bps, cell.ranks_per_host, cell.collective, "mpich", cell.host_costs)
    return _decider(*where).seconds_of(cell.algorithm, cell.message_bytes, cell.segment_bytes)
