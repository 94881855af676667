"""What ``trunkline generate`` writes of plans of rounds. ``tests/runtime/test_generated.py`` runs it."""

from hypothesis import given
from hypothesis import strategies as st
from test_generate import CIRCULANT, RING, ROUNDS, head, steps_in

from trunkline import _core
from trunkline.kinds import kind_of
from trunkline.kinds.rounds import MOST_BLOCKS
from trunkline.schedule import Does, Step, with_step


def parsed(text):
    return _core.parse_plan(text, "plan.yaml").plan


def schedule_of(plan):
    return kind_of(plan).schedule(plan, "bcast")


def unfolded(steps, blocks, rounds):
    """By round, as a set of sender, receiver, first block and count: what ranks send, and what they receive."""
    found = [set() for _ in range(rounds)], [set() for _ in range(rounds)]
    for rank, own in enumerate(steps):
        for one in own:
            receives = bool(one.does & Does.receive)
            for time in range(one.times):
                ends = (one.peer, rank) if receives else (rank, one.peer)
                found[receives][one.round + time].add((*ends, (one.first + time * one.stride) % blocks, one.blocks))
    return found


def unfolded_period(schedule, blocks):
    """By round: sender, receiver and block of each message of so many blocks."""
    period = schedule.turns
    rounds = [set() for _ in range(blocks - 1 + period)]
    for number, found in enumerate(rounds):
        left = len(rounds) - 1 - number
        for rank, steps in enumerate(schedule.steps):
            for one in steps:
                block = blocks - 1 + one.first - left // period * period
                if one.does & Does.receive and one.stream == period - 1 - left % period and block >= 0:
                    found.add((one.peer, rank, min(block, blocks - 1)))
    return rounds


def transfers(listed):
    return [{(one.sender, one.receiver, one.first, one.count) for one in each} for each in listed.rounds]


def laid(name, ranks, root=0):
    return _core.lay("bcast", name, None, [0] * ranks, root)


def test_rounds_by_hand_are_steps(generated):
    code = generated(ROUNDS)
    steps = steps_in(code)
    listed = transfers(parsed(ROUNDS).list_rounds(3))
    assert unfolded(steps, 3, 4) == (listed, listed)
    assert "enum { plan_blocks = 3, " in code
    onward = [(one.round, one.times, one.first, one.stride, one.after, one.lag) for one in steps[3] if one.peer == 0]
    assert onward == [(1, 1, 2, 0, 0, 1), (2, 2, 1, -1, 0, 2)]  # what came one round before, and two
    assert "Broadcast by rounds: custom, 3 blocks in 4 rounds. Written by" in head(code)
    assert max(map(len, code.splitlines())) <= 120


def test_a_ring_is_few_steps_for_each_rank_after_the_scatter(generated):
    code = generated(RING, "--segment", "1000")
    steps = steps_in(code)
    listed = transfers(parsed(RING).list_rounds(4))
    assert unfolded(steps, 4, 5) == (listed, listed)
    assert sum(one.times for own in steps for one in own) > sum(map(len, steps))
    assert "plan_segment = 1000" in code


def test_any_number_of_blocks_is_one_period(generated):
    code = generated(CIRCULANT)
    steps = steps_in(code)
    assert steps == schedule_of(parsed(CIRCULANT)).steps
    assert "plan_turns = 2 " in code
    assert all(one.stride == 2 and one.times == 0 for own in steps for one in own)
    assert "Broadcast by rounds: custom, any number of blocks. Written by" in head(code)
    assert max(map(len, code.splitlines())) <= 120


@given(st.sampled_from(["unaware-scatter-ring", "scatter-doubling"]), st.integers(2, 40), st.data())
def test_steps_are_all_that_is_sent(name, ranks, data):
    plan = laid(name, ranks, data.draw(st.integers(0, ranks - 1)))
    listed = plan.list_rounds(ranks)
    steps = schedule_of(plan).steps
    assert unfolded(steps, ranks, len(listed.rounds)) == (transfers(listed), transfers(listed))
    assert sum(map(len, steps)) <= 2 * (6 * ranks + ranks * ranks.bit_length())


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(1, 2)), max_size=12))
def test_whatever_follows_each_other(rounds):
    queue, number, expected = [], 0, []
    for pause, first, count in rounds:
        number += pause + 1
        with_step(queue, Step(0, Does(0), 1, 0, first, count, 1, 0, number, -1, 0), 5)
        expected.append((number, first, count))
    found = [(one.round + t, (one.first + t * one.stride) % 5, one.blocks) for one in queue for t in range(one.times)]
    assert found == expected


@given(st.integers(2, 70), st.integers(1, 40), st.data())
def test_every_period_follows_from_the_last(ranks, blocks, data):
    plan = laid("circulant", ranks, data.draw(st.integers(0, ranks - 1)))
    listed = [{(one.sender, one.receiver, one.first) for one in each} for each in plan.list_rounds(blocks).rounds]
    assert unfolded_period(schedule_of(plan), blocks) == listed


def test_too_many_blocks_for_tables(refused, trunkline, tmp_path):
    assert MOST_BLOCKS == 1024 * 1024
    file = tmp_path / "plan.yaml"
    assert trunkline("plan", "random:1025x8", "--algorithm", "scatter-doubling", "-o", file).status == 0
    assert refused("generate", file) == (
        "plan.yaml has 1025 blocks for 1025 ranks, which is too much for tables: the product may be 1048576 at most; "
        "take a plan of trees, such as two-tree, or one for fewer ranks"
    )


def test_a_thousand_ranks_fit(trunkline, tmp_path):
    file = tmp_path / "plan.yaml"
    for name in ("scatter-ring", "circulant"):
        assert trunkline("plan", "random:1024x8", "--algorithm", name, "-o", file).status == 0
        code = trunkline("generate", file).out
        assert len(code) < 1_500_000
