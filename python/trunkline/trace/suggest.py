"""Which change attacks what costs most, and what it would bring: a step of an edit, or another algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Union

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.edits.host_tree import HostTree
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level, remove_root_level
from trunkline.edits.links import add_link, remove_link
from trunkline.edits.move import move
from trunkline.edits.plans import edited, host_tree_of
from trunkline.edits.reroot import free_roots, reroot
from trunkline.edits.root import merge_root, split_root
from trunkline.errors import BadInput
from trunkline.trace.analysis import Analysed, AnalysedTree, Analysis
from trunkline.trace.other_algorithms import OtherAlgorithm, other_algorithm
from trunkline.trace.stages import Stage
from trunkline.trace.tree_model import TreeModel, model_of

__all__ = ["Advice", "AnyStep", "Suggestion", "advice_for"]

LEAST_GAIN = 1.1
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
NONE_BETTER = f"no other algorithm promises to make it {LEAST_GAIN:.1f} times faster on the network as it was traced"


def advice_for(analysis: Analysis, one: Analysed) -> Advice:
    """What promises a gain.

    Steps of ``trunkline plan edit`` are for calls of one segment over one tree. Of several trees at once and of rounds
    the bytes decide: there it is another algorithm.
    """
    if one.group.plan not in analysis.job.plans:
        return Advice([], "no plan ran, or its file is missing from the trace")
    if one.protocol is not None:
        return Advice([], "multicasts are not judged: their packets go to all ranks at once")
    if len(one.trees) != 1:
        return _other_algorithm(analysis, one)
    if _is_pipelined(one.trees[0]):
        return Advice([], "steps are judged for messages of one segment alone")
    [tree] = one.trees
    plan, ranks, file = analysis.job.plans[one.group.plan]
    try:
        now = host_tree_of(plan, str(file))
    except BadInput as fault:  # no hosts are known
        return Advice([], str(fault))
    if len(now.parent) != len(tree.times.nodes):
        return Advice([], "the trace lacks some of the plan's ranks")
    places = {rank: place for place, rank in enumerate(ranks)}
    model = model_of(tree, now.hosts, places, analysis.job.cluster)
    before = _time(model, now)
    found: list[Suggestion] = []
    for words, edit in _steps(now, plan.collective, tree, places):
        try:
            after = edit()
            time = _time(model, after)
        except (BadInput, _core.InvalidPlan):  # the step is not for this tree
            continue
        gain = before / time if time > 0 else 1.0
        if gain >= LEAST_GAIN:
            found.append(Suggestion(words, gain, _attacked(tree, now, after, ranks), plan, str(file), after))
    found.sort(key=lambda step: (-round(step.gain, 2), len(step.words)))
    return Advice([*found[:MOST_SHOWN]]) if found else Advice([], GOOD, is_good=True)


def _is_pipelined(tree: AnalysedTree) -> bool:
    return any(
        times.shape[1] > 1 for node in tree.times.nodes.values() for times in (*node.t1.values(), *node.t4.values())
    )


def _other_algorithm(analysis: Analysis, one: Analysed) -> Advice:
    if one.critical is None:
        return Advice([], "the calls have no events by which they could be judged")
    found = other_algorithm(analysis, one, LEAST_GAIN)
    if isinstance(found, OtherAlgorithm):
        return Advice([found])
    return Advice([], found or NONE_BETTER, is_good=not found)


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
        if collective in free_roots() and host != tree.root_host:
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
