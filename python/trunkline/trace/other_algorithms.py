"""What else could run calls whose plans no step edits: what `auto` would take, had it seen what the trace has.

Steps of ``trunkline plan edit`` are for one tree. Of two trees and of rounds the bytes decide, which the choice's own
model knows (docs/choice.md). It is asked about the network as it was traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline import _core
from trunkline.accuracy import own_words
from trunkline.predict import setting_of
from trunkline.trace.analysis import Analysed, Analysis
from trunkline.trace.as_traced import AsTraced
from trunkline.trace.critical_path import PathStage


@dataclass(frozen=True)
class OtherAlgorithm:
    """Another algorithm for the calls, instead of a step of ``trunkline plan edit``."""

    words: str
    """The setting: ``TRUNKLINE_ALLREDUCE=two-tree:8192``."""
    gain: float
    """Predicted: time of a call now over then."""
    attacks: PathStage
    """The dearest stage of the critical path."""
    slow: Sequence[str]
    """Hosts whose links were traced to be slower than the cluster file says."""
    file: str
    """The plan that was traced."""
    sure: str = ""
    """How far off predicted times are, in words."""

    @property
    def command(self) -> str:
        """To be typed before the job, for the ranks to get."""
        return self.words

    def settings(self, folder: Path) -> dict[str, str]:  # noqa: ARG002 - no plan is written
        """What the ranks must be told."""
        name, _, value = self.words.partition("=")
        return {name: value}


def other_algorithm(
    analysis: Analysis, analysed: Analysed, network: AsTraced, least_gain: float
) -> OtherAlgorithm | str:
    """The better algorithm, why none can be named, or nothing where there is none.

    Args:
        analysis: Of a job.
        analysed: Calls of it that a plan of trees or rounds ran, and whose critical path is known.
        network: On which they ran.
        least_gain: Predicted; what promises less is not named.
    """
    group = analysed.group
    plan, _, file = analysis.job.plans[group.plan]
    assert analysed.critical is not None
    now = network.now
    decider = _core.Decider(network.knowledge, group.collective, network.placement, plan.plan.root)
    best = decider.decide(group.bytes, datagrams=False)
    if best.algorithm == "native":
        known = {found.algorithm: found.seconds for found in decider.predictions(group.bytes, datagrams=False)}
        if "native" not in known:
            return "all ranks share one host, and what the library's own call takes there is not known"
        then, words = known["native"], "native"
    else:
        then = decider.seconds_of(best.algorithm, group.bytes, best.segment_bytes)
        words = f"{best.algorithm}:{best.segment_bytes}"
    if now / then < least_gain or _is_same(analysis, analysed, network, best.algorithm):
        return ""
    words = f"{setting_of(group.collective)}={words}"
    sure = own_words(network.accuracy)
    return OtherAlgorithm(words, now / then, analysed.critical.stages[0], network.slow, str(file), sure)


def _is_same(analysis: Analysis, one: Analysed, network: AsTraced, algorithm: str) -> bool:
    """Whether the algorithm is the one that was traced, in other segments perhaps.

    Their times depend on what messages cost the hosts, which no trace says.
    """
    plan, cluster, group = analysis.job.plans[one.group.plan][0], analysis.job.cluster, one.group
    if algorithm in (plan.algorithm, "native") or cluster is None:
        return algorithm == plan.algorithm
    laid = _core.lay(group.collective, algorithm, cluster, network.placement, plan.plan.root, group.bytes)
    before, after = plan.plan.trees, laid.trees
    return before is not None and after is not None and [one.parent for one in before] == [one.parent for one in after]
