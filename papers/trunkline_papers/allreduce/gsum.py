"""Gsum, the allreduce paper's benchmark, on the lab: one job for each plan and turn, plans in turns."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from trunkline import __version__, _core
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput, Failed
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, preload_of
from trunkline.placement import bounded_placement
from trunkline.statistics import median_with_interval
from trunkline.units import parse_bench_sizes
from trunkline_papers.paths import built

__all__ = ["CPUS", "NATIVE_PLAN", "GsumCell", "GsumJob", "make_cells", "parse_gsum_sizes", "ranks_on_hosts"]

CPUS = {"8w": [8] * 4, "4w": [4] * 8, "now": [2] * 30, "blade": [1] * 10, "4w+8w": [4] * 8 + [8] * 4}
"""Processors of each host of the paper's clusters: so many ranks it has there."""
NATIVE_PLAN = "native"
_LINE = re.compile(r"gsum: \d+ ranks, (\d+) bytes: ([0-9.]+) us an allreduce, sums right")


def parse_gsum_sizes(text: str) -> list[int]:
    """Bytes of the messages that it sums up: whole 4-byte integers.

    Raises:
        BadInput: as :func:`parse_bench_sizes`, and where one is no multiple of 4 above zero.
    """
    sizes = parse_bench_sizes(text)
    if odd := [size for size in sizes if size % 4 or size == 0]:
        raise BadInput(f"--sizes: {odd[0]} is no multiple of 4 above zero; gsum adds 4-byte integers")
    return sizes


def ranks_on_hosts(cluster: _core.Cluster, each: int | None) -> list[int]:
    """How many ranks each host has: as asked for, else as in the paper, else one.

    Raises:
        BadInput: where that makes too many.
    """
    if each is None and len(CPUS.get(cluster.name, [])) == len(cluster.hosts):
        return list(CPUS[cluster.name])
    each = each or 1
    bounded_placement(cluster, each)  # refuses what no cluster holds
    return [each] * len(cluster.hosts)


@dataclass(frozen=True)
class GsumJob:
    """What all runs have in common."""

    lab: Lab
    mpi: Mpi
    ranks_on: Sequence[int]
    """How many ranks each host of the lab has, in the cluster's order."""
    sizes: Sequence[int]
    """Bytes, whole integers each."""
    iterations: int
    """Of two allreduces each."""

    @property
    def ranks(self) -> int:
        """On all hosts of the lab."""
        return sum(self.ranks_on)

    @property
    def placement(self) -> list[int]:
        """Host index by rank."""
        return [host for host, count in enumerate(self.ranks_on) for _ in range(count)]

    def run(
        self,
        plan: Path | None,
        trace: Path | None = None,
        more: Mapping[str, str] | None = None,
        *,
        chooses: bool = False,
    ) -> dict[int, float]:
        """Seconds of an allreduce by size, of one job.

        Args:
            plan: Its file; None: the MPI library runs as it is, or what is chosen for it.
            trace: Folder for a trace of the plan; None: none.
            more: Settings of the ranks besides.
            chooses: Whether, without a plan, the preload library is there and chooses by itself.

        Raises:
            BadInput: where the preload library or gsum has not been built for this MPI.
            Failed: where the job does not end well, a sum is wrong, or it did not run the plan.
        """
        program = built("gsum", self.mpi.name)
        if not program.exists():
            raise BadInput(f"gsum was not built for {self.mpi.name}: 'make papers-programs' builds it")
        hosts = list(self.lab.cluster.hosts)
        settings = {} if trace is None else {"TRUNKLINE_TRACE": str(trace)}
        preloads = chooses or plan is not None
        if preloads:
            settings |= {"TRUNKLINE_CLUSTER": self.lab.cluster_file, "TRUNKLINE_STRICT": "1", "TRUNKLINE_EXPLAIN": "1"}
            settings |= {"TRUNKLINE_HOST_COSTS": self.lab.host_costs} if self.lab.host_costs else {}
        if plan is not None:
            settings["TRUNKLINE_PLAN"] = str(plan)
        settings |= more or {}
        argv, env = self.mpi.launch(
            hosts=hosts,
            ranks=self.ranks,
            ranks_per_host=self.ranks_on,
            program=[
                str(program),
                str(self.iterations),
                *map(str, self.sizes),
            ],
            agent=self.lab.agent,
            env=settings,
            preload=[preload_of(self.mpi)] if preloads else [],
        )
        process = self.lab.popen(
            argv, env=env, without=("TRUNKLINE_",), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        said = process.communicate()[0]
        times = {int(size): float(us) * 1e-6 for size, us in _LINE.findall(said)}
        if process.returncode != 0 or set(times) != set(self.sizes):
            raise Failed(f"gsum ended with status {process.returncode} under {self.mpi.name}:\n{said.strip()}")
        if plan is not None and said.count("TRUNKLINE_PLAN fits") < len(times):
            raise Failed(f"gsum did not run the plan under {self.mpi.name}:\n{said.strip()}")
        return times


@dataclass(kw_only=True)
class GsumCell:
    """One line of ``trunkline_papers bench gsum --json``: one plan at one size under one MPI."""

    benchmark: str = "gsum"
    collective: str = "allreduce"
    cluster: str
    cluster_fingerprint: str
    """Of the cluster at this rate."""
    rate_bps: float
    hosts: int
    ranks: int
    mpi: str
    mpi_version: str
    algorithm: str
    """``initial``, ``tuned`` or ``native``."""
    ran: str
    """For people: the plan's shape."""
    message_bytes: int
    iterations: int
    """Of two allreduces each, in a job."""
    seconds_median: float
    """Of one allreduce, over the jobs."""
    seconds_low: float
    seconds_high: float
    repetitions: int
    """Jobs."""
    over_initial: float | None
    """How many times faster than the initial plan in the same run; None: it did not take part."""
    over_native: float | None
    trunkline_version: str
    seconds: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The line as the command writes it."""
        return asdict(self)


def make_cells(
    job: GsumJob, measured: dict[tuple[str, int], list[float]], shapes: dict[tuple[str, int], str]
) -> list[GsumCell]:
    """Cells from the times of each plan's jobs, by plan and size; ``shapes`` say what each one is."""
    medians = {key: median_with_interval(seconds) for key, seconds in measured.items()}
    cells = []
    for (plan, size), median in medians.items():
        initial, native = medians.get(("initial", size)), medians.get((NATIVE_PLAN, size))
        cells.append(
            GsumCell(
                cluster=job.lab.cluster.name,
                cluster_fingerprint=fingerprint_text(job.lab.cluster),
                rate_bps=job.lab.rate_bps,
                hosts=len(job.lab.cluster.hosts),
                ranks=job.ranks,
                mpi=job.mpi.name,
                mpi_version=job.mpi.version,
                algorithm=plan,
                ran=shapes[plan, size],
                message_bytes=size,
                iterations=job.iterations,
                seconds_median=median.value,
                seconds_low=median.low,
                seconds_high=median.high,
                repetitions=median.count,
                over_initial=initial.value / median.value if initial else None,
                over_native=native.value / median.value if native else None,
                trunkline_version=__version__,
                seconds=list(measured[plan, size]),
            )
        )
    return sorted(cells, key=lambda cell: cell.message_bytes)
