"""All that is found out about a job's trace: its groups of calls, each with its trees, stages, costs and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from trunkline.kinds import kind_of
from trunkline.trace.calls import Group, RankCalls, grouped, rank_calls
from trunkline.trace.file import read_trace
from trunkline.trace.folder import Job
from trunkline.trace.imbalance import Imbalance, entries_and_exits, imbalance_of
from trunkline.trace.metrics import Stats, stats_of
from trunkline.trace.nodes import TreeTimes, slots_of, tree_times
from trunkline.trace.protocol import Protocol, protocol_of
from trunkline.trace.rounds import RoundStage, rounds_of
from trunkline.trace.stages import Clocks, Cost, Stage, costs_of, stages_of, way_of

__all__ = ["Analysed", "AnalysedTree", "Analysis", "analyse"]

PAPERS_SKIP = 10
"""Calls at the beginning that the paper leaves out: they can take orders of magnitude longer."""
LEAST_TO_SKIP = 100
"""Calls from which on they are left out."""


@dataclass(frozen=True)
class AnalysedTree:
    """One tree of a group's plan."""

    times: TreeTimes
    stages: list[Stage]
    costs: list[Cost]
    """By rank."""

    @property
    def fastest(self) -> Cost:
        """Without arrival waits, as the paper ranks them."""
        return min(self.costs, key=lambda cost: cost.total)

    @property
    def slowest(self) -> Cost:
        """Without arrival waits."""
        return max(self.costs, key=lambda cost: cost.total)

    @property
    def hot_spots(self) -> list[Stage]:
        """Stages by what they cost all ranks together, but for waits for others to arrive."""
        return sorted(
            (one for one in self.stages if one.kind != "arrival wait"),
            key=lambda one: one.stats.mean * one.ranks,
            reverse=True,
        )

    def way_of(self, rank: int) -> list[Stage]:
        """The stages of one rank, down to the root and back up."""
        return way_of(self.times, self.stages, rank)

    def share(self, stage: Stage) -> float:
        """Of the time of all ranks, without arrival waits."""
        whole = sum(cost.total for cost in self.costs)
        return stage.stats.mean * stage.ranks / whole if whole > 0 else 0.0


@dataclass(frozen=True)
class Analysed:
    """One group of calls."""

    group: Group
    skipped: int
    counted: int
    """Calls."""
    time: Stats
    """Of a call on a rank, from its entry to its exit."""
    by_call: np.ndarray
    """Of each call the mean over ranks, microseconds; in order."""
    imbalance: Imbalance
    entries: np.ndarray
    """Shape (ranks, calls): ns on the first rank's clock; also the exits."""
    exits: np.ndarray
    trees: list[AnalysedTree] = field(default_factory=list)
    """Empty: native, or by rounds."""
    rounds: list[RoundStage] = field(default_factory=list)
    protocol: Protocol | None = None
    """Of multicasts."""


@dataclass(frozen=True)
class Analysis:
    """Of one job."""

    job: Job
    groups: list[Analysed]
    """Those in which ranks spend most time first."""
    clocks: Clocks
    notes: list[str]
    records: int
    """In all files."""


def analyse(job: Job, skip: int | None = None, most_groups: int | None = None) -> Analysis:
    """Analyse a job's trace.

    Args:
        job: Its files.
        skip: Calls of each group to leave out at the beginning; None: as many as the paper, where there are enough.
        most_groups: Of how many groups; None: all.
    """
    notes = list(job.notes)
    by_rank: dict[int, RankCalls] = {}
    records = 0
    for header in job.headers:
        trace = read_trace(header)
        records += len(trace.time)
        if trace.truncated:
            notes.append(f"{header.file.name} is cut off; everything up to there is analysed")
        by_rank[header.rank] = rank_calls(trace)
    clocks = Clocks(
        job.hosts,
        {header.rank: header.start_ns for header in job.headers},
        {header.rank: header.clock_offset_ns for header in job.headers},
        {header.rank: header.clock_error_ns for header in job.headers},
    )
    groups = grouped(list(by_rank.values()), finished=all(header.finished for header in job.headers))
    if unmatched := sum(group.unmatched for group in groups):
        notes.append(f"{unmatched} calls are not in the traces of all of their ranks and are left out")
    analysed = [_analysed(group, by_rank, clocks, job, skip) for group in groups[:most_groups]]
    return Analysis(job, analysed, clocks, notes, records)


def _root_of(group: Group, job: Job) -> int:
    """Rank of MPI_COMM_WORLD at which the calls are rooted."""
    if group.plan in job.plans:
        file, ranks, _ = job.plans[group.plan]
        return ranks[file.plan.root]
    return group.ranks[group.root] if 0 <= group.root < len(group.ranks) else group.ranks[0]


def _analysed(group: Group, calls: dict[int, RankCalls], clocks: Clocks, job: Job, skip: int | None) -> Analysed:
    wanted = (PAPERS_SKIP if group.count >= LEAST_TO_SKIP else 0) if skip is None else skip
    skipped = min(wanted, group.count - 1)
    took = np.stack(
        [
            calls[rank].end[group.places[rank][skipped:]] - calls[rank].start[group.places[rank][skipped:]]
            for rank in group.ranks
        ]
    )
    found = Analysed(
        group,
        skipped,
        group.count - skipped,
        stats_of(took),
        took.mean(axis=0) / 1e3,
        imbalance_of(group, calls, clocks, skipped),
        *entries_and_exits(group, calls, clocks, skipped),
    )
    if group.is_native:
        return found
    if (protocol := protocol_of(group, calls, skipped)) is not None:
        return replace(found, protocol=protocol)
    slots = {rank: slots_of(calls[rank], group.places[rank][skipped:]) for rank in group.ranks}
    plan = job.plans[group.plan][0].plan if group.plan in job.plans else None
    numbers_rounds = plan is not None and kind_of(plan).streams(plan) == 0
    trees = None if numbers_rounds else tree_times(slots, _root_of(group, job))
    if trees is None:
        found.rounds.extend(rounds_of(slots))
        return found
    for tree in trees:
        if not tree.whole.any():
            continue
        stages = stages_of(tree, clocks)
        found.trees.append(AnalysedTree(tree, stages, costs_of(tree, stages, clocks)))
    return found


def find_group(groups: Sequence[Analysed], like: Analysed) -> Analysed | None:
    """The group of another run that calls the same collective with as many bytes."""
    return next(
        (one for one in groups if (one.group.collective, one.group.bytes) == (like.group.collective, like.group.bytes)),
        None,
    )
