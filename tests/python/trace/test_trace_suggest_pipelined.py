"""Suggestions for messages of several segments over one tree: the best of all steps by prediction, and a gain."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_pipeline import write_pipeline
from test_trace_suggest import plan_of

from trunkline import _core
from trunkline.edits.levels import add_host_level, add_root_level, remove_host_level, remove_root_level
from trunkline.edits.plans import edited, host_tree_of
from trunkline.edits.steps import add_link, free_roots, merge_root, move, remove_link, reroot, split_root
from trunkline.errors import BadInput
from trunkline.trace.analysis import analyse
from trunkline.trace.as_traced import as_traced
from trunkline.trace.folder import find_job
from trunkline.trace.slow_hosts import _behind_others, _Sent
from trunkline.trace.suggest import LEAST_GAIN, Suggestion, advice_for

ONE_SWITCH = """\
trunkline: cluster/1
name: one-switch
switches: [s0]
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - {hosts: "a[0-7]", switch: s0}
"""
RATE = 100e6
SIZE, SEGMENT = 256 << 10, 16 << 10
COSTS = ("mpich", "4.0.2")
"""What the traces say they ran under."""


@pytest.fixture(scope="module")
def cluster():
    return _core.parse_cluster(ONE_SWITCH, "one-switch.yaml")


def plan_for(cluster, parents, collective, segment=None):
    plan = plan_of(cluster, parents)
    plan.collective, plan.segment_bytes = collective, segment
    return plan


def wire_us(_a, _b):
    return 8e6 * SEGMENT / RATE


def advised(folder, cluster, plan, size=SIZE, wire=wire_us, **more):
    write_pipeline(folder, plan, cluster, size, SEGMENT, wire, **more)
    found = analyse(find_job(str(folder)))
    return found, advice_for(found, found.groups[0])


def predicted(cluster, plan, size=SIZE):
    knowledge = _core.Knowledge(cluster, _core.NativeLibrary.mpich, *COSTS)
    knowledge.take_plan(plan, "plan")
    decider = _core.Decider(knowledge, plan.collective, list(range(len(plan.plan))), plan.plan.root)
    chosen = decider.decide(size)
    assert _core.is_given(chosen.algorithm), chosen.reason
    return decider.seconds_of(chosen.algorithm, size, min(chosen.segment_bytes, size))


def all_steps(tree, collective):
    """Every step of ``trunkline plan edit`` that there is, whatever the suggestions try."""
    for edit in (add_host_level, add_root_level, remove_host_level, remove_root_level):
        yield partial(edit, tree)
    for host in tree.host_names:
        yield partial(add_host_level, tree, [host])
        for edit in (split_root, merge_root, add_link, remove_link):
            yield partial(edit, tree, host)
    for rank in range(len(tree.parent)):
        if collective in free_roots():
            yield partial(reroot, tree, rank)
        for to in range(len(tree.parent)):
            yield partial(move, tree, rank, to)


def best_gain(cluster, plan, size=SIZE):
    now, best = predicted(cluster, plan, size), 0.0
    tree = host_tree_of(plan, "plan")
    for edit in all_steps(tree, plan.collective):
        try:
            after = edited(plan, edit(), "a step")
        except (BadInput, _core.InvalidPlan):
            continue
        best = max(best, now / predicted(cluster, after, size))
    return best


@st.composite
def trees(draw):
    ranks = draw(st.integers(3, 5))
    return [None, *(draw(st.integers(0, rank - 1)) for rank in range(1, ranks))]


@given(
    parents=trees(),
    collective=st.sampled_from(["bcast", "allreduce"]),
    segment=st.sampled_from([None, SEGMENT]),
    size=st.sampled_from([32 << 10, SIZE]),
)
@settings(max_examples=60)
def test_the_best_step_is_the_best_of_all_by_prediction(cluster, parents, collective, segment, size):
    plan = plan_for(cluster, parents, collective, segment)
    with tempfile.TemporaryDirectory() as folder:
        _, advice = advised(Path(folder), cluster, plan, size)
    steps = [step for step in advice.steps if isinstance(step, Suggestion)]
    best = best_gain(cluster, plan, size)
    assert bool(steps) == (best >= LEAST_GAIN) or len(advice.steps) == len(steps) == 0, (best, advice)
    if steps:
        # Of steps whose gains round to the same hundredth the shortest comes first.
        assert steps[0].gain == pytest.approx(best, abs=0.01)
        after = edited(plan, steps[0].tree, steps[0].words)
        assert predicted(cluster, plan, size) / predicted(cluster, after, size) == pytest.approx(steps[0].gain)


def test_each_step_leads_to_another_tree(tmp_path, cluster):
    """Of a link both ends are dear, and its child would be moved twice."""
    _, advice = advised(tmp_path, cluster, plan_for(cluster, [None, 0, 1, 1, 3], "allreduce"))
    steps = [step.tree.parent for step in advice.steps if isinstance(step, Suggestion)]
    assert len(steps) == len(set(steps)) == 2


def test_the_step_is_a_gain_where_it_is_simulated(tmp_path, cluster, trunkline):
    """The root of a flat tree sends all by itself."""
    plan = plan_for(cluster, [None, 0, 0, 0, 0, 0], "bcast")
    _, advice = advised(tmp_path, cluster, plan)
    step = next(one for one in advice.steps if isinstance(one, Suggestion))
    (tmp_path / "cluster.yaml").write_text(ONE_SWITCH)
    seconds = {}
    for name, made in {"before": plan, "after": edited(plan, step.tree, step.words)}.items():
        file = tmp_path / f"{name}.yaml"
        file.write_text(_core.write_plan(made))
        words = ("--plan", file, "--sizes", str(SIZE), "--algorithms", "linear", "--host-costs", "mpich")
        done = trunkline("simulate", "bcast", "--cluster", tmp_path / "cluster.yaml", *words, "--json", "-")
        seconds.update({row["algorithm"]: row["seconds_median"] for row in done.data})
    assert seconds["before"] / seconds["after"] == pytest.approx(step.gain, rel=0.1)


def test_a_line_needs_nothing(tmp_path, cluster):
    """It is `linear`, which `auto` would take: the same tree is no other algorithm."""
    _, advice = advised(tmp_path, cluster, plan_for(cluster, [None, 0, 1, 2, 3], "bcast"))
    assert (advice.steps, advice.is_good) == ([], True)
    assert "no step of 'trunkline plan edit'" in advice.silent
    assert "no other algorithm does" in advice.silent


def test_a_slow_host_is_told(tmp_path, cluster, trunkline):
    """All that it sends and gets takes four times as long, so it had best send less."""
    plan = plan_for(cluster, [None, 0, 0, 1, 1, 2, 2, 0], "bcast", SEGMENT)
    _, advice = advised(tmp_path, cluster, plan, wire=lambda a, b: 4 * wire_us(a, b) if 1 in (a, b) else wire_us(a, b))
    step = next(one for one in advice.steps if isinstance(one, Suggestion))
    assert step.slow == ["a1"]
    assert len(step.tree.children[1]) < 2
    told = " ".join(trunkline("trace", "analyse", tmp_path).out.split())
    assert f"{step.words} -o edited.yaml" in told
    assert f"predicted, with the links of a1 as slow as they were traced: {step.gain:.2f} times faster" in told


@pytest.mark.parametrize(
    "parents", [[None, 0, 0, 0, 0, 0], [None, 0, 0, 1, 1, 2, 2, 0], [None, 0, 1, 2, 3, 4, 5, 6], [None, 0, 0, 1, 2]]
)
def test_what_waits_at_a_port_is_on_no_slow_link(tmp_path, cluster, parents):
    """The root hands on all segments at once: most of their time they wait for those before."""
    plan = plan_for(cluster, parents, "bcast", SEGMENT)
    found, _ = advised(tmp_path, cluster, plan, queues=True)
    network = as_traced(found, found.groups[0])
    assert not isinstance(network, str), network
    assert network.slow == []


@pytest.mark.parametrize("slow", [1, 2, 3])
def test_a_slow_link_behind_a_port_where_others_wait(tmp_path, cluster, slow):
    plan = plan_for(cluster, [None, 0, 0, 1, 2, 3, 4, 4], "bcast", SEGMENT)

    def wire(a, b):
        return 4 * wire_us(a, b) if slow in (a, b) else wire_us(a, b)

    found, advice = advised(tmp_path, cluster, plan, wire=wire, queues=True)
    network = as_traced(found, found.groups[0])
    assert not isinstance(network, str), network
    assert network.slow == [f"a{slow}"]
    assert all(step.slow == [f"a{slow}"] for step in advice.steps)


def test_times_that_the_model_does_not_know(tmp_path, cluster):
    plan = plan_for(cluster, [None, 0, 0, 1, 1], "bcast")
    _, advice = advised(tmp_path, cluster, plan, wire=lambda a, b: 10 * wire_us(a, b))
    assert (advice.steps, advice.is_good) == ([], False)
    assert "the model does not know what holds it up" in advice.silent
    for file in tmp_path.glob("*.cluster.yaml"):
        file.unlink()
    found = analyse(find_job(str(tmp_path)))
    assert "no cluster file" in advice_for(found, found.groups[0]).silent


@pytest.mark.parametrize("late", [0, 1, 4, 7])
def test_what_waits_for_its_receiver_is_on_no_slow_link(tmp_path, cluster, late):
    """Calls follow each other, and a rank comes to each of them once the first segments are there."""
    plan = plan_for(cluster, [None, 0, 1, 2, 3, 4, 5, 6], "bcast", SEGMENT)
    wait_us = 5 * wire_us(0, 0)
    found, _ = advised(tmp_path, cluster, plan, queues=True, late_us=lambda rank: wait_us if rank == late else 0.0)
    network = as_traced(found, found.groups[0])
    assert not isinstance(network, str), network
    assert network.slow == []


def test_the_first_segment_of_a_call_waits_behind_the_call_before():
    """The port is busy with it, however late the receiver is told to have come."""
    sent = np.array([[0, 10], [100, 110]])
    came = np.array([[50, 90], [140, 180]])
    entered = np.array([0, 0])
    for before, waits in ((95, False), (120, True)):
        one = _Sent(1, sent, came, np.array([-1, before]), entered)
        [behind], [took] = _behind_others([one])
        assert behind.tolist() == [[False, True], [waits, True]]
        assert took.tolist() == [[50, 40], [140 - max(100, before), 40]]
