"""Suggestions: on bad plans the first step, applied, is a gain in the very run it came from; good plans get none."""

from itertools import pairwise

import pytest
from made_run import write_run

from trunkline import _core
from trunkline.edits.host_tree import HostTree
from trunkline.edits.plans import edited, host_tree_of
from trunkline.edits.steps import reroot
from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job
from trunkline.trace.suggest import advice_for

TWO_ROOMS = """\
trunkline: cluster/1
name: two-rooms
switches: [s0, s1]
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - {hosts: "a[0-7]", switch: s0}
  - {hosts: "b[0-7]", switch: s1}
links:
  - {between: [s0, s1], rate: 10Mbit}
"""


@pytest.fixture(scope="module")
def rooms():
    return _core.parse_cluster(TWO_ROOMS, "two-rooms.yaml")


def plan_of(cluster, parents):
    plan = _core.PlanFile()
    plan.collective, plan.algorithm = "allreduce", "custom"
    plan.cluster, plan.cluster_fingerprint = cluster.name, cluster.topology_fingerprint
    return edited(plan, HostTree(tuple(parents), tuple(cluster.hosts[: len(parents)])), "a test")


def ways(cluster, hosts, near=20.0, far=200.0, slow=()):
    """Of links: within a room, between rooms; and what slow hosts add."""

    def one_way(a, b):
        base = near if hosts[a][0] == hosts[b][0] else far
        return base + 300.0 * ((hosts[a] in slow) + (hosts[b] in slow))

    return one_way


def first_step(folder, cluster, plan, **how):
    write_run(folder, plan, cluster, **how)
    found = analyse(find_job(str(folder)))
    [group] = found.groups
    return advice_for(found, group).steps


def time_of(folder, cluster, plan, **how):
    folder.mkdir()
    write_run(folder, plan, cluster, **how)
    [group] = analyse(find_job(str(folder))).groups
    return group.imbalance.inside


BINARY = [None, 0, 0, 1, 1, 2, 2, 3]
GOOD_IN_TWO_ROOMS = [None, 0, 0, 1, 1, 2, 2, 3, 0, 8, 8, 9, 9, 10, 10, 11]


def bad_plans(rooms):
    eight = rooms.hosts[:8]
    good = HostTree(tuple(GOOD_IN_TWO_ROOMS), tuple(rooms.hosts))
    return {
        "wrong root": (plan_of(rooms, reroot(good, 15).parent), ways(rooms, rooms.hosts)),
        "too deep": (plan_of(rooms, [None, *range(7)]), ways(rooms, eight)),
        "one slow host in the middle": (plan_of(rooms, BINARY), ways(rooms, eight, slow=("a1",))),
        "ranks across a thin trunk": (
            plan_of(rooms, [None, 8, 0, 9, 1, 10, 2, 11, 0, 1, 2, 3, 4, 5, 6, 7]),
            ways(rooms, rooms.hosts),
        ),
    }


@pytest.mark.parametrize(
    "which", ["wrong root", "too deep", "one slow host in the middle", "ranks across a thin trunk"]
)
def test_the_first_step_on_a_bad_plan_is_a_gain(tmp_path, rooms, which):
    plan, link_us = bad_plans(rooms)[which]
    steps = first_step(tmp_path, rooms, plan, link_us=link_us)
    assert steps, which
    before = time_of(tmp_path / "before", rooms, plan, link_us=link_us)
    changed = edited(plan, steps[0].tree, steps[0].words)
    after = time_of(tmp_path / "after", rooms, changed, link_us=link_us)
    assert before / after > 1.05, (steps[0].words, before, after)
    assert steps[0].gain == max(step.gain for step in steps)


@pytest.mark.parametrize("ranks", [3, 8])
def test_a_good_plan_gets_none(tmp_path, rooms, ranks):
    """On one switch, where a way takes as long as five messages, the root had best do all by itself."""
    plan = plan_of(rooms, [None, *([0] * (ranks - 1))])
    write_run(tmp_path, plan, rooms, link_us=ways(rooms, rooms.hosts))
    found = analyse(find_job(str(tmp_path)))
    advice = advice_for(found, found.groups[0])
    assert (advice.steps, advice.is_good) == ([], True)
    assert "promises to make it 1.1 times faster" in advice.silent


def test_steps_lead_to_a_plan_that_gets_none(tmp_path, rooms):
    """Each of them a gain; not to the best one: where two ways are equally bad, no single step helps."""
    plan, link_us = bad_plans(rooms)["ranks across a thin trunk"]
    times = []
    for number in range(12):
        folder = tmp_path / str(number)
        times.append(time_of(folder, rooms, plan, link_us=link_us))
        found = analyse(find_job(str(folder)))
        steps = advice_for(found, found.groups[0]).steps
        if not steps:
            break
        plan = edited(plan, steps[0].tree, steps[0].words)
    assert not steps
    assert all(later < earlier for earlier, later in pairwise(times))
    assert times[-1] < times[0] / 1.5


def test_a_suggestion_can_be_typed(tmp_path, rooms, trunkline):
    plan, link_us = bad_plans(rooms)["too deep"]
    steps = first_step(tmp_path, rooms, plan, link_us=link_us)
    words = steps[0].command.removesuffix(" -o edited.yaml").split()
    done = trunkline(*words[1:], "-o", tmp_path / "edited.yaml")
    assert done.status == 0, done
    made = host_tree_of(_core.read_plan(str(tmp_path / "edited.yaml")), "edited.yaml")
    assert made.parent == steps[0].tree.parent


def test_a_slow_host_becomes_a_leaf(tmp_path, rooms):
    plan, link_us = bad_plans(rooms)["one slow host in the middle"]
    steps = first_step(tmp_path, rooms, plan, link_us=link_us)
    assert steps[0].tree.children[1] == []
    assert steps[0].attacks.node == 1


def test_where_nothing_can_be_judged_it_is_said(tmp_path, rooms, trunkline):
    plan, link_us = bad_plans(rooms)["too deep"]
    write_run(tmp_path, plan, rooms, link_us=link_us)
    for file in tmp_path.glob("*.plan-*"):
        file.unlink()
    done = trunkline("trace", "analyse", tmp_path, "--json", "-")
    assert "no suggestion: no plan ran, or its file is missing from the trace" in " ".join(done.error.split())
    [group] = done.data["groups"]
    assert (group["suggestions"], group["is_good"]) == ([], False)
