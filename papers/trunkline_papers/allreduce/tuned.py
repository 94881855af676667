"""Gsum with the allreduce paper's first plan, with the fastest that is found, and with MPI as it is."""

from collections.abc import Callable, Sequence
from pathlib import Path

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.hierarchy import hierarchical_plan
from trunkline.kinds import trees_of
from trunkline.planned import Planned
from trunkline.predict import knowledge_of
from trunkline_papers.allreduce.gsum import NATIVE_PLAN, GsumCell, GsumJob, make_cells
from trunkline_papers.allreduce.plans import fastest_of, initial_hierarchy, plans_worth_trying

__all__ = ["INITIAL", "PLANS", "TUNED", "check_plan", "measure_gsum"]

INITIAL, TUNED = "initial", "tuned"
PLANS = (INITIAL, TUNED, NATIVE_PLAN)


def measure_gsum(
    job: GsumJob, wanted: Sequence[str], turns: int, folder: Path, show: Callable[[str], None] = lambda _: None
) -> tuple[list[GsumCell], dict[tuple[str, int], Planned]]:
    """Gsum with some of :data:`PLANS`, and with plan files, in turns.

    Args:
        job: What all runs have in common.
        wanted: Which of the plans; any other word is a file.
        turns: Jobs of each.
        folder: Where plan files may be written, for the ranks to read.
        show: Told what has run after each job.

    Returns:
        The cells, and by plan and size the tuned plans.

    Raises:
        BadInput: where a file has no plan for these ranks.
        Failed: where a job does not end well.
    """
    cluster, sizes = job.lab.cluster, job.sizes
    placement = job.placement
    files: dict[str, Path] = {}

    def run(name: str, planned: Planned) -> dict[int, float]:
        if name not in files:
            files[name] = folder / f"{job.mpi.name}-{len(files)}.yaml"
            files[name].write_text(_core.write_plan(planned.file))
        times = job.run(files[name])
        show(name)
        return times

    first = initial_hierarchy(cluster)
    chosen: dict[tuple[str, int], Planned] = {}
    shapes: dict[tuple[str, int], str] = {(NATIVE_PLAN, size): NATIVE_PLAN for size in sizes}
    by_name = {first.text: hierarchical_plan(cluster, "allreduce", first, placement, 0)}
    shapes |= {(INITIAL, size): first.text for size in sizes}
    if TUNED in wanted:
        worth_trying = plans_worth_trying(cluster, "allreduce", placement)
        start = by_name[first.text]
        same = (name for name, plan in worth_trying.items() if _tree(plan) == _tree(start))
        initial = next(same, first.text)
        tried = {initial: start} | worth_trying
        by_name |= tried
        winners = fastest_of(list(tried), sizes, lambda name: run(name, tried[name]), initial=initial)
        shapes |= {(TUNED, size): name for size, name in winners.items()}
        chosen = {(TUNED, size): tried[name] for size, name in winners.items()}
    own = [one for one in wanted if one not in PLANS]
    for one in own:
        check_plan(job, one)
    shapes |= {(one, size): one for one in own for size in sizes}
    measured: dict[tuple[str, int], list[float]] = {(plan, size): [] for plan in wanted for size in sizes}
    for _ in range(turns):
        runs: dict[str, dict[int, float]] = {}
        for plan, size in measured:
            name = shapes[plan, size]
            if name not in runs:
                if name in own:
                    runs[name] = job.run(Path(name).absolute())
                    show(name)
                else:
                    runs[name] = job.run(None) if name == NATIVE_PLAN else run(name, by_name[name])
            measured[plan, size].append(runs[name][size])
    return make_cells(job, measured, shapes), chosen


def check_plan(job: GsumJob, file: str) -> None:
    """Refuse a file before any job has run.

    Raises:
        BadInput: where it cannot be read, or the calls would not run a plan of it.
    """
    knowledge = knowledge_of(job.lab.cluster, job.mpi, plan=file)
    decider = _core.Decider(knowledge, "allreduce", job.placement, 0)
    for size in job.sizes:
        decided = decider.decide(size)
        if not _core.is_given(decided.algorithm):
            raise BadInput(f"{file} has no plan for an allreduce of {size} bytes here: {decided.reason}")


def _tree(planned: Planned) -> str:
    trees = trees_of(planned.file.plan, planned.what, "the study tries plans of trees")
    return str([tree.children for tree in trees])
