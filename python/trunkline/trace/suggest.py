"""Which change attacks what costs most, and what it would bring: a step of an edit, or another algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Union

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.edits.host_tree import HostTree
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level, remove_root_level
from trunkline.edits.plans import edited, host_tree_of
from trunkline.edits.steps import add_link, free_roots, merge_root, move, remove_link, reroot, split_root
from trunkline.errors import BadInput
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.as_traced import as_traced
from trunkline.trace.other_algorithms import OtherAlgorithm, other_algorithm
from trunkline.trace.stages import Stage
from trunkline.trace.tree_model import TreeModel, model_of

LEAST_GAIN = _core.least_gain_of_a_model
"""Predicted; what promises less is within the model's error."""
MOST_HOSTS = 64
"""Steps that name a host are tried on so many."""
MOST_SHOWN = 3


@dataclass(frozen=True)
class Suggestion:
    """One step of ``trunkline plan edit``."""

    words: str
    """Its name and options, between the plan's file and ``-o``."""
    gain: float
    """Predicted: time of a call now over then."""
    attacks: Stage
    """The dearest stage that it takes something off."""
    plan: _core.PlanFile
    """That was traced."""
    file: str
    tree: HostTree
    """After the step."""
    slow: Sequence[str] = ()
    """Hosts whose links were taken to be as slow as they were traced, instead of as the cluster file says."""

    @property
    def command(self) -> str:
        """To be typed."""
        return f"trunkline plan edit {self.file} {self.words} -o edited.yaml"

    def settings(self, folder: Path) -> dict[str, str]:
        """What the ranks must be told, once the plan is in that folder."""
        after = folder / "edited.yaml"
        after.write_text(_core.write_plan(edited(self.plan, self.tree, self.words)), encoding="utf-8")
        return {"TRUNKLINE_PLAN": str(after)}


AnyStep = Union[Suggestion, OtherAlgorithm]


@dataclass(frozen=True)
class Advice:
    """What to change, or why there is nothing to say."""

    steps: list[AnyStep]
    """The best first."""
    silent: str = ""
    """Where there are no steps: the reason."""
    is_good: bool = False
    """No step leads to a better plan; where there are no steps and it is false, none could be judged."""


GOOD = f"no step of 'trunkline plan edit' promises to make it {LEAST_GAIN:.1f} times faster"
BY_ARRIVAL = (
    "ranks of a host combined as they came, of which predictions know nothing; trace calls without "
    "TRUNKLINE_WITHIN_HOSTS=arrival for a step"
)
NONE_BETTER = f"no other algorithm promises to make it {LEAST_GAIN:.1f} times faster on the network as it was traced"
GOOD_AND_NONE_BETTER = f"{GOOD}, and no other algorithm does"

Time = Callable[[HostTree], float]
"""Predicted time of a call over a tree."""


def advice_for(analysis: Analysis, analysed: Analysed) -> Advice:
    """What promises a gain.

    Calls of one segment over one tree are judged by what the trace says of its hosts and links. Of several segments,
    several trees and rounds the bytes decide: those are judged as ``trunkline predict`` does, and beside the steps of
    one tree another algorithm is.
    """
    if analysed.group.plan not in analysis.job.plans:
        return Advice([], "no plan ran, or its file is missing from the trace")
    if analysed.protocol is not None:
        return Advice([], "multicasts are not judged: their packets go to all ranks at once")
    if any(tree.times.by_arrival for tree in analysed.trees):
        return Advice([], BY_ARRIVAL)
    if len(analysed.trees) == 1 and not _is_pipelined(analysed.trees[0]):
        return _by_trace(analysis, analysed, analysed.trees[0])
    return _by_prediction(analysis, analysed)


def _by_trace(analysis: Analysis, analysed: Analysed, tree: AnalysedTree) -> Advice:
    plan, ranks, file = analysis.job.plans[analysed.group.plan]
    try:
        now = host_tree_of(plan, str(file))
    except BadInput as fault:  # no hosts are known
        return Advice([], str(fault))
    if len(now.parent) != len(tree.times.nodes):
        return Advice([], "the trace lacks some of the plan's ranks")
    model = model_of(tree, now.hosts, {rank: place for place, rank in enumerate(ranks)}, analysis.job.cluster)
    found = _edits(analysis, analysed, now, _time(model, now), partial(_time, model))
    return Advice([*found[:MOST_SHOWN]]) if found else Advice([], GOOD, is_good=True)


def _by_prediction(analysis: Analysis, analysed: Analysed) -> Advice:
    if analysed.critical is None:
        return Advice([], "the calls have no events by which they could be judged")
    network = as_traced(analysis, analysed)
    if isinstance(network, str):
        return Advice([], network)
    other = other_algorithm(analysis, analysed, network, LEAST_GAIN)
    found: list[AnyStep] = [other] if isinstance(other, OtherAlgorithm) else []
    silent, is_good = (other, False) if isinstance(other, str) and other else (NONE_BETTER, True)
    plan, _, file = analysis.job.plans[analysed.group.plan]
    now = _host_tree(plan, str(file)) if len(analysed.trees) == 1 else None
    if now is not None:

        def time(tree: HostTree) -> float:
            return network.seconds_of(_core.Plan([tree.as_tree()]), plan.segment_bytes)

        found += _edits(analysis, analysed, now, network.seconds_of(plan.plan, plan.segment_bytes), time, network.slow)
        silent, is_good = GOOD_AND_NONE_BETTER if is_good else GOOD, True
    found.sort(key=_best_first)
    return Advice(found[:MOST_SHOWN]) if found else Advice([], silent, is_good=is_good)


def _host_tree(plan: _core.PlanFile, file: str) -> HostTree | None:
    """None where no step can be taken from it: two roots exchange, or no hosts are known."""
    try:
        return host_tree_of(plan, file)
    except BadInput:
        return None


def _edits(
    analysis: Analysis, analysed: Analysed, now: HostTree, before: float, time_of: Time, slow: Sequence[str] = ()
) -> list[Suggestion]:
    """The steps that promise a gain, the best first; of several that lead to one tree the shortest."""
    [tree] = analysed.trees
    plan, ranks, file = analysis.job.plans[analysed.group.plan]
    places = {rank: place for place, rank in enumerate(ranks)}
    found: list[Suggestion] = []
    for words, edit in _steps(now, plan.collective, tree, places):
        try:
            after = edit()
            time = time_of(after)
        except (BadInput, _core.InvalidPlan):  # the step is not for this tree
            continue
        gain = before / time if time > 0 else 1.0
        if gain >= LEAST_GAIN:
            found.append(Suggestion(words, gain, _attacked(tree, now, after, ranks), plan, str(file), after, slow))
    by_tree: dict[HostTree, Suggestion] = {}
    for step in sorted(found, key=_best_first):
        by_tree.setdefault(step.tree, step)
    return list(by_tree.values())


def _best_first(step: AnyStep) -> tuple[float, int]:
    return (-round(step.gain, 2), len(step.words))


def _is_pipelined(tree: AnalysedTree) -> bool:
    return any(
        times.shape[1] > 1 for node in tree.times.nodes.values() for times in (*node.t1.values(), *node.t4.values())
    )


def _time(model: TreeModel, tree: HostTree) -> float:
    laid = tree.as_tree()
    return model.time_of(laid.children, laid.root)


Step = tuple[str, Callable[[], HostTree]]


def _steps(tree: HostTree, collective: str, traced: AnalysedTree, places: dict[int, int]) -> Iterator[Step]:
    yield "add-level", partial(add_host_level, tree)
    yield "add-level --root", partial(add_root_level, tree)
    yield "remove-level", partial(remove_host_level, tree)
    yield "remove-level --root", partial(remove_root_level, tree)
    hosts = tree.host_names[:MOST_HOSTS]
    of_host: list[tuple[str, Callable[[HostTree, str], HostTree]]] = [
        ("add-level", lambda on, host: add_host_level(on, [host])),
        ("split-root", split_root),
        ("merge-root", merge_root),
        ("add-link", add_link),
        ("remove-link", remove_link),
    ]
    for host in hosts:
        for name, edit in of_host:
            yield f"{name} --host {host}", partial(edit, tree, host)
        if collective in free_roots() and host not in tree.root_hosts:
            leader = tree.leader(host)
            yield f"reroot --rank {leader}", partial(reroot, tree, leader)
    dear = [stage for stage in traced.hot_spots if stage.part == "proxy"][:8]
    for rank in dict.fromkeys(places[stage.node] for stage in dear):
        below = [rank, *tree.beyond(rank)]
        for moved in below:
            for host in hosts:
                to = tree.leader(host)
                yield f"move --rank {moved} --to {host}", partial(move, tree, moved, to)


def _attacked(traced: AnalysedTree, now: HostTree, after: HostTree, ranks: list[int]) -> Stage:
    """The dearest stage at a node whose contributors change, or of a link that goes."""
    changed = {ranks[one] for one, (a, b) in enumerate(zip_equal(now.parent, after.parent)) if a != b}
    nodes = changed | {traced.times.nodes[rank].parent for rank in changed}
    return next(
        (stage for stage in traced.hot_spots if stage.node in nodes or stage.contributor in nodes), traced.hot_spots[0]
    )
