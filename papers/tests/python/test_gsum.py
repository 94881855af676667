"""Gsum: the search for the fastest plan, and what is said of measured times."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.hierarchy import hierarchical_plan
from trunkline_papers.allreduce.gsum import NATIVE_PLAN, GsumJob, make_cells
from trunkline_papers.allreduce.plans import fastest_of, initial_hierarchy, plans_worth_trying


@given(st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=1, max_size=20))
def test_the_search_finds_the_fastest_where_times_do_not_scatter(times):
    runs = []

    def measure(name):
        runs.append(name)
        four, more = times[int(name)]
        return {4: four * 1e-6, 256: more * 1e-6}

    names = [str(number) for number in range(len(times))]
    found = fastest_of(names, [4, 256], measure)
    assert times[int(found[4])][0] == min(four for four, _ in times)
    assert times[int(found[256])][1] == min(more for _, more in times)
    assert runs[: len(names)] == names
    assert len(runs) <= 4 * len(names)


def test_one_bad_run_does_not_put_a_plan_out():
    runs = iter([9.0, 2.0, 2.1, 1.0, 2.0, 2.1] + [1.0, 2.0, 2.1] * 2)
    assert fastest_of(["a", "b", "c"], [4], lambda _: {4: next(runs)}) == {4: "a"}


def test_the_initial_plan_stays_unless_another_is_faster_beyond_doubt():
    scattered = iter([3.0, 2.0, 3.1, 1.0, 2.9, 4.0, 3.0, 2.0] * 2)
    assert fastest_of(["a", "b"], [4], lambda _: {4: next(scattered)}, initial="a") == {4: "a"}
    clear = {"a": 3.0, "b": 2.0, "c": 2.5, "d": 2.6, "e": 9.0}
    assert fastest_of(list(clear), [4], lambda name: {4: clear[name]}, initial="e") == {4: "b"}


@pytest.mark.parametrize(("name", "each"), [("8w", 8), ("4w", 4), ("now", 2), ("blade", 1)])
def test_candidates_are_different_trees(name, each):
    cluster = load_cluster(name)
    placement = _core.block_placement(cluster, each)
    plans = plans_worth_trying(cluster, "allreduce", placement)
    trees = {str(plan.file.plan.trees[0].children) for plan in plans.values()}
    assert len(trees) == len(plans) > 3
    initial = hierarchical_plan(cluster, "allreduce", initial_hierarchy(cluster), placement, 0)
    assert str(initial.file.plan.trees[0].children) in trees


def test_roots_are_tried_on_each_switch():
    cluster = load_cluster("4w+8w")
    plans = plans_worth_trying(cluster, "allreduce", _core.block_placement(cluster, 2))
    assert {plan.file.plan.root for plan in plans.values()} == {0, 16}
    assert "flat hosts, flat root on w0" in plans


def test_ratios_are_those_of_one_run():
    cluster = load_cluster("8w")
    job = GsumJob(
        SimpleNamespace(cluster=cluster, rate_bps=1e8), SimpleNamespace(name="mpich", version="4"), [8] * 4, [4], 10
    )
    measured = {("initial", 4): [3e-3, 3e-3], ("tuned", 4): [2e-3, 2e-3], (NATIVE_PLAN, 4): [4e-3, 4e-3]}
    cells = {cell.algorithm: cell for cell in make_cells(job, measured, dict.fromkeys(measured, "shape"))}
    assert cells["tuned"].over_initial == pytest.approx(1.5)
    assert cells["tuned"].over_native == pytest.approx(2.0)
    assert cells["initial"].over_initial == 1.0
    assert (cells["tuned"].ranks, cells["tuned"].repetitions) == (32, 2)
    alone = make_cells(job, {(NATIVE_PLAN, 4): [1.0]}, {(NATIVE_PLAN, 4): "native"})[0]
    assert (alone.over_initial, alone.over_native) == (None, 1.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--plans", "first"], "--plans: there is no 'first'; there are: initial, tuned, native"),
        (["--sizes", "6"], "--sizes: 6 is no multiple of 4 above zero"),
        (["--plans", "native", "--tuned-plan", "x.yaml"], "--tuned-plan: nothing is tuned; add 'tuned' to --plans"),
    ],
)
def test_wrong_words_are_refused(papers_refused, words, message):
    assert papers_refused("bench", "gsum", "--cluster", "8w", "--mpi", "mpich", *words).startswith(message)
