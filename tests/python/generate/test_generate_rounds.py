"""What ``trunkline generate`` writes of plans of rounds. ``tests/runtime/test_generated.py`` runs it."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_generate import CIRCULANT, RING, ROUNDS, head

from trunkline import _core
from trunkline.kinds.periods import period_of
from trunkline.kinds.rounds import MOST_BLOCKS
from trunkline.kinds.runs import runs_of


def parsed(text):
    return _core.parse_plan(text, "plan.yaml").plan


def rows(code, name):
    """The numbers of an array of rows, or of a single one."""
    body = re.search(rf"{name}(?:\[\w*\])+ = {{(.*?)\n}};", code, re.DOTALL)[1]
    return [tuple(map(int, re.findall(r"-?\d+", line))) for line in body.splitlines() if line]


def unfolded(runs, blocks, rounds):
    """By round, as a set of sender, receiver, first block and count."""
    found = [set() for _ in range(rounds)]
    for run in runs:
        for time in range(run[1]):
            found[run[0] + time].add((run[2], run[3], (run[4] + time * run[6]) % blocks, run[5]))
    return found


def transfers(listed):
    return [{(one.sender, one.receiver, one.first, one.count) for one in each} for each in listed.rounds]


def laid(name, ranks, root=0):
    return _core.lay("bcast", name, None, [0] * ranks, root)


def test_rounds_by_hand_are_runs_of_transfers(generated):
    code = generated(ROUNDS)
    assert "enum { plan_blocks = 3, plan_rounds = 4, most_runs = 3 /* of a rank */ };" in code
    assert rows(code, "runs") == [
        (0, 1, 1, 3, 1, 2, 0),
        (1, 1, 1, 3, 0, 1, 0),
        (1, 3, 3, 0, 2, 1, -1),
        (2, 1, 1, 2, 0, 3, 0),
    ]
    assert "Broadcast of 3 blocks in 4 rounds: custom. Written by" in head(code)
    assert "from root 1, the message is cut into 3 blocks, which go in pieces of up to 8192 bytes." in head(code)
    assert max(map(len, code.splitlines())) <= 120


def test_a_ring_is_one_run_for_each_rank_after_the_scatter(generated):
    code = generated(RING, "--segment", "1000")
    found = rows(code, "runs")
    assert unfolded(found, 4, 5) == transfers(parsed(RING).list_rounds(4))
    assert sum(run[1] for run in found) > len(found)
    assert "plan_segment = 1000" in code


def test_any_number_of_blocks_is_one_period(generated):
    code = generated(CIRCULANT)
    assert "enum { period = 2 /*" in code
    assert rows(code, "order") == [(1, 3, 0, 2)]
    assert rows(code, "apart") == [(1, 2)]
    assert rows(code, "counted_from_last") == [tuple(own) for own in period_of(parsed(CIRCULANT)).offsets]
    assert "Broadcast of any number of blocks in rounds: custom." in head(code)
    assert "the message is cut into blocks of 8192 bytes. In each round" in head(code)
    assert max(map(len, code.splitlines())) <= 120


@given(st.sampled_from(["unaware-scatter-ring", "scatter-doubling"]), st.integers(2, 40), st.data())
def test_runs_are_all_that_is_sent(name, ranks, data):
    plan = laid(name, ranks, data.draw(st.integers(0, ranks - 1)))
    listed = plan.list_rounds(ranks)
    runs = runs_of(listed)
    assert unfolded(runs, ranks, len(listed.rounds)) == transfers(listed)
    assert [run.round for run in runs] == sorted(run.round for run in runs)
    assert len(runs) <= 6 * ranks + ranks * ranks.bit_length()


ONE = st.builds(
    SimpleNamespace,
    sender=st.just(0),
    receiver=st.just(1),
    first=st.integers(0, 3),
    count=st.integers(1, 2),
    reduces=st.just(False),
)


@given(st.lists(st.lists(ONE, max_size=1), max_size=12))
def test_whatever_follows_each_other(rounds):
    listed = SimpleNamespace(blocks=5, rounds=rounds)
    assert unfolded(runs_of(listed), 5, len(rounds)) == transfers(listed)


@given(st.integers(2, 70), st.integers(1, 40), st.data())
def test_every_period_follows_from_the_last(ranks, blocks, data):
    plan = laid("circulant", ranks, data.draw(st.integers(0, ranks - 1)))
    place = {rank: position for position, rank in enumerate(plan.order)}
    listed = [
        {(place[one.sender], place[one.receiver], one.first) for one in each}
        for each in plan.list_rounds(blocks).rounds
    ]
    assert period_of(plan).transfers(blocks) == listed


class Unlike:
    """A plan whose last round is not as its period has it."""

    def __init__(self, plan):
        self.plan, self.order, self.period, self.generator = plan, plan.order, plan.period, plan.generator

    def __len__(self):
        return len(self.plan)

    def list_rounds(self, blocks):
        listed = self.plan.list_rounds(blocks)
        return SimpleNamespace(blocks=blocks, rounds=[*listed.rounds[:-1], []])


def test_rounds_that_do_not_repeat_are_not_written_as_if_they_did():
    with pytest.raises(ValueError, match="the rounds of circulant for 1 blocks do not follow from one period"):
        period_of(Unlike(laid("circulant", 6)))


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
        assert len(code) < 500_000
