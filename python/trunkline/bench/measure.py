"""``trunkline bench COLLECTIVE``: algorithms against each other and against T(m), on one lab."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional, TypeVar

from trunkline import _core
from trunkline.bench.cell import Timed
from trunkline.bench.job import PING_PONG, Limits, Repetition, follow, program, timing_words
from trunkline.cluster import fingerprint_text
from trunkline.errors import Failed
from trunkline.lab.session import Lab
from trunkline.long_links import seats
from trunkline.mpi import Mpi, preload_of
from trunkline.statistics import median_with_interval
from trunkline.units import format_bytes


@dataclass
class Cell(Timed):
    """One line of ``bench --json``: one algorithm at one size under one MPI."""

    stopped_by: str
    """``interval`` (narrow enough) or ``limit`` (of repetitions or time)."""
    seconds: list[float] = field(default_factory=list)
    impairments: str = ""
    """What the lab's network did besides carrying frames: ``loss 1%``; T(m) was measured under that, too."""
    root: int = 0
    dealt: bool = False
    """Whether hosts went in turn over the sites; else in the cluster's order."""
    form: str = ""
    """Of the calls: empty, they block; ``start``, MPI_Wait comes at once; ``overlap``, work comes in between;
    ``persistent``, MPI_Start and at once MPI_Wait; ``row20``, the time of one of 20 with nothing between them."""
    progress: str = ""
    """``thread``, where TRUNKLINE_PROGRESS said so: the program had MPI_THREAD_MULTIPLE then."""
    work_seconds: Optional[float] = None
    """Of that work."""
    bound_seconds: Optional[float] = None
    """Of clusters with sites: below that no call is, since each long link has to be crossed once."""

    @property
    def label(self) -> str:
        """The algorithm and how it was called, for people: ``auto beside work``."""
        if self.form.startswith("row"):
            return f"{self.algorithm} in a row"
        return (
            self.algorithm
            + {"": "", "start": " started", "overlap": " beside work", "persistent": " persistent"}[self.form]
        )


def measure(
    lab: Lab,
    mpi: Mpi,
    collective: str,
    sizes: Sequence[int],
    algorithms: Sequence[str],
    limits: Limits,
    ranks_per_host: int = 1,
    on_progress: Callable[[Repetition], None] = lambda _: None,
    tuning: str | None = None,
    hosts: int | None = None,
    settings: Mapping[str, str] | None = None,
    *,
    impairments: str = "",
    root: int = 0,
    dealt: bool = False,
    forms: Sequence[str] = ("",),
    tests_every_s: float = 0.0,
) -> list[Cell]:
    """Measure every algorithm at every size in one run of one MPI job on the lab's first hosts, or on all.

    Returns one cell for each size and algorithm, in that order. ``auto`` follows the tuning file, where one is given,
    and what messages cost on this lab, where that was measured.
    ``settings`` are more variables for the ranks, such as those that tell the MPI library which of its own to run;
    ``impairments`` says what the lab's network does;
    where ``dealt``, hosts go in turn over the sites, as cards are dealt; ``forms`` are those of calls
    (:attr:`Cell.form`), where work that overlaps tests them every ``tests_every_s`` seconds, 0: never.
    The caller's own settings of Trunkline do not reach them.

    Raises:
        BadInput: where the preload library for this MPI has not been built, or the lab has not so many hosts.
        Failed: where the job does not end well.
    """
    cluster = lab.cluster
    placement = seats(cluster, ranks_per_host, hosts, dealt=dealt)
    used = [cluster.hosts[host] for host in dict.fromkeys(placement)]
    ranks = len(placement)
    library = preload_of(mpi)
    track_of = {(name, form): f"{name}/{form}" if form else name for name in algorithms for form in forms}
    tracks = list(track_of.values())
    argv, env = mpi.launch(
        hosts=used,
        ranks=ranks,
        ranks_per_host=ranks_per_host,
        program=[
            program(mpi),
            *timing_words(collective, cluster, sizes, tracks, limits, placement=placement, root=root),
            *(("--tests-every", f"{tests_every_s:.9f}") if tests_every_s else ()),
        ],
        agent=lab.agent,
        env={
            "TRUNKLINE_CLUSTER": lab.cluster_file,
            "TRUNKLINE_STRICT": "1",
            **({"TRUNKLINE_HOST_COSTS": lab.host_costs} if lab.host_costs else {}),
            **({"TRUNKLINE_TUNING": tuning} if tuning else {}),
            **(settings or {}),
        },
        preload=[library],
    )
    process = lab.popen(argv, env=env, without=("TRUNKLINE_",), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    has_bound = cluster.has_sites or _core.facts_of(collective).goes_by_pairs
    outcome = follow(process, mpi.name, on_progress)
    if outcome.given_up is not None:
        where = f"at {format_bytes(outcome.given_up)}" if outcome.given_up else "before the first repetition"
        raise Failed(f"{mpi.name} did nothing for {limits.patience_s:.0f} s {where} and was ended")
    return [
        make_cell(
            Cell,
            lab,
            mpi,
            collective,
            size,
            algorithm,
            outcome.ran[size, track],
            outcome.seconds[size, track],
            outcome.seconds[size, PING_PONG],
            limits.width,
            hosts=len(used),
            ranks=ranks,
            impairments=impairments,
            root=root,
            dealt=dealt,
            form=form,
            progress=(settings or {}).get("TRUNKLINE_PROGRESS", ""),
            work_seconds=outcome.work_seconds.get((size, track)),
            bound_seconds=(_core.least_crossing_s(cluster, placement, collective, root, size) if has_bound else None),
        )
        for size in sizes
        for (algorithm, form), track in track_of.items()
    ]


Kind = TypeVar("Kind", bound=Cell)


def make_cell(
    kind: type[Kind],
    lab: Lab,
    mpi: Mpi,
    collective: str,
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
        collective=collective,
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
