"""Every metric of a trace of eight ranks, against values computed by hand."""

import numpy as np
import pytest
from made_trace import CALL_A, eight_ranks, only_tree, us

from trunkline.trace.analysis import analyse
from trunkline.trace.as_json import analysis_as_json
from trunkline.trace.folder import find_job
from trunkline.trace.metrics import (
    arrival_wait,
    departure_wait,
    down_latency,
    order_counts,
    order_pairs,
    proxy_latency,
    stats_of,
    up_latency,
    wrapper_latency,
)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    folder = tmp_path_factory.mktemp("eight")
    eight_ranks(folder)
    return analyse(find_job(str(folder)))


@pytest.fixture(scope="module")
def tree(analysis):
    return only_tree(analysis)


def test_the_tree(tree):
    parents = {rank: node.parent for rank, node in tree.times.nodes.items()}
    assert parents == {0: None, 1: 0, 2: 0, 3: 2, 4: 0, 5: 4, 6: 4, 7: 6}
    assert tree.times.path(7) == [7, 6, 4, 0]


DOWN = {0: [2, 2], 1: [2, 2], 2: [2, 2], 3: [2, 2], 4: [3, 3], 5: [2, 2], 6: [1, 1], 7: [3, 3]}
UP = {0: [2, 2], 1: [1, 3], 2: [2, 1], 3: [1, 4], 4: [3, 2], 5: [2, 1], 6: [2, 4], 7: [2, 3]}


@pytest.mark.parametrize("rank", range(8))
def test_latencies(tree, rank):
    node = tree.times.nodes[rank]
    assert us(down_latency(node)) == DOWN[rank]
    assert us(up_latency(node)) == UP[rank]


ARRIVAL_WAITS = {(0, 0): [60, 64], (0, 1): [54, 58], (0, 2): [33, 37], (0, 4): [0, 0], (2, 2): [4, 4], (2, 3): [0, 0],
                 (4, 4): [29, 29], (4, 5): [24, 24], (4, 6): [0, 0], (6, 6): [11, 11], (6, 7): [0, 0]}  # fmt: skip
DEPARTURE_WAITS = {(0, 0): [6, 7], (0, 1): [5, 0], (0, 2): [0, 2], (0, 4): [3, 5], (2, 2): [2, 4], (2, 3): [0, 0],
                   (4, 4): [5, 5], (4, 5): [3, 4], (4, 6): [0, 0], (6, 6): [1, 2], (6, 7): [0, 0]}  # fmt: skip
WRAPPERS = {(0, 0): [70, 75], (0, 1): [63, 62], (0, 2): [37, 43], (0, 4): [7, 9], (2, 2): [10, 11], (2, 3): [4, 3],
            (4, 4): [40, 39], (4, 5): [33, 33], (4, 6): [6, 5], (6, 6): [15, 18], (6, 7): [3, 5]}  # fmt: skip


@pytest.mark.parametrize(("node", "contributor"), ARRIVAL_WAITS)
def test_waits_and_wrappers(tree, node, contributor):
    of = tree.times.nodes[node]
    assert us(arrival_wait(of, contributor)) == ARRIVAL_WAITS[node, contributor]
    assert us(departure_wait(of, contributor)) == DEPARTURE_WAITS[node, contributor]
    assert us(wrapper_latency(of, contributor)) == WRAPPERS[node, contributor]


def test_orders(tree):
    root = tree.times.nodes[0]
    assert root.contributors == [0, 1, 2, 4]
    assert order_counts(root.t1, [0, 1, 2, 4]).tolist() == (2 * np.eye(4, dtype=int)).tolist()
    # They depart as 2, 4, 1, 0 and then as 1, 2, 4, 0.
    assert order_counts(root.t4, [0, 1, 2, 4]).tolist() == [[0, 0, 0, 2], [1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0]]
    assert order_pairs(root).tolist() == [[0, 0, 0, 2], [1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0]]
    assert order_pairs(tree.times.nodes[6]).tolist() == [[0, 2], [2, 0]]
    assert order_pairs(tree.times.nodes[7]) is None


PROXIES = {(2, 0): [40, 42], (4, 0): [51, 57], (6, 4): [45, 44]}


def test_proxies_are_split_in_halves_whatever_the_clocks(tree):
    for (child, parent), both in PROXIES.items():
        assert us(proxy_latency(tree.times.nodes[child], tree.times.nodes[parent])) == both
    stages = {(one.kind, one.node, one.contributor): one for one in tree.stages}
    for (child, parent), both in PROXIES.items():
        for kind in ("down proxy", "up proxy"):
            assert stages[kind, child, parent].stats.mean == sum(both) / 4
            assert stages[kind, child, parent].part == "proxy"


def test_links_within_a_host_are_as_its_clock_says(tree):
    stages = {(one.kind, one.node, one.contributor): one for one in tree.stages}
    for child, parent, down, up in [(1, 0, 2, 2), (3, 2, 3, 2.5), (5, 4, 2, 1.5), (7, 6, 3, 2)]:
        assert stages["down proxy", child, parent].stats.mean == down
        assert stages["up proxy", child, parent].stats.mean == up
        assert stages["up proxy", child, parent].part == "host subtree"


def test_statistics_of_a_stage(tree):
    [stage] = [one for one in tree.stages if (one.kind, one.node) == ("up proxy", 4)]
    stats = stage.stats
    assert (stats.count, stats.mean, stats.median, stats.least, stats.most) == (2, 27.0, 27.0, 25.5, 28.5)
    assert stats.stdev == pytest.approx(3 / 2**0.5)
    assert (stats.p10, stats.p90) == pytest.approx((25.8, 28.2))
    assert stage.ranks == 4  # ranks 4 to 7 pass there


def test_statistics_of_five_values():
    stats = stats_of(np.array([1000, 2000, 3000, 4000, 10000]))
    assert (stats.mean, stats.median, stats.least, stats.most) == (4.0, 3.0, 1.0, 10.0)
    assert stats.stdev == pytest.approx(12.5**0.5)
    assert (stats.p10, stats.p90) == pytest.approx((1.4, 7.6))


def test_costs_by_part_of_the_slowest_and_the_fastest_rank(tree):
    assert (tree.fastest.rank, tree.slowest.rank) == (0, 7)
    assert tree.costs[1].total == 14.5
    slow = tree.slowest
    assert (slow.down, slow.up, slow.total) == (61.25, 65.25, 126.5)
    assert (slow.host_subtree, slow.cluster_root_subtree, slow.proxy) == (14.5, 13.5, 98.5)
    assert (slow.down_with_arrival_wait, slow.total_with_arrival_wait, slow.proxies) == (61.25, 126.5, 2)
    root = tree.costs[0]
    assert (root.down_with_arrival_wait, root.down, root.up, root.host_subtree) == (64.0, 2.0, 8.5, 10.5)
    assert (root.total, root.total_with_arrival_wait, root.proxies) == (10.5, 72.5, 0)


def test_stages_add_up_to_the_time_in_the_call(tree):
    """Whatever the clocks of the hosts show."""
    for cost in tree.costs:
        calls = CALL_A["over"][cost.rank] - [0, 2, 1, 0, 3, 4, 0, 5][cost.rank]
        second = [75, 73, 97, 99, 108, 110, 133, 136][cost.rank] - [0, 2, 1, 0, 3, 4, 0, 5][cost.rank]
        assert cost.total_with_arrival_wait == pytest.approx((calls + second) / 2)


def test_hot_spots_are_the_dearest_stages(tree):
    first, second = tree.hot_spots[:2]
    assert {(first.kind, first.node), (second.kind, second.node)} == {("down proxy", 4), ("up proxy", 4)}
    assert tree.share(first) == pytest.approx(27.0 * 4 / sum(cost.total for cost in tree.costs))
    assert all(stage.kind != "arrival wait" for stage in tree.hot_spots)


def test_imbalance(analysis):
    [group] = analysis.groups
    found = group.imbalance
    assert found.in_call == pytest.approx(
        np.mean([70, 70, 87, 90, 98, 98, 124, 122, 75, 71, 96, 99, 105, 106, 133, 131])
    )
    assert found.waiting == pytest.approx(5 - 15 / 8)  # the last one enters at 5
    assert found.inside == pytest.approx((122 + 131) / 2)
    # Between the calls: from the end of the first to the start of the second.
    gaps = [1000 + begin - over for begin, over in zip([0, 2, 1, 0, 3, 4, 0, 5], CALL_A["over"], strict=True)]
    assert found.program == pytest.approx(max(gaps) - min(gaps))
    assert found.late_ranks == [(7, 1.0)]
    assert found.reason == "inside"


def test_json_has_it_all(analysis):
    told = analysis_as_json(analysis)
    [group] = told["groups"]
    assert (group["calls"], group["bytes"], group["ranks"]) == (2, 4, list(range(8)))
    [tree] = group["trees"]
    [root] = [one for one in tree["nodes"] if one["node"] == 0]
    assert root["wrapper_latency"]["4"]["mean_us"] == 8.0
    assert tree["slowest_rank"] == 7
    assert told["clock_error_us"] == 0
