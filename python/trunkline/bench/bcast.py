"""``trunkline bench bcast``: broadcast algorithms against each other and against T(m), on one lab."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from trunkline import _core
from trunkline.bench.cell import Timed
from trunkline.bench.job import PING_PONG, Limits, Progress, follow, program, timing_words
from trunkline.bench.stats import median_with_interval
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput, Failed
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, preload_of
from trunkline.units import format_bytes, parse_segment

__all__ = ["PING_PONG", "Cell", "Limits", "Progress", "broadcast_algorithms", "hosts_used", "make_cell", "measure"]


@dataclass(kw_only=True)
class Cell(Timed):
    """One line of ``bench --json``: one algorithm at one size under one MPI."""

    stopped_by: str
    """``interval`` (narrow enough) or ``limit`` (of repetitions or time)."""
    seconds: list[float] = field(default_factory=list)


def broadcast_algorithms(names: Sequence[str]) -> list[str]:
    """The algorithms asked for, checked against the registry; ``all`` stands for one of each family.

    Raises:
        BadInput: naming the first that is not there, and all that are.
    """
    known = [a for a in _core.algorithms() if a.collective == "bcast"]
    spellings = {"auto", *(a.name for a in known)}
    wanted: list[str] = []
    for name in names:
        if name == "all":
            families = {a.family or a.name: a.name for a in reversed(known)}
            wanted += [a.name for a in known if families[a.family or a.name] == a.name]
        elif name.partition(":")[0] in spellings:
            _check_segment(name)
            wanted.append(name)
        else:
            listed = ", ".join(["all", "auto", *_core.algorithm_names("bcast")])
            raise BadInput(f"there is no broadcast algorithm '{name}'; there are: {listed}")
    return list(dict.fromkeys(wanted))


def _check_segment(name: str) -> None:
    """Refuse the segment behind a name's colon where it is none, or where the algorithm takes none."""
    algorithm, colon, segment = name.partition(":")
    if not colon:
        return
    if algorithm in ("auto", "native"):
        raise BadInput(f"'{name}': {algorithm} chooses by itself; a segment can be fixed for the others alone")
    parse_segment(segment, f"'{name}'")


def measure(
    lab: Lab,
    mpi: Mpi,
    sizes: Sequence[int],
    algorithms: Sequence[str],
    limits: Limits,
    ranks_per_host: int = 1,
    on_progress: Callable[[Progress], None] = lambda _: None,
    tuning: str | None = None,
    hosts: int | None = None,
    settings: Mapping[str, str] | None = None,
) -> list[Cell]:
    """Measure every algorithm at every size in one run of one MPI job on the lab's first hosts, or on all.

    Returns one cell for each size and algorithm, in that order. ``auto`` follows the tuning file, where one is given.
    ``settings`` are more variables for the ranks, such as those that tell the MPI library which of its own to run.
    The caller's own settings of Trunkline do not reach them.

    Raises:
        BadInput: where the preload library for this MPI has not been built, or the lab has not so many hosts.
        Failed: where the job does not end well.
    """
    cluster = lab.cluster
    used = hosts_used(cluster, hosts)
    ranks = len(used) * ranks_per_host
    library = preload_of(mpi)
    argv, env = mpi.launch(
        hosts=used,
        ranks=ranks,
        ranks_per_host=ranks_per_host,
        program=[program(mpi), *timing_words(cluster, sizes, algorithms, limits, ranks_per_host, hosts=len(used))],
        agent=lab.agent,
        env={
            "TRUNKLINE_CLUSTER": lab.cluster_file,
            "TRUNKLINE_STRICT": "1",
            **({"TRUNKLINE_TUNING": tuning} if tuning else {}),
            **(settings or {}),
        },
        preload=[library],
    )
    process = lab.popen(argv, env=env, without=("TRUNKLINE_",), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    outcome = follow(process, mpi.name, on_progress)
    if outcome.given_up is not None:
        where = f"at {format_bytes(outcome.given_up)}" if outcome.given_up else "before the first broadcast"
        raise Failed(f"{mpi.name} did nothing for {limits.patience_s:.0f} s {where} and was ended")
    return [
        make_cell(
            Cell,
            lab,
            mpi,
            size,
            algorithm,
            outcome.ran[size, algorithm],
            outcome.seconds[size, algorithm],
            outcome.seconds[size, PING_PONG],
            limits.width,
            hosts=len(used),
            ranks=ranks,
        )
        for size in sizes
        for algorithm in algorithms
    ]


Kind = TypeVar("Kind", bound=Cell)


def make_cell(
    kind: type[Kind],
    lab: Lab,
    mpi: Mpi,
    size: int,
    algorithm: str,
    ran: tuple[str, int],
    seconds: Sequence[float],
    ping_pong: Sequence[float],
    width: float,
    **more: object,
) -> Kind:
    """A cell from what was measured: the times of an algorithm and of the ping-pong beside it; the rest as ``more``."""
    median = median_with_interval(seconds)
    return kind(
        collective="bcast",
        cluster=lab.cluster.name,
        cluster_fingerprint=fingerprint_text(lab.cluster),
        rate_bps=lab.rate_bps,
        mpi=mpi.name,
        mpi_version=mpi.version,
        algorithm=algorithm,
        ran=ran[0],
        segment_bytes=ran[1],
        message_bytes=size,
        seconds_median=median.value,
        seconds_low=median.low,
        seconds_high=median.high,
        repetitions=median.count,
        limit_seconds=median_with_interval(ping_pong).value,
        stopped_by="interval" if median.is_known_within(width) else "limit",
        trunkline_version=_core.__version__,
        seconds=list(seconds),
        **more,  # type: ignore[arg-type]
    )


def hosts_used(cluster: _core.Cluster, count: int | None) -> list[str]:
    """The first hosts of the cluster; all, where no number is given.

    Raises:
        BadInput: where there are not so many, or fewer than two: no network would be measured.
    """
    if len(cluster.hosts) < 2:
        raise BadInput(f"{cluster.name} has one host: there is no network to measure between fewer than two")
    if count is None:
        return list(cluster.hosts)
    if not 2 <= count <= len(cluster.hosts):
        raise BadInput(f"--hosts must be from 2 to {len(cluster.hosts)}, the hosts of {cluster.name}, not {count}")
    return list(cluster.hosts)[:count]
