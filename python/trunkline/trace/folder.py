"""A folder of traces: which jobs left theirs, and what lies beside them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from trunkline import _core
from trunkline.cluster import told_as_bad_input
from trunkline.compat import zip_equal
from trunkline.draw.names import common_domain, without_domain
from trunkline.errors import BadInput
from trunkline.files import is_folder, read_text
from trunkline.trace.file import SOME_COLLECTIVES, SOME_RANKS, SOME_TIME, Header, read_header


@dataclass(frozen=True)
class Job:
    """The files of one job."""

    name: str
    headers: list[Header]
    """By rank; of ranks that left a file."""
    ranks: int
    """Of MPI_COMM_WORLD."""
    folder: Path
    cluster: _core.Cluster | None
    plans: dict[int, tuple[_core.PlanFile, list[int], Path]] = field(default_factory=dict)
    """By identity: the plan, its ranks in MPI_COMM_WORLD, its file."""
    notes: list[str] = field(default_factory=list)
    """What the reader should know: what is missing, cut off or lost."""

    @property
    def missing(self) -> list[int]:
        """Ranks without a file."""
        there = {header.rank for header in self.headers}
        return [rank for rank in range(self.ranks) if rank not in there]

    @property
    def described_ranks(self) -> str:
        """The ranks that left a file, in short."""
        return _ranges([header.rank for header in self.headers])

    @property
    def hosts(self) -> dict[int, str]:
        """Of the ranks that left a file."""
        return {header.rank: header.host for header in self.headers}

    @property
    def domain(self) -> str:
        """That all hosts have, and tables and pages say once; empty where they have none in common."""
        return common_domain(list(self.hosts.values()))

    @property
    def shown_hosts(self) -> dict[int, str]:
        """As :attr:`hosts`, as tables and pages name them: without :attr:`domain`."""
        return dict(zip_equal(self.hosts, without_domain(list(self.hosts.values()))))


def find_job(folder: str, name: str | None = None) -> Job:
    """The job whose traces a folder holds.

    Args:
        folder: Where ``TRUNKLINE_TRACE`` pointed.
        name: Of the job, or how it begins; None: the folder holds one job alone.

    Raises:
        BadInput: where there is none, where there are several, or where files are of another version.
    """
    place = Path(folder)
    if not is_folder(place):
        raise BadInput(f"{folder}: no such folder; name the one that TRUNKLINE_TRACE named")
    if not os.access(place, os.R_OK | os.X_OK):
        raise BadInput(f"{folder}: cannot be read: permission denied; the user who ran the job may look into it")
    files = sorted(place.glob("*.trace"))
    if not files:
        raise BadInput(f"{folder}: holds no trace; run the job with TRUNKLINE_TRACE={folder}")
    notes, headers = [], []
    for file in files:
        if file.stat().st_size == 0:
            notes.append(f"{file.name} is empty")
            continue
        headers.append(read_header(file))
    by_job: dict[str, list[Header]] = {}
    for header in headers:
        by_job.setdefault(header.job, []).append(header)
    chosen = [job for job in by_job if name is None or job.startswith(name)]
    if len(chosen) != 1:
        what = (
            f"holds {len(by_job)} jobs" if name is None else f"holds {len(chosen)} jobs whose names begin with {name}"
        )
        raise BadInput(f"{folder}: {what}; choose one with --job:{described_jobs(headers)}")
    return _job(place, chosen[0], by_job[chosen[0]], notes)


def described_jobs(headers: Sequence[Header]) -> str:
    """The jobs of some files, each on a line of its own, for people to choose from."""
    first_of = {header.job: header for header in reversed(headers)}
    return "".join(f"\n  {job}: {_described(first)}" for job, first in sorted(first_of.items()))


def check_ranks(folder: Path, headers: Sequence[Header]) -> None:
    """Refuse files of one job that contradict each other.

    Raises:
        BadInput: where two are of one rank, or say different numbers of ranks.
    """
    if len({header.ranks for header in headers}) > 1 or len({header.rank for header in headers}) < len(headers):
        raise BadInput(
            f"{folder}: files of job {headers[0].job} contradict each other about its ranks; leave the wrong ones out"
        )


def _described(first: Header) -> str:
    when = datetime.fromtimestamp(first.wall_ns / 1e9, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{first.ranks} ranks, {first.mpi}, {when}"


def _job(folder: Path, name: str, headers: list[Header], notes: list[str]) -> Job:
    headers = sorted(headers, key=lambda header: header.rank)
    check_ranks(folder, headers)
    job = Job(name, headers, headers[0].ranks, folder, _cluster(folder / f"{name}.cluster.yaml"), notes=notes)
    for file in sorted(folder.glob(f"{glob.escape(name)}.plan-*.yaml")):
        job.plans[int(file.stem.rpartition("-")[2], 16)] = _plan(file)
    chosen = headers[0].chosen
    if chosen & SOME_RANKS:
        notes.append(f"traced were ranks {job.described_ranks} of {job.ranks}, as TRUNKLINE_TRACE_RANKS said")
    elif job.missing:
        notes.append(f"no trace of {len(job.missing)} of {job.ranks} ranks: {_ranges(job.missing)}")
    if chosen & SOME_COLLECTIVES:
        notes.append("some collectives alone were traced, as TRUNKLINE_TRACE_COLLECTIVES said")
    if chosen & SOME_TIME:
        notes.append("calls were traced for a part of the time, as TRUNKLINE_TRACE_TIME or _START said")
    if not all(header.finished for header in headers):
        notes.append("the program did not come to its end; everything up to there is analysed")
    if lost := sum(header.lost for header in headers):
        notes.append(
            f"{lost} records were overtaken by newer ones: the last calls are analysed; "
            "TRUNKLINE_TRACE_SIZE makes more room"
        )
    if unknown := sum(header.unknown_kinds for header in headers):
        notes.append(f"{unknown} calls are of kinds for which the files had no room")
    return job


def _ranges(ranks: Sequence[int]) -> str:
    return _core.compress_hostlist([str(rank) for rank in ranks]).strip("[]")


def _cluster(file: Path) -> _core.Cluster | None:
    with told_as_bad_input():
        return _core.read_cluster(str(file)) if file.exists() else None


def _plan(file: Path) -> tuple[_core.PlanFile, list[int], Path]:
    with told_as_bad_input():
        plan = _core.read_plan(str(file))
    ranks = file.with_suffix(".ranks")
    words = read_text(str(ranks)).split()
    if len(words) != len(plan.plan) or not all(word.isascii() and word.isdigit() for word in words):
        raise BadInput(f"{ranks}: must hold the {len(plan.plan)} ranks of {file.name}; leave both files out")
    return plan, [int(word) for word in words], file
