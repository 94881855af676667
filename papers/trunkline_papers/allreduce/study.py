"""Gsum over configurations, the paper's or one's own: timed in turns, each traced once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trunkline import __version__, _core
from trunkline.cluster import fingerprint_text
from trunkline.compat import zip_equal
from trunkline.edits.host_tree import HostTree
from trunkline.errors import Failed
from trunkline.planned import made_plan
from trunkline.statistics import Median, median_with_interval
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis, analyse
from trunkline.trace.folder import find_job
from trunkline.trace.suggest import Advice, advice_for
from trunkline.trace.words import PARTS, stage_text
from trunkline.units import format_bytes
from trunkline_papers.allreduce.configurations import STUDIES, Claim, Configuration, trees_of
from trunkline_papers.allreduce.gsum import NATIVE_PLAN, GsumJob

__all__ = ["Compared", "Entry", "OwnConfiguration", "Studied", "Study", "papers_entries", "study_gsum", "written_plan"]


@dataclass(frozen=True)
class OwnConfiguration:
    """A configuration of one's own cluster, of which no paper says anything."""

    name: str
    step: str
    """How it is made, in words."""
    pointed: str = ""
    """What the trace before showed."""
    claims: tuple[Claim, ...] = ()
    """What it is compared with."""


@dataclass(frozen=True)
class Entry:
    """A configuration and how jobs run it."""

    configuration: Configuration | OwnConfiguration
    plan: Path | None = None
    """Its file, or that of a set; None: no plan is given."""
    chooses: bool = False
    """Whether Trunkline chooses; where it does not and there is no plan, the MPI library runs as it is."""

    @property
    def name(self) -> str:
        """Of the configuration."""
        return self.configuration.name

    @property
    def is_native(self) -> bool:
        """Whether the MPI library runs as it is, of which nothing is traced."""
        return self.plan is None and not self.chooses

    def run(self, job: GsumJob) -> dict[int, float]:
        """Seconds of an allreduce by size, of one job.

        Raises:
            Failed: where it does not end well.
        """
        return job.run(self.plan, chooses=self.chooses)

    def traced(self, job: GsumJob, folder: Path) -> Analysis | None:
        """The trace of one more job; None: the MPI library runs as it is."""
        if self.is_native:
            return None
        place = folder / f"{self.name}.traces"
        place.mkdir()
        job.run(self.plan, place, chooses=self.chooses)
        return analyse(find_job(str(place)))


@dataclass(frozen=True)
class Compared:
    """A configuration beside another one; what the paper claims of them beside what came out here."""

    claim: Claim
    here: Median
    """How many times faster, by turns: jobs of one turn are compared with each other."""

    @property
    def paper_text(self) -> str:
        """What the paper claims; empty: nothing."""
        return "" if self.claim.times is None else f"{self.claim.times:.2f}"


@dataclass(frozen=True)
class Studied:
    """One configuration."""

    configuration: Configuration | OwnConfiguration
    plan: _core.PlanFile | None
    """That ran messages of the first size; None: none did."""
    seconds: Mapping[int, Sequence[float]]
    """Of an allreduce by bytes, a value a job."""
    analysis: Analysis | None
    """Of a job of its own, whose time is not counted; None: the MPI library ran as it is."""
    compared: tuple[Compared, ...]

    @property
    def name(self) -> str:
        """Of the configuration."""
        return self.configuration.name

    def median(self, size: int) -> Median:
        """Seconds of an allreduce."""
        return median_with_interval(self.seconds[size])

    def compared_at(self, size: int) -> list[Compared]:
        """Claims about so many bytes."""
        return [one for one in self.compared if one.claim.message_bytes == size]

    def group(self, size: int) -> Analysed | None:
        """The traced calls of so many bytes; None: nothing was traced.

        Raises:
            Failed: where the trace lacks them.
        """
        if self.analysis is None:
            return None
        for one in self.analysis.groups:
            if (one.group.collective, one.group.bytes) == ("allreduce", size):
                return one
        raise Failed(f"the trace of {self.name} has no allreduce of {size} bytes")

    def ran(self, size: int) -> str:
        """The algorithm; ``custom`` is a plan that some file gave."""
        group = self.group(size)
        return NATIVE_PLAN if group is None else group.group.algorithm

    @property
    def pointed_text(self) -> str:
        """Why the step was taken and who says so, behind its words; empty: nobody says."""
        if not self.configuration.pointed:
            return ""
        who = "the paper" if isinstance(self.configuration, Configuration) else "the trace"
        return f"; {who}: {self.configuration.pointed}"

    @property
    def ran_text(self) -> str:
        """What ran at each size, where that was not a plan that was given; behind words; else empty."""
        if self.analysis is None or all(self.ran(size) == "custom" for size in self.seconds):
            return ""
        return "; ran: " + ", ".join(f"{format_bytes(size)} {self.ran(size)}" for size in self.seconds)

    def tree(self, size: int) -> AnalysedTree | None:
        """As :meth:`group`, its one tree; None: another plan ran, or none."""
        group = self.group(size)
        return group.trees[0] if group is not None and len(group.trees) == 1 else None

    def dearest(self, size: int) -> tuple[str, float] | None:
        """The stage of the one tree that costs all ranks together most, in words, and its share."""
        tree = self.tree(size)
        if tree is None or self.analysis is None:
            return None
        stage = tree.hot_spots[0]
        return stage_text(self.analysis, stage), tree.share(stage)

    def advice(self, size: int) -> Advice:
        """What ``trunkline trace analyse`` suggests."""
        group = self.group(size)
        if group is None or self.analysis is None:
            return Advice([], "the MPI library ran as it is")
        return advice_for(self.analysis, group)

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "configuration": self.name,
            "step": self.configuration.step,
            "pointed": self.configuration.pointed,
            "sizes": [self._size_as_json(size) for size in self.seconds],
            "claims": [
                {
                    "over": one.claim.over,
                    "message_bytes": one.claim.message_bytes,
                    "times_faster_in_paper": one.claim.times,
                    "times_faster": one.here.value,
                    "times_faster_low": one.here.low,
                    "times_faster_high": one.here.high,
                }
                for one in self.compared
            ],
        }

    def _size_as_json(self, size: int) -> dict[str, Any]:
        median, tree, dearest = self.median(size), self.tree(size), self.dearest(size)
        parts: dict[str, Any] = {}
        if tree is not None and dearest is not None:
            parts = {
                "slowest_rank": tree.slowest.rank,
                "slowest_us": {key: getattr(tree.slowest, key) for _, key in PARTS},
                "fastest_rank": tree.fastest.rank,
                "fastest_us": {key: getattr(tree.fastest, key) for _, key in PARTS},
                "dearest": dearest[0],
                "dearest_share": dearest[1],
            }
        return {
            "message_bytes": size,
            "ran": self.ran(size),
            "seconds_median": median.value,
            "seconds_low": median.low,
            "seconds_high": median.high,
            "repetitions": median.count,
            **parts,
            "suggested": [step.words for step in self.advice(size).steps],
        }


@dataclass(frozen=True)
class Study:
    """All configurations of one cluster under one MPI."""

    job: GsumJob
    studied: list[Studied]
    ended: str = ""
    """Of steps that were looked for: why there are no more."""

    @property
    def is_the_papers(self) -> bool:
        """Whether the paper says anything of its configurations."""
        return any(isinstance(one.configuration, Configuration) for one in self.studied)

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "benchmark": "gsum-study",
            "cluster": self.job.lab.cluster.name,
            "cluster_fingerprint": fingerprint_text(self.job.lab.cluster),
            "rate_bps": self.job.lab.rate_bps,
            "ranks": self.job.ranks,
            "mpi": self.job.mpi.name,
            "mpi_version": self.job.mpi.version,
            "iterations": self.job.iterations,
            "trunkline_version": __version__,
            "configurations": [one.as_json() for one in self.studied],
            "ended": self.ended or None,
        }


def papers_entries(job: GsumJob, folder: Path) -> list[Entry]:
    """The paper's configurations of the job's cluster, as files in a folder that ranks reach."""
    cluster = job.lab.cluster
    trees = trees_of(cluster.name, cluster)
    return [Entry(one, written_plan(job, one.name, trees[one.name], folder)) for one in STUDIES[cluster.name]]


def written_plan(job: GsumJob, name: str, tree: HostTree, folder: Path) -> Path:
    """The file of a plan of one tree over the ranks of a job."""
    plan = _core.Plan([tree.as_tree()])
    about = f"trunkline_papers bench gsum-study {__version__} ({name})"
    file = folder / f"{name}.yaml"
    made = made_plan(job.lab.cluster, "allreduce", "custom", plan, job.placement, about).file
    file.write_text(_core.write_plan(made), encoding="utf-8")
    return file


def study_gsum(
    job: GsumJob,
    entries: Sequence[Entry],
    turns: int,
    folder: Path,
    show: Callable[[str], None] = lambda _: None,
    traced: Mapping[str, Analysis] | None = None,
) -> Study:
    """Measure configurations in turns, then trace each of them once.

    Args:
        job: What all runs have in common.
        entries: The configurations; those that they are compared with are among them.
        turns: Jobs of each configuration.
        folder: Where traces may be written, for the ranks to reach.
        show: Told which configuration has run, after each job.
        traced: By name what was traced already.

    Raises:
        Failed: where a job does not end well.
    """
    seconds: dict[str, dict[int, list[float]]] = {one.name: {size: [] for size in job.sizes} for one in entries}
    for _ in range(turns):
        for one in entries:
            for size, value in one.run(job).items():
                seconds[one.name][size].append(value)
            show(one.name)
    studied = []
    for one in entries:
        found = (traced or {}).get(one.name)
        if found is None and not one.is_native:
            found = one.traced(job, folder)
            show(f"{one.name}, traced")
        compared = tuple(
            Compared(claim, _ratio(seconds[claim.over], seconds[one.name], claim.message_bytes))
            for claim in one.configuration.claims
            if claim.message_bytes in job.sizes
        )
        made = Studied(one.configuration, None, seconds[one.name], found, compared)
        studied.append(replace(made, plan=_plan_that_ran(made, job.sizes[0])))
    return Study(job, studied)


def _plan_that_ran(one: Studied, size: int) -> _core.PlanFile | None:
    group = one.group(size)
    if one.analysis is None or group is None or group.group.plan not in one.analysis.job.plans:
        return None
    return one.analysis.job.plans[group.group.plan][0]


def _ratio(over: Mapping[int, Sequence[float]], one: Mapping[int, Sequence[float]], size: int) -> Median:
    return median_with_interval([before / after for before, after in zip_equal(over[size], one[size])])
