"""Lab and simulation side by side."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.simulate.bcast import Row

__all__ = ["Pair", "compared", "load_bench", "rate_of"]

_RULES_OF = {"mpich": "mpich", "openmpi": "ompi"}
"""The simulated selector that stands for a library's native broadcast."""


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


def load_bench(path: str) -> list[dict[str, object]]:
    """The rows of ``trunkline bench bcast --json``.

    Raises:
        BadInput: where the file cannot be read or holds something else.
    """
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: is not JSON: {error}") from error
    wanted = {"cluster", "rate_bps", "ranks", "mpi", "algorithm", "message_bytes", "seconds_median", "limit_seconds"}
    if not isinstance(rows, list) or not all(isinstance(row, dict) and wanted <= row.keys() for row in rows):
        raise BadInput(f"{path}: is not what 'trunkline bench bcast --json' writes")
    return rows


def rate_of(bench: Sequence[dict[str, object]]) -> float | None:
    """Bits per second of the lab's fastest link; None where it ran at several rates, or nothing."""
    rates = {float(str(cell["rate_bps"])) for cell in bench}
    return rates.pop() if len(rates) == 1 else None


def compared(rows: Sequence[Row], bench: Sequence[dict[str, object]]) -> list[Pair]:
    """Every case of the lab that was simulated too, in the lab's order.

    Raises:
        BadInput: where nothing was, or the lab had another cluster, another rate, or other ranks.
    """
    simulated = {(row.algorithm, row.message_bytes): row for row in rows if not row.gave_up}
    pairs = []
    for cell in bench:
        mpi, name, size = str(cell["mpi"]), str(cell["algorithm"]), int(str(cell["message_bytes"]))
        row = simulated.get((_RULES_OF.get(mpi.partition("-")[0], "") if name == "native" else name, size))
        if row is None:
            continue
        lab = (str(cell["cluster"]), float(str(cell["rate_bps"])), int(str(cell["ranks"])))
        own = (row.cluster, row.rate_bps, row.ranks)
        if lab != own:
            raise BadInput(
                f"the lab ran {lab[2]} ranks of {lab[0]} at {lab[1]:g} bit/s, the simulation {own[2]} ranks of "
                f"{own[0]} at {own[1]:g} bit/s: simulate the same, see --rate and --ranks-per-host"
            )
        seconds, limit = float(str(cell["seconds_median"])), float(str(cell["limit_seconds"]))
        pairs.append(Pair(mpi, name, size, seconds, limit, row))
    if not pairs:
        raise BadInput("no algorithm and size was both measured and simulated: name the same ones")
    return pairs
