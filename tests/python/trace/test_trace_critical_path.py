"""Critical paths of rounds and of several trees: what made a call last is on them, and they are as long as the call."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_rounds import ring_of, write_ring
from made_run import PLAN, write_beside
from made_trace import ARRIVED, HANDED_ON, Made, eight_ranks, kind_bytes
from test_trace_suggest import rooms  # noqa: F401 (a fixture)

from trunkline.trace.analysis import analyse
from trunkline.trace.folder import find_job

RANKS = 6


def path_of(folder):
    [group] = analyse(find_job(str(folder)), skip=0).groups
    assert group.trees == []
    assert group.rounds
    return group.critical


def dearest(path):
    return path.stages[0].kind, path.stages[0].sender, path.stages[0].rank


def test_a_slow_link(tmp_path, rooms):  # noqa: F811
    """Each round waits for it once it has come round."""
    took = write_ring(tmp_path, ring_of(rooms, RANKS), rooms, lambda a, _: 300.0 if a == 2 else 20.0)
    path = path_of(tmp_path)
    assert dearest(path) == ("link", 2, 3)
    assert path.stages[0].calls == 1.0
    assert path.stages[0].share > 0.4
    assert path.time.mean == pytest.approx(took)
    assert sum(stage.mean for stage in path.stages) == pytest.approx(took)


def test_a_slow_rank(tmp_path, rooms):  # noqa: F811
    write_ring(
        tmp_path, ring_of(rooms, RANKS), rooms, lambda *_: 20.0, step_us=lambda rank: 200.0 if rank == 4 else 1.0
    )
    path = path_of(tmp_path)
    assert dearest(path) == ("rank", None, 4)
    assert path.stages[0].share > 0.8


def test_a_late_rank_is_where_it_begins(tmp_path, rooms):  # noqa: F811
    write_ring(tmp_path, ring_of(rooms, RANKS), rooms, lambda *_: 20.0, enters_us=lambda rank: 500.0 * (rank == 1))
    assert path_of(tmp_path).begins == [(1, 1.0)]


@given(
    links=st.lists(st.integers(1, 300), min_size=RANKS, max_size=RANKS),
    steps=st.lists(st.integers(0, 50), min_size=RANKS, max_size=RANKS),
    enters=st.lists(st.integers(0, 400), min_size=RANKS, max_size=RANKS),
)
@settings(max_examples=30, deadline=None)
def test_it_is_as_long_as_the_call(tmp_path_factory, rooms, links, steps, enters):  # noqa: F811
    """From the entry where it begins to the last exit, whatever is slow, and of nothing but what took time."""
    folder = tmp_path_factory.mktemp("ring")
    took = write_ring(
        folder, ring_of(rooms, RANKS), rooms, lambda a, _: links[a], steps.__getitem__, enters.__getitem__, calls=2
    )
    path = path_of(folder)
    [(first, part)] = path.begins
    assert part == 1.0
    assert path.time.mean == pytest.approx(took - enters[first])
    assert sum(stage.mean for stage in path.stages) == pytest.approx(path.time.mean)
    assert sum(stage.share for stage in path.stages) == pytest.approx(1.0)
    assert all((stage.rank - 1) % RANKS == stage.sender for stage in path.stages if stage.kind == "link")


def test_one_tree_has_one_too(tmp_path):
    """By hand: rank 7 leaves last, at 127; its message left 6 at 123, that one 4 at 96, that one 0 at 67."""
    eight_ranks(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    path = group.critical
    assert path.calls == 2
    links = {(stage.sender, stage.rank): stage for stage in path.stages if stage.kind == "link"}
    assert {(0, 4), (4, 6), (6, 7), (4, 0)} <= set(links)
    assert links[6, 7].mean == pytest.approx(2.0)
    assert links[4, 6].mean == pytest.approx((25 + 24) / 2)


def test_a_call_without_messages_has_none(tmp_path):
    for rank in range(2):
        made = Made(rank, 2, kinds=[kind_bytes()])
        made.begin(0, 0)
        made.over(5)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert group.critical is None


def test_what_came_for_later_rounds_is_no_cause(tmp_path, rooms):  # noqa: F811
    """Rank 1 sends in round 1 what came in round 0; what came for round 2 meanwhile is not what it waited for."""
    sent = {0: [(1, 0, 1), (8, 2, 1)], 1: [(50, 1, 2)], 2: []}
    came = {0: [], 1: [(5, 0, 0), (10, 2, 0)], 2: [(70, 1, 1)]}
    for rank in range(3):
        made = Made(rank, 3, f"a{rank}", kinds=[kind_bytes(plan=PLAN)])
        made.begin(0, 0)
        events = [(time, HANDED_ON, peer, part) for time, part, peer in sent[rank]]
        events += [(time, ARRIVED, peer, part) for time, part, peer in came[rank]]
        for time, what, peer, part in sorted(events):
            made.event(time, what, peer, part)
        made.over(80 if rank == 2 else 75)
        made.write(tmp_path)
    write_beside(tmp_path, ring_of(rooms, 3), rooms, range(3))
    [group] = analyse(find_job(str(tmp_path))).groups
    assert {(one.sender, one.rank): one.mean for one in group.critical.stages} == {
        (None, 2): 10.0,
        (1, 2): 20.0,
        (None, 1): 45.0,
        (0, 1): 4.0,
        (None, 0): 1.0,
    }


def test_pieces_of_a_round_are_told_apart(tmp_path):
    """Two pieces of one round: the second one came late, and it is its way that counts."""
    for rank in range(2):
        made = Made(rank, 2, f"h{rank}")
        made.begin(0, 0)
        if rank == 0:
            made.event(1, HANDED_ON, 1, 0)
            made.event(30, HANDED_ON, 1, 0)
            made.over(31)
        else:
            made.event(5, ARRIVED, 0, 0)
            made.event(90, ARRIVED, 0, 0)
            made.over(91)
        made.write(tmp_path)
    [group] = analyse(find_job(str(tmp_path))).groups
    assert [(one.kind, one.sender, one.rank, one.mean) for one in group.critical.stages] == [
        ("link", 0, 1, 60.0),
        ("rank", None, 0, 30.0),
        ("rank", None, 1, 1.0),
    ]
