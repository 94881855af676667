"""A trace of ranks of a host that combined as they came: one node for all of them, as the allreduce paper's wrapper."""

import pytest
from made_trace import ARRIVED, COMPLETE, HANDED_ON, SUM, Made, only_tree, us

from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job
from trunkline.trace.metrics import arrival_wait, departure_wait, down_latency, up_latency
from trunkline.trace.suggest import BY_ARRIVAL, advice_for

# Rank 0 is the root of a plan 0 <- 1 <- 2 on one host, whose clocks have one base; ranks 3 <- 4 of another host are
# below 1. By rank: begins, then what it tells, over. Rank 1 is last, since it waits for their sum, which rank 4 sends.
CALL = {
    0: (0, [(40, COMPLETE, 0), (41, HANDED_ON, 1)], 45),
    1: (2, [(30, ARRIVED, 3), (32, HANDED_ON, 0), (50, ARRIVED, 0), (52, HANDED_ON, 3), (53, HANDED_ON, 2)], 56),
    2: (4, [(7, HANDED_ON, 1), (60, ARRIVED, 1)], 61),
    3: (1005, [(1075, ARRIVED, 1), (1076, HANDED_ON, 4)], 1077),
    4: (1006, [(1009, HANDED_ON, 3), (1011, SUM, 1), (1080, ARRIVED, 3)], 1081),
}


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    folder = tmp_path_factory.mktemp("by_arrival")
    for rank, (begins, events, over) in CALL.items():
        # Rank 2 counts from 100 us later on than the others of its host, rank 4 from 50.
        later = {2: 100, 4: 50}.get(rank, 0)
        is_other = rank > 2
        made = Made(rank, 5, "h1" if is_other else "h0", start_us=later, offset_us=-1000.0 if is_other else 0.0)
        for turn in range(2):
            made.begin(200 * turn + begins + 200 - later, turn)
            for time, what, peer in events:
                made.event(200 * turn + time + 200 - later, what, peer)
            made.over(200 * turn + over + 200 - later)
        made.write(folder)
    return analyse(find_job(str(folder)))


@pytest.fixture(scope="module")
def tree(analysis):
    return only_tree(analysis)


def test_ranks_of_a_host_contribute_to_the_one_that_speaks_for_them(tree):
    assert tree.times.by_arrival
    assert {rank: node.parent for rank, node in tree.times.nodes.items()} == {0: None, 1: 0, 2: 0, 3: 1, 4: 3}
    assert tree.times.nodes[0].contributors == [0, 1, 2]
    assert tree.times.nodes[1].contributors == [1, 3]
    assert tree.times.nodes[2].contributors == [2]
    assert tree.times.nodes[3].contributors == [3, 4]


def test_they_arrive_as_they_hand_on_and_depart_with_the_result(tree):
    root, inner = tree.times.nodes[0], tree.times.nodes[1]
    assert us(down_latency(root)) == [8, 8]  # from rank 1's 32 to 40
    assert [us(arrival_wait(root, one)) for one in (0, 1, 2)] == [[32, 32], [0, 0], [25, 25]]
    assert us(up_latency(root)) == [5, 5]  # rank 0 itself is first, at 45
    assert [us(departure_wait(root, one)) for one in (0, 1, 2)] == [[0, 0], [5, 5], [15, 15]]
    assert us(arrival_wait(inner, 1)) == [28, 28]
    assert us(down_latency(inner)) == [2, 2]


def test_whoever_is_last_sends_on_what_the_host_has(tree):
    other = tree.times.nodes[3]
    assert us(arrival_wait(other, 3)) == [4, 4]
    assert us(down_latency(other)) == [2, 2]  # from rank 4's 1009 to 1011
    assert us(up_latency(other)) == [2, 2]


@pytest.mark.parametrize("rank", CALL)
def test_stages_add_up_to_the_call(tree, rank):
    begins, _, over = CALL[rank]
    (cost,) = [one for one in tree.costs if one.rank == rank]
    assert cost.total_with_arrival_wait == pytest.approx(over - begins)


def test_no_step_and_no_critical_path_are_made_up(analysis):
    [group] = analysis.groups
    assert group.critical is None
    assert advice_for(analysis, group).silent in (BY_ARRIVAL, "no plan ran, or its file is missing from the trace")
