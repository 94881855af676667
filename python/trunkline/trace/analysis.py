"""All that is found out about a job's trace: its groups of calls, each with its trees, stages, costs and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.kinds import kind_of
from trunkline.trace.calls import Group, RankCalls, grouped, rank_calls
from trunkline.trace.critical_path import CriticalPath, critical_path
from trunkline.trace.file import drift_of, read_trace
from trunkline.trace.folder import Job
from trunkline.trace.imbalance import Imbalance, entries_and_exits, imbalance_of
from trunkline.trace.metrics import Stats, stats_of
from trunkline.trace.nodes import Parents, TreeTimes, slots_of, tree_times
from trunkline.trace.protocol import Protocol, protocol_of
from trunkline.trace.rounds import RoundStage, rounds_of
from trunkline.trace.slow_hosts import Way, ways_of
from trunkline.trace.stages import Clocks, Cost, Part, Stage, costs_of, stage_values, stages_of, way_of
from trunkline.trace.subtrees import Subtree, chosen_subtree, subtrees_of

PAPERS_SKIP = 10
"""Calls at the beginning that the paper leaves out: they can take orders of magnitude longer."""
LEAST_TO_SKIP = 100
"""Calls from which on they are left out."""


def _label(stage: Stage, level: int) -> str:
    if stage.kind.endswith("proxy"):
        return f"{'proxy' if stage.part == 'proxy' else 'link'} {level} {'down' if stage.is_down else 'up'}"
    return f"{stage.part.partition(' ')[0]} {level} {stage.kind}"


@dataclass(frozen=True)
class AnalysedTree:
    """One tree of a group's plan."""

    times: TreeTimes
    stages: list[Stage]
    costs: list[Cost]
    """By rank."""
    subtrees: list[Subtree]
    """The cluster-root subtree and those of hosts, each as one node; then those that were asked for."""

    @property
    def fastest(self) -> Cost:
        """Without arrival waits, as the paper ranks them."""
        return min(self.costs, key=lambda cost: cost.total)

    @property
    def slowest(self) -> Cost:
        """Without arrival waits."""
        return max(self.costs, key=lambda cost: cost.total)

    @property
    def classes(self) -> list[Cost]:
        """Of the ranks with as many proxies on their way the fastest and the slowest: the columns of the table 4."""
        found = []
        for proxies in sorted({cost.proxies for cost in self.costs}):
            alike = [cost for cost in self.costs if cost.proxies == proxies]
            found += [min(alike, key=lambda cost: cost.total), max(alike, key=lambda cost: cost.total)][: len(alike)]
        return found

    def cost_of(self, rank: int) -> Cost | None:
        """Of one rank; None where the tree does not have it."""
        return next((cost for cost in self.costs if cost.rank == rank), None)

    @property
    def by_class(self) -> dict[tuple[Part, str], float]:
        """What a rank spends in the mean in stages of a part and kind, us a call; comparable between trees."""
        found: dict[tuple[Part, str], float] = {}
        for stage in self.stages:
            key = (stage.part, stage.kind)
            found[key] = found.get(key, 0.0) + stage.stats.mean * stage.ranks / len(self.costs)
        return found

    @property
    def hot_spots(self) -> list[Stage]:
        """Stages by what they cost all ranks together, but for waits for others to arrive."""
        return sorted(
            (stage for stage in self.stages if stage.kind != "arrival wait"),
            key=lambda one: one.stats.mean * one.ranks,
            reverse=True,
        )

    def way_of(self, rank: int) -> list[Stage]:
        """The stages of one rank, down to the root and back up."""
        return way_of(self.times, self.stages, rank)

    def labelled_way(self, rank: int) -> list[tuple[Stage, str]]:
        """As :meth:`way_of`, each stage named as in the paper's table 2: ``host 0 down latency``, ``proxy 1 up``.

        Levels count nodes from the rank on.
        """
        levels = {node: level for level, node in enumerate(self.times.path(rank))}
        return [(stage, _label(stage, levels[stage.node])) for stage in self.way_of(rank)]

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
    critical: CriticalPath | None = None
    """Of plans of trees and rounds."""
    ways: list[Way] = field(default_factory=list)
    """Between ranks of different hosts; of the same plans."""


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


def analyse(
    job: Job,
    skip: int | None = None,
    most_groups: int | None = None,
    subtree: tuple[int, int | None] | None = None,
) -> Analysis:
    """Analyse a job's trace.

    Args:
        job: Its files.
        skip: Calls of each group to leave out at the beginning; None: as many as the paper, where there are enough.
        most_groups: Of how many groups; None: all.
        subtree: A rank and its levels, whose subtree is taken as one node too; no levels: all.
    """
    notes = list(job.notes)
    by_rank: dict[int, RankCalls] = {}
    records = 0
    drift = drift_of(job.headers)
    for header in job.headers:
        trace = read_trace(header, drift[header.rank])
        records += len(trace.time)
        if trace.truncated:
            notes.append(f"{header.file.name} is cut off; everything up to there is analysed")
        by_rank[header.rank] = rank_calls(trace)
    clocks = Clocks(
        _hosts(job),
        {header.rank: header.start_ns for header in job.headers},
        {header.rank: header.clock_offset_ns for header in job.headers},
        {header.rank: header.error_ns for header in job.headers},
    )
    groups = grouped(list(by_rank.values()), finished=all(header.finished for header in job.headers))
    if unmatched := sum(group.unmatched for group in groups):
        notes.append(f"{unmatched} calls are not in the traces of all of their ranks and are left out")
    analysed = [_analysed(group, by_rank, clocks, job, skip, subtree) for group in groups[:most_groups]]
    return Analysis(job, analysed, clocks, notes, records)


def _root_of(group: Group, job: Job) -> int:
    """Rank of MPI_COMM_WORLD at which the calls are rooted."""
    if group.plan in job.plans:
        file, ranks, _ = job.plans[group.plan]
        return ranks[file.plan.root]
    return group.ranks[group.root] if 0 <= group.root < len(group.ranks) else group.ranks[0]


def _hosts(job: Job) -> dict[int, str]:
    """Of all ranks that are known: traced, or in a plan that names hosts."""
    found: dict[int, str] = {}
    for file, ranks, _ in job.plans.values():
        if len(file.host_of_rank) == len(ranks):
            found.update(zip_equal(ranks, file.host_of_rank))
    return found | job.hosts


def _planned_parents(group: Group, job: Job) -> list[Parents]:
    """Of each tree of a group's plan, in ranks of MPI_COMM_WORLD; none where two roots exchange, or none is known."""
    if group.plan not in job.plans:
        return []
    file, ranks, _ = job.plans[group.plan]
    trees = file.plan.trees or []
    if any(tree.exchange is not None for tree in trees):
        return []
    return [
        {ranks[rank]: None if above is None else ranks[above] for rank, above in enumerate(tree.parent)}
        for tree in trees
    ]


def _analysed(
    group: Group,
    calls: dict[int, RankCalls],
    clocks: Clocks,
    job: Job,
    skip: int | None,
    subtree: tuple[int, int | None] | None,
) -> Analysed:
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
    if group.is_native or not group.is_blocking:  # when a rank was next in MPI says nothing of the network
        return found
    if (protocol := protocol_of(group, calls, skipped)) is not None:
        return replace(found, protocol=protocol)
    slots = {rank: slots_of(calls[rank], group.places[rank][skipped:]) for rank in group.ranks}
    plan = job.plans[group.plan][0].plan if group.plan in job.plans else None
    numbers_rounds = plan is not None and kind_of(plan).streams(plan) == 0
    goes_by_shares = plan is not None and _core.facts_of(group.collective).goes_by_shares
    has_stages = not (numbers_rounds or goes_by_shares)  # which are from a root, or to it
    trees = (
        tree_times(slots, _root_of(group, job), _planned_parents(group, job), clocks.between) if has_stages else None
    )
    found = replace(
        found,
        # Whom a rank's operand met is not told, where ranks of a host combined as they came.
        critical=None
        if any(tree.by_arrival for tree in trees or [])
        else critical_path(group, calls, clocks, skipped, by_rounds=numbers_rounds),
        ways=ways_of(slots, clocks),
    )
    if trees is None:
        if plan is None or numbers_rounds:
            found.rounds.extend(rounds_of(slots))
        return found
    for tree in trees:
        if not tree.whole.any():
            continue
        values = stage_values(tree, clocks)
        stages = stages_of(tree, values, clocks)
        costs = costs_of(tree, stages, clocks)
        subtrees = subtrees_of(tree, values, clocks)
        if subtree is not None and subtree[0] in tree.nodes:
            subtrees.append(chosen_subtree(tree, values, *subtree))
        found.trees.append(AnalysedTree(tree, stages, costs, subtrees))
    return found


def find_group(groups: Sequence[Analysed], like: Analysed) -> Analysed | None:
    """The group of another run that calls the same collective with as many bytes."""
    return next(
        (
            analysed
            for analysed in groups
            if (analysed.group.name, analysed.group.bytes) == (like.group.name, like.group.bytes)
        ),
        None,
    )
