"""Figures 12 to 18 of the papers on pipelined broadcasts, replayed on their own hosts (``own_hosts.py``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline_papers.peers.figures import Figure, figure
from trunkline_papers.pipelined.own_hosts import (
    SEGMENTS,
    Hosts,
    Processors,
    Programs,
    mpich_programs,
    replay,
    tree_programs,
)

__all__ = ["FIGURES", "Replayed", "line_from", "replay_figure"]

FIGURES = tuple(f"broadcast-{number}" for number in range(12, 19))
_FAST = ("broadcast-17", "broadcast-18")
"""At 1000 Mbit/s; the others are at 100."""
_MOST_PIECES = 2048
"""Of a message: shorter segments are far behind by then, and take long to replay."""
_WHOLE = ("binomial", "lam")
"""Trees that hand the whole message on: LAM/MPI's broadcast, and the same over MPICH."""


@dataclass(frozen=True)
class Replayed:
    """One point of a curve."""

    figure: str
    cluster: str
    rate_bps: float
    processors: str
    """A value of ``Processors``."""
    algorithm: str
    """Ours; ``mpich`` and ``lam``: what MPICH2 1.0.1 and LAM/MPI 7.1.1 run by themselves; ``T(m)``: one message."""
    message_bytes: int
    segment_bytes: int
    """The fastest of those that the papers try, where none is given."""
    seconds: float
    stated_seconds: float | None
    """In the papers' words or tables; None: the curve alone, which is lost."""
    source: str

    def as_json(self) -> dict[str, object]:
        """The row as the command writes it."""
        return asdict(self)


def replay_figure(name: str, processors: Processors) -> Iterator[Replayed]:
    """Every point of a figure; ranks sit on all hosts of its clusters, the root is rank 0."""
    shown = figure(name)
    hosts = Hosts(1e9 if name in _FAST else 1e8, processors)
    for of_cluster in shown.clusters:
        cluster = load_cluster(of_cluster)
        for message_bytes in shown.sizes:
            one_s = hosts.gap_s(message_bytes) + hosts.latency_s(message_bytes)
            yield _row(shown, of_cluster, hosts, "T(m)", message_bytes, message_bytes, one_s)
            for algorithm in [*shown.algorithms, *shown.peers]:
                seconds, segment = min(
                    (replay(cluster, hosts, programs), segment)
                    for segment, programs in _programs(cluster, algorithm, message_bytes)
                )
                yield _row(shown, of_cluster, hosts, algorithm, message_bytes, segment, seconds)


def _programs(cluster: _core.Cluster, algorithm: str, message_bytes: int) -> Iterator[tuple[int, Programs]]:
    """By segment, what ranks do."""
    ranks = len(cluster.hosts)
    if algorithm == "mpich":
        yield message_bytes, mpich_programs(ranks, message_bytes)
        return
    shape, _, segment = algorithm.partition(":")
    placement = _core.block_placement(cluster, 1)
    tree = _core.lay_trees("bcast", "binomial" if shape == "lam" else shape, cluster, placement, 0)[0]
    if shape in _WHOLE:
        yield message_bytes, tree_programs(tree, message_bytes, message_bytes)
        return
    for tried in [int(segment)] if segment else SEGMENTS:
        if tried <= message_bytes <= tried * _MOST_PIECES:
            yield tried, tree_programs(tree, message_bytes, tried)


def _row(
    shown: Figure, cluster: str, hosts: Hosts, algorithm: str, message_bytes: int, segment: int, seconds: float
) -> Replayed:
    said = [
        one
        for one in shown.stated
        if (one.cluster, one.what, one.size) == (cluster, algorithm, message_bytes)
        and abs(one.rate_bps / hosts.rate_bps - 1) < 1e-9
    ]
    return Replayed(
        figure=shown.name,
        cluster=cluster,
        rate_bps=hosts.rate_bps,
        processors=hosts.processors.value,
        algorithm=algorithm,
        message_bytes=message_bytes,
        segment_bytes=segment,
        seconds=seconds,
        stated_seconds=said[0].milliseconds * 1e-3 if said else None,
        source=said[0].source if said else "",
    )


def line_from(rows: Sequence[Replayed]) -> int | None:
    """The least size of these from which on the line is faster than the binary tree; None: nowhere."""
    times = {(row.algorithm, row.message_bytes): row.seconds for row in rows}
    sizes = sorted({row.message_bytes for row in rows})
    slower = [size for size in sizes if times["linear", size] >= times["binary", size]]
    after = [size for size in sizes if not slower or size > slower[-1]]
    return after[0] if after else None
