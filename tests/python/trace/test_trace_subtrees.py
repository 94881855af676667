"""Subtrees as one node, classes by proxies, a chosen rank, two runs beside each other: by hand and by brute force."""

import json

import numpy as np
import pytest
from made_run import write_run
from made_trace import eight_ranks
from test_trace_suggest import plan_of, rooms, ways  # noqa: F401 (rooms is a fixture)

from trunkline.edits.host_tree import HostTree
from trunkline.trace.analysis import analyse
from trunkline.trace.compare import compare
from trunkline.trace.folder import find_job
from trunkline.trace.words import orders_of, told_costs


@pytest.fixture(scope="module")
def eight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("eight")
    eight_ranks(folder)
    [group] = analyse(find_job(str(folder)), subtree=(4, 1)).groups
    return group.trees[0]


def test_the_subtrees_of_hosts(eight):
    """Of host a: ranks 0 and 1; 4 and 2 enter from outside."""
    found = {one.name: one for one in eight.subtrees}
    assert list(found) == [
        "cluster-root subtree",
        "host subtree of the root, a",
        "host subtree, b",
        "host subtree, c",
        "host subtree, d",
        "subtree of rank 4, 1 level",
    ]
    root = found["host subtree of the root, a"]
    assert (root.nodes, root.contributors) == ([0, 1], [(0, 0), (0, 2), (0, 4), (1, 1)])
    assert root.down_latency.mean == pytest.approx(2.0)  # rank 4 comes last
    # After the sum is whole rank 0 leaves at 70 and 75 and rank 1 at 72 and 73, of sums at 62 and 66.
    assert root.curve == pytest.approx([(8 + 7) / 2, (10 + 9) / 2])
    assert root.last_departure == pytest.approx(9.5)


def test_a_subtree_on_one_host_is_as_its_clock_says(tmp_path, rooms):  # noqa: F811
    """The sum of stages is the time between arrival and departure, whatever the tree within the host."""
    tree = HostTree((None, 0, 1, 2, 1, 0), ("a0",) * 6)
    plan = plan_of(rooms, [None, 0, 1, 2, 1, 0])
    plan.host_of_rank = list(tree.hosts)
    write_run(tmp_path, plan, rooms, link_us=lambda a, b: 3.0 * a + b + 2.0)
    [group] = analyse(find_job(str(tmp_path))).groups
    [traced] = group.trees
    [host] = traced.subtrees
    assert host.name == "host subtree of the root, a0"
    nodes = traced.times.nodes
    result = nodes[0].t3
    departures = np.sort(np.stack([(nodes[rank].t4[rank] - result).ravel() for rank in range(6)]), axis=0)
    assert host.curve == pytest.approx((departures.mean(axis=1) / 1e3).tolist())
    arrivals = np.max([nodes[rank].t1[rank] for rank in range(6)], axis=0)
    assert host.down_latency.mean == pytest.approx(float((nodes[0].t2 - arrivals).mean()) / 1e3)


def test_classes_by_proxies(eight):
    """Ranks 0 and 1 have none, 2 to 5 one, 6 and 7 two: each class has its fastest and its slowest."""
    numbers = {cost.rank: cost.proxies for cost in eight.costs}
    assert numbers == {0: 0, 1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 6: 2, 7: 2}
    total = {cost.rank: cost.total for cost in eight.costs}
    for number, (fast, slow) in enumerate(zip(eight.classes[::2], eight.classes[1::2], strict=True)):
        alike = [total[rank] for rank, proxies in numbers.items() if proxies == number]
        assert (fast.total, slow.total) == (min(alike), max(alike))
    assert [words for words, _ in told_costs(eight, 3)] == [
        "no proxy, fastest",
        "no proxy, slowest",
        "1 proxy, fastest",
        "1 proxy, slowest",
        "2 proxies, fastest",
        "2 proxies, slowest",
        "as asked for",
    ]


def test_orders_of_a_rank(eight):
    """At 0 they come as 0, 1, 2, 4 and leave as 2, 4, 1, 0 and then as 1, 2, 4, 0."""
    orders = orders_of(eight, None)
    assert (orders.node, orders.contributors, orders.places) == (0, 4, [0, 1, 2, 3])
    assert orders.shares == [[0, 0, 0, 1], [0.5, 0, 0.5, 0], [0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0]]
    assert orders_of(eight, 6).node == 6
    assert orders_of(eight, 7).node == 0, "a leaf has no orders"


def test_stages_have_names(eight):
    labels = [label for _, label in eight.labelled_way(3)]
    assert labels[:5] == [
        "host 0 arrival wait",
        "host 0 down latency",
        "link 0 down",
        "host 1 arrival wait",
        "cluster-root 1 down latency" if eight.labelled_way(3)[4][0].part != "host subtree" else "host 1 down latency",
    ]
    assert "proxy 1 down" in labels
    assert labels[-1] == "host 0 departure wait"


def test_two_runs_by_stage(tmp_path, rooms):  # noqa: F811
    """What a rank spends by part and kind adds up to what ranks spend in all, in both runs."""
    folders = [tmp_path / name for name in ("before", "after")]
    for folder, parents in zip(folders, ([None, *range(7)], [None, 0, 0, 1, 1, 2, 2, 3]), strict=True):
        folder.mkdir()
        write_run(folder, plan_of(rooms, parents), rooms, link_us=ways(rooms, rooms.hosts))
    first, second = (analyse(find_job(str(folder))) for folder in folders)
    [beside] = compare(first, second)
    stages = beside.stages()
    for place, one in ((1, first), (2, second)):
        costs = one.groups[0].trees[0].costs
        whole = sum(cost.total_with_arrival_wait for cost in costs) / len(costs)
        assert sum(row[place] for row in stages) == pytest.approx(whole)
    changes = [abs(after - before) for _, before, after in stages]
    assert changes == sorted(changes, reverse=True)
    assert {name for name, *_ in stages} >= {"proxies, down", "cluster-root subtree: up latency"}


def test_a_rank_that_is_not_there(tmp_path, refused):
    eight_ranks(tmp_path)
    assert refused("trace", "analyse", tmp_path, "--rank", "8") == "--rank 8: the trace has no such rank; it has 0-7"
    assert refused("trace", "analyse", tmp_path, "--subtree", "4:0").startswith("--subtree 4:0: give a rank")
    assert refused("trace", "analyse", tmp_path, "--subtree", "9:1").startswith("--subtree 9: the trace has no")


def test_all_of_it_is_told(tmp_path, trunkline, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    eight_ranks(tmp_path)
    report = tmp_path / "report.json"
    done = trunkline("trace", "analyse", tmp_path, "--rank", "3", "--subtree", "4:2", "--json", report)
    assert done.status == 0, done
    words = " ".join(done.out.split())
    assert "Stages of rank 3" in words
    assert "Subtrees as one node" in words
    assert "subtree of rank 4, 2 levels" in words
    assert "Arrivals and departures at rank" in words
    [tree] = json.loads(report.read_text())["groups"][0]["trees"]
    assert [one["subtree"] for one in tree["subtrees"]][-1] == "subtree of rank 4, 2 levels"
    assert tree["by_proxies"][0] in (0, 1)
