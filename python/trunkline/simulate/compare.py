"""Lab and simulation side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trunkline.bench.cell import check_entry
from trunkline.bench.measure import Cell
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput
from trunkline.files import read_json
from trunkline.peers.simulated import named_now
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import Row
from trunkline.units import format_rate

_NEEDED = frozenset(
    {"collective", "cluster", "cluster_fingerprint", "rate_bps", "ranks", "mpi", "algorithm", "message_bytes"}
    | {"seconds_median", "limit_seconds"}
)
_NATIVES = ("mpich", "openmpi", "intelmpi")
"""Libraries whose own choice is simulated under their name."""


@dataclass(frozen=True)
class Pair:
    """One case that was both measured and simulated."""

    mpi: str
    """Of the lab."""
    algorithm: str
    message_bytes: int
    lab_seconds: float
    lab_limit_seconds: float
    simulated: Row

    @property
    def ratio(self) -> float:
        """Simulated time over measured time."""
        return self.simulated.seconds_median / self.lab_seconds


def load_bench(path: str) -> list[dict[str, Any]]:
    """The rows of ``trunkline bench COLLECTIVE --json``.

    Raises:
        BadInput: where the file cannot be read or holds something else.
    """
    rows = read_json(path)
    try:
        if not isinstance(rows, list) or not rows:
            raise ValueError("there are no cells in it")
        for row in rows:
            check_entry(row, Cell, _NEEDED)
    except ValueError as error:
        raise BadInput(f"{path}: is not what 'trunkline bench COLLECTIVE --json' writes now: {error}") from error
    return rows


def rate_of(bench: Sequence[Mapping[str, Any]]) -> float | None:
    """Bits per second of the lab's fastest link; None where it ran at several rates."""
    rates = {float(cell["rate_bps"]) for cell in bench}
    return rates.pop() if len(rates) == 1 else None


def check_comparable(
    bench: Sequence[Mapping[str, Any]],
    job: Job,
    algorithms: Collection[str],
    sizes: Collection[int],
    *,
    dealt: bool = False,
) -> None:
    """Tell, before anything is simulated, whether it can stand beside what the lab measured.

    Raises:
        BadInput: where nothing would stand side by side, or the lab had another cluster, another rate, other ranks,
            another root, or hosts in another order.
    """
    both = [
        cell
        for cell in bench
        if cell["collective"] == job.collective
        and simulated_name(cell) in set(map(named_now, algorithms))
        and cell["message_bytes"] in sizes
    ]
    if not both:
        raise BadInput(
            f"--compare: no algorithm and size of {job.collective} in the file would be simulated: name the same ones"
        )
    own = (fingerprint_text(job.cluster), len(job.placement))
    for cell in both:
        if (cell["cluster_fingerprint"], cell["ranks"]) != own:
            rate_bps = max(link.most_bps for link in job.cluster.links)
            raise BadInput(
                f"--compare: the lab ran {cell['ranks']} ranks of {cell['cluster']} ({cell['cluster_fingerprint']}) at "
                f"{format_rate(cell['rate_bps'])}, and simulated would be {own[1]} ranks of {job.cluster.name} "
                f"({own[0]}) at {format_rate(rate_bps)}: simulate the same, see --cluster, --rate and --ranks-per-host"
            )
        measured, simulated = ((cell.get("root", 0), cell.get("dealt", False)), (job.root, dealt))
        if measured != simulated:
            raise BadInput(
                f"--compare: the lab ran {cell['collective']} {_words(*measured)}, and simulated would be one "
                f"{_words(*simulated)}: simulate the same, see --root and --dealt"
            )


def _words(root: int, dealt: bool) -> str:
    return f"from rank {root} with hosts {'dealt over sites' if dealt else 'in order'}"


def simulated_name(cell: Mapping[str, Any]) -> str:
    """Under which name a simulation has what the lab measured; empty: under none."""
    if cell["algorithm"] != "native":
        return str(cell["algorithm"])
    library = str(cell["mpi"]).partition("-")[0]
    return library if library in _NATIVES else ""


def compared(rows: Sequence[Row], bench: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """Every case of the lab that was simulated to its end, in the lab's order; of what is comparable."""
    simulated = {(row.collective, named_now(row.algorithm), row.message_bytes): row for row in rows if not row.gave_up}
    pairs = []
    for cell in bench:
        row = simulated.get((cell["collective"], simulated_name(cell), cell["message_bytes"]))
        if row is not None:
            name, size = str(cell["algorithm"]), int(cell["message_bytes"])
            times = float(cell["seconds_median"]), float(cell["limit_seconds"])
            pairs.append(Pair(str(cell["mpi"]), name, size, *times, row))
    return pairs
