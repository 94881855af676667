"""The study of one's own cluster, as the paper went about its own: a tree, its trace, the step that this suggests.

Each step is measured beside the tree that it was suggested for, in turns. One that is faster beyond doubt is kept, and
its own trace suggests the next; else the next best suggestion is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from trunkline.compat import zip_equal
from trunkline.edits.plans import host_tree_of
from trunkline.errors import Failed
from trunkline.hierarchy import hierarchical_plan
from trunkline.statistics import Median, median_with_interval
from trunkline.trace.analysis import Analysis
from trunkline.trace.suggest import Advice, Suggestion, advice_for
from trunkline.trace.words import attack_text
from trunkline_papers.allreduce.configurations import Claim
from trunkline_papers.allreduce.gsum import NATIVE_PLAN, GsumJob
from trunkline_papers.allreduce.plans import initial_hierarchy
from trunkline_papers.allreduce.study import Entry, OwnConfiguration, written_plan
from trunkline_papers.allreduce.tuned import INITIAL

__all__ = ["AUTO", "STEPS", "Stepped", "other_entries", "steps_from", "with_claims"]

AUTO, STEPS = "auto", "steps"


@dataclass
class Stepped:
    """The initial tree and all steps that were tried."""

    entries: list[Entry]
    """The initial tree first."""
    traced: dict[str, Analysis] = field(default_factory=dict)
    """By name, of those whose trace was asked for a step."""
    ended: str = ""
    """Why there are no more."""


def steps_from(
    job: GsumJob, turns: int, tries: int, folder: Path, show: Callable[[str], None] = lambda _: None
) -> Stepped:
    """The initial hierarchical tree, and steps from it as long as they gain.

    Args:
        job: What all runs have in common; its first size is what steps are judged by.
        turns: Jobs of each of the two trees that a step is measured by.
        tries: Most steps.
        folder: Where plans and traces may be written, for the ranks to reach.
        show: Told what has run, after each job.

    Raises:
        Failed: where a job does not end well.
    """
    shape = initial_hierarchy(job.lab.cluster)
    first = hierarchical_plan(job.lab.cluster, "allreduce", shape, job.placement, 0).file
    tree = host_tree_of(first, INITIAL)
    about = f"compose: {shape.text}"
    now = Entry(OwnConfiguration(INITIAL, about), written_plan(job, INITIAL, tree, folder))
    found = Stepped([now])
    seen = {tree}
    while len(found.entries) <= tries:
        show(f"{now.name}, traced")
        analysis = now.traced(job, folder)
        assert analysis is not None
        found.traced[now.name] = analysis
        advice, words = _suggested(analysis, job.sizes[0])
        steps = [one for one in advice.steps if isinstance(one, Suggestion) and one.tree not in seen]
        if not steps:
            others = [one.words for one in advice.steps if not isinstance(one, Suggestion)]
            tried = f"its trace suggests {others[0]} alone" if others else "all that its trace suggests was tried"
            found.ended = f"after {now.name}: {advice.silent or tried}"
            return found
        kept = None
        for step in steps[: tries + 1 - len(found.entries)]:
            seen.add(step.tree)
            name = f"step-{len(found.entries)}"
            one = Entry(OwnConfiguration(name, f"{now.name}, {step.words}"), written_plan(job, name, step.tree, folder))
            gain = _gain(job, now, one, turns, show)
            pointed = f"attacks {words(step)}; {_gain_text(step, gain)}"
            one = replace(one, configuration=replace(one.configuration, pointed=pointed, claims=_claims([now], job)))
            found.entries.append(one)
            if gain.low > 1.0:
                kept = one
                break
        if kept is None:
            found.ended = f"after {now.name}: no step that was tried is faster beyond doubt"
            return found
        now = kept
    found.ended = f"after {now.name}: --tries {tries}"
    return found


def _suggested(analysis: Analysis, size: int) -> tuple[Advice, Callable[[Suggestion], str]]:
    for one in analysis.groups:
        if (one.group.collective, one.group.bytes) == ("allreduce", size):
            return advice_for(analysis, one), lambda step: attack_text(analysis, step, "allreduce")
    raise Failed(f"the trace has no allreduce of {size} bytes")


def _gain(job: GsumJob, now: Entry, one: Entry, turns: int, show: Callable[[str], None]) -> Median:
    """How many times faster, a value for each pair of jobs."""
    times: dict[str, list[float]] = {now.name: [], one.name: []}
    for _ in range(turns):
        for tried in (now, one):
            times[tried.name].append(tried.run(job)[job.sizes[0]])
            show(f"{one.name} beside {now.name}")
    return median_with_interval([before / after for before, after in zip_equal(*times.values())])


def _gain_text(step: Suggestion, gain: Median) -> str:
    kept = "kept" if gain.low > 1.0 else "not kept"
    found = f"{gain.value:.2f} ({gain.low:.2f} to {gain.high:.2f}) times faster in {gain.count} pairs of jobs"
    return f"predicted {step.gain:.2f}, was {found}: {kept}"


def other_entries(words: Sequence[str], taken: Sequence[str]) -> list[Entry]:
    """What the words of ``--plans`` stand for that are no steps: ``auto``, ``native``, files.

    Args:
        words: The words.
        taken: Names that other configurations have.
    """
    made: dict[str, Entry] = {}
    reserved = {*taken, AUTO, NATIVE_PLAN}
    for word in words:
        if word == AUTO:
            one = Entry(OwnConfiguration(AUTO, "what Trunkline chooses by itself"), chooses=True)
        elif word == NATIVE_PLAN:
            one = Entry(OwnConfiguration(NATIVE_PLAN, "the MPI library as it is"))
        else:
            name, number = Path(word).stem, 2
            while name in made or name in reserved:
                name, number = f"{Path(word).stem}-{number}", number + 1
            one = Entry(OwnConfiguration(name, word), Path(word).absolute())
        made[one.name] = one
    return list(made.values())


def with_claims(entries: Sequence[Entry], job: GsumJob) -> list[Entry]:
    """The configurations, each compared with the first one, and with the MPI library as it is.

    That one is compared with none: its times are in all other rows.
    """
    native = [one for one in entries if one.is_native]
    first = [one for one in entries if not one.is_native][:1]
    made = []
    for one in entries:
        configuration = one.configuration
        over = [other for other in [*first, *native] if other.name != one.name]
        if isinstance(configuration, OwnConfiguration) and not one.is_native:
            claims = [*configuration.claims, *_claims(over, job)]
            one = replace(one, configuration=replace(configuration, claims=tuple(dict.fromkeys(claims))))
        made.append(one)
    return made


def _claims(over: Sequence[Entry], job: GsumJob) -> tuple[Claim, ...]:
    return tuple(Claim(one.name, None, size) for one in over for size in job.sizes)
