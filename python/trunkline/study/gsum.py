"""Gsum over the paper's configurations: timed in turns, each traced once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trunkline import __version__, _core
from trunkline.bench.gsum import GsumJob
from trunkline.cluster import fingerprint_text
from trunkline.compat import zip_equal
from trunkline.edits.host_tree import HostTree
from trunkline.errors import Failed
from trunkline.planned import made_plan
from trunkline.statistics import Median, median_with_interval
from trunkline.study.configurations import STUDIES, Claim, Configuration, trees_of
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis, analyse
from trunkline.trace.folder import find_job
from trunkline.trace.stages import Stage
from trunkline.trace.suggest import Advice, advice_for
from trunkline.trace.words import PARTS, stage_text

__all__ = ["Compared", "Studied", "Study", "study_gsum"]


@dataclass(frozen=True)
class Compared:
    """A claim of the paper beside what came out here."""

    claim: Claim
    here: Median
    """How many times faster, by turns: jobs of one turn are compared with each other."""


@dataclass(frozen=True)
class Studied:
    """One configuration."""

    configuration: Configuration
    plan: _core.PlanFile
    seconds: Mapping[int, Sequence[float]]
    """Of an allreduce by bytes, a value a job."""
    analysis: Analysis
    """Of a job of its own, whose time is not counted."""
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

    def group(self, size: int) -> Analysed:
        """The traced calls of so many bytes.

        Raises:
            Failed: where the trace has none.
        """
        for one in self.analysis.groups:
            if (one.group.collective, one.group.bytes) == ("allreduce", size) and one.trees:
                return one
        raise Failed(f"the trace of {self.name} has no allreduce of {size} bytes that ran the plan")

    def tree(self, size: int) -> AnalysedTree:
        """As :meth:`group`, its one tree."""
        return self.group(size).trees[0]

    def dearest(self, size: int) -> Stage:
        """The stage that costs all ranks together most."""
        return self.tree(size).hot_spots[0]

    def advice(self, size: int) -> Advice:
        """What ``trunkline trace analyse`` suggests."""
        return advice_for(self.analysis, self.group(size))

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
        return {
            "message_bytes": size,
            "seconds_median": median.value,
            "seconds_low": median.low,
            "seconds_high": median.high,
            "repetitions": median.count,
            "slowest_rank": tree.slowest.rank,
            "slowest_us": {key: getattr(tree.slowest, key) for _, key in PARTS},
            "fastest_rank": tree.fastest.rank,
            "fastest_us": {key: getattr(tree.fastest, key) for _, key in PARTS},
            "dearest": stage_text(self.analysis, dearest),
            "dearest_share": tree.share(dearest),
            "suggested": [step.words for step in self.advice(size).steps],
        }


@dataclass(frozen=True)
class Study:
    """All configurations of one cluster under one MPI."""

    job: GsumJob
    studied: list[Studied]

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
        }


def study_gsum(job: GsumJob, turns: int, folder: Path, show: Callable[[str], None] = lambda _: None) -> Study:
    """Measure the configurations of the lab's cluster in turns, then trace each of them once.

    Args:
        job: What all runs have in common; its lab's cluster is one of :data:`STUDIES`.
        turns: Jobs of each configuration.
        folder: Where plans and traces may be written, for the ranks to reach.
        show: Told which configuration has run, after each job.

    Raises:
        Failed: where a job does not end well.
    """
    cluster = job.lab.cluster
    configurations = STUDIES[cluster.name]
    trees = trees_of(cluster.name, cluster)
    plans = {one.name: _plan(job, one, trees[one.name]) for one in configurations}
    files = {name: folder / f"{name}.yaml" for name in plans}
    for name, file in files.items():
        file.write_text(_core.write_plan(plans[name]), encoding="utf-8")
    seconds: dict[str, dict[int, list[float]]] = {name: {size: [] for size in job.sizes} for name in plans}
    for _ in range(turns):
        for name in plans:
            for size, value in job.run(files[name]).items():
                seconds[name][size].append(value)
            show(name)
    studied = []
    for one in configurations:
        traces = folder / f"{one.name}.traces"
        traces.mkdir()
        job.run(files[one.name], traces)
        show(f"{one.name}, traced")
        compared = tuple(
            Compared(claim, _ratio(seconds[claim.over], seconds[one.name], claim.message_bytes))
            for claim in one.claims
            if claim.message_bytes in job.sizes
        )
        found = analyse(find_job(str(traces)))
        studied.append(Studied(one, plans[one.name], seconds[one.name], found, compared))
    return Study(job, studied)


def _plan(job: GsumJob, one: Configuration, tree: HostTree) -> _core.PlanFile:
    plan = _core.Plan([tree.as_tree()])
    about = f"trunkline bench gsum-study {__version__} ({one.name})"
    return made_plan(job.lab.cluster, "allreduce", "custom", plan, job.placement, about).file


def _ratio(over: Mapping[int, Sequence[float]], one: Mapping[int, Sequence[float]], size: int) -> Median:
    return median_with_interval([before / after for before, after in zip_equal(over[size], one[size])])
