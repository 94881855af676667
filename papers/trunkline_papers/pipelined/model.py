"""How true predictions are: trees measured with many segments, beside what the model says of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from trunkline import _core
from trunkline.bench.job import Limits, Repetition
from trunkline.bench.measure import measure
from trunkline.compat import zip_equal
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.predict import Predicted, predict_all
from trunkline_papers.pipelined.published import paper_network, paper_segments

__all__ = ["MOST_SERIES", "Point", "Verdict", "validate"]

MOST_SERIES = 32
"""Algorithms with segments that one job of the benchmark program takes."""


@dataclass(frozen=True)
class Point:
    """One segment of one algorithm."""

    segment_bytes: int
    seconds_predicted: float
    seconds_median: float
    seconds_low: float
    seconds_high: float
    repetitions: int


@dataclass(frozen=True)
class Verdict:
    """One algorithm at one size: what the model chose, and what would have been best."""

    collective: str
    cluster: str
    rate_bps: float
    hosts: int
    ranks: int
    mpi: str
    mpi_version: str
    algorithm: str
    message_bytes: int
    limit_seconds: float
    """T(m) in the same run."""
    chosen: Point
    """Of the segment that the model takes."""
    best: Point
    """Of the segment that was measured fastest."""
    paper: tuple[int, int] | None
    """The paper's best segments, by its model and as measured, where its table 3 has this case."""
    points: list[Point]
    """All of them, by segment."""

    @property
    def loss(self) -> float:
        """What the chosen segment costs: 0.05 is 5 % more time than the best one."""
        return self.chosen.seconds_median / self.best.seconds_median - 1

    @property
    def error(self) -> float:
        """Of the predicted time of the chosen segment: -0.1 is 10 % too short."""
        return self.chosen.seconds_predicted / self.chosen.seconds_median - 1

    def as_json(self) -> dict[str, object]:
        """The row as the command writes it."""
        return {**asdict(self), "loss": self.loss, "error": self.error}


def validate(
    lab: Lab,
    mpi: Mpi,
    collective: str,
    sizes: Sequence[int],
    algorithms: Sequence[str],
    segments: Sequence[int],
    limits: Limits,
    ranks_per_host: int,
    measured: _core.Measurement | None = None,
    on_progress: Callable[[Repetition], None] = lambda _: None,
) -> list[Verdict]:
    """Measure every algorithm with each segment and with the one that the model takes, size by size, in turns.

    Segments as long as the message or longer are left out, but for the model's own.

    Raises:
        BadInput: as :func:`trunkline.predict.predict_all` does, from measured tables where those are given.
        TrunklineError: as :func:`trunkline.bench.measure.measure` does.
    """
    placement = _core.block_placement(lab.cluster, ranks_per_host)

    def predicted(size: int, names: Sequence[str]) -> list[Predicted]:
        costs = ",".join(filter(None, [_core.host_costs_of(mpi.counts_as, mpi.version), lab.host_costs]))
        return predict_all(collective, lab.cluster, placement, 0, names, [size], mpi.native_library, measured, costs)

    verdicts = []
    for size in sizes:
        chosen = {row.algorithm: row.segment_bytes for row in predicted(size, algorithms)}
        series = [
            (name, segment)
            for name in algorithms
            for segment in sorted({chosen[name], *(s for s in segments if s < size)})
        ]
        words = [f"{name}:{segment}" for name, segment in series]
        predictions = predicted(size, words)
        cells = measure(lab, mpi, collective, [size], words, limits, ranks_per_host, on_progress)
        for name in algorithms:
            points = [
                Point(
                    segment,
                    prediction.seconds,
                    cell.seconds_median,
                    cell.seconds_low,
                    cell.seconds_high,
                    cell.repetitions,
                )
                for (owner, segment), prediction, cell in zip_equal(series, predictions, cells)
                if owner == name
            ]
            verdicts.append(
                Verdict(
                    collective=collective,
                    cluster=lab.cluster.name,
                    rate_bps=lab.rate_bps,
                    hosts=len(lab.cluster.hosts),
                    ranks=len(placement),
                    mpi=mpi.name,
                    mpi_version=mpi.version,
                    algorithm=name,
                    message_bytes=size,
                    limit_seconds=cells[0].limit_seconds,
                    chosen=next(p for p in points if p.segment_bytes == chosen[name]),
                    best=min(points, key=lambda p: p.seconds_median),
                    paper=paper_segments(paper_network(lab.rate_bps), name, size),
                    points=points,
                )
            )
    return verdicts
