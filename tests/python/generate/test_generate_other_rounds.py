"""What ``trunkline generate`` writes of plans in rounds of collectives other than broadcasts.

``tests/runtime/test_generated_rounds.py`` runs what it writes.
"""

import re
import shutil

import pytest
from test_generate import TWO_TREES, compile_strictly, compilers, head, numbers_in, steps_in
from test_generate_reductions import OLD_MPI_H

from trunkline import _core
from trunkline.schedule import Does

HEAD = "trunkline: plan/1\ncollective: {0}\nshape: custom\nranks: 4\nroot: 1\nrounds:\n"
ORDERED = HEAD + "  generator: {1}\n  order: [1, 3, 0, 2]\n"
BY_HAND = (
    HEAD
    + """\
  blocks: 2
  transfers:
    - [{{from: 2, to: 1, blocks: 0-1, add: true}}]
    - [{{from: 3, to: 1, blocks: 0-1, add: true}}]
    - [{{from: 0, to: 1, blocks: 0, add: true}}]
    - [{{from: 0, to: 1, blocks: 1, add: true}}]
"""
)
RING = ORDERED.format("allreduce", "allreduce-ring")
DOUBLING = ORDERED.format("allreduce", "recursive-doubling")
TO_ROOT = BY_HAND.format("reduce")
SUMS = ORDERED.format("reduce-scatter", "reduce-scatter-ring")
EVEN_SUMS = ORDERED.format("reduce-scatter-block", "2-reduce-scatter-lane-ring")
GATHER = ORDERED.format("allgather", "2-allgather-lane-ring")
UNEVEN_GATHER = ORDERED.format("allgatherv", "allgather-ring")
WAITS = ORDERED.format("barrier", "allreduce-ring")
PLANS = {"ring": RING, "doubling": DOUBLING, "by hand": TO_ROOT}
SHARES = {"sums": SUMS, "even sums": EVEN_SUMS, "gather": GATHER, "uneven gather": UNEVEN_GATHER}
OF_SHARES = """\
int MPI_Reduce_scatter(void*, void*, int*, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Reduce_scatter_block(void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Allgather(void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
int MPI_Allgatherv(void*, int, MPI_Datatype, void*, int*, int*, MPI_Datatype, MPI_Comm);
"""


def sent(code, listed):
    """By round, as a set of sender, receiver, first block, count, and whether the receiver adds them."""
    blocks = int(re.search(r"plan_blocks = (\d+)", code)[1])
    found = [set() for _ in listed]
    for rank, own in enumerate(steps_in(code)):
        for one in own:
            for time in range(one.times * bool(one.does & Does.receive)):
                block = (one.first + time * one.stride) % blocks
                found[one.round + time].add((one.peer, rank, block, one.blocks, bool(one.does & Does.combine)))
    return found


def transfers(text):
    plan = _core.parse_plan(text, "plan.yaml").plan
    listed = plan.list_rounds(plan.blocks)
    return [{(one.sender, one.receiver, one.first, one.count, one.reduces) for one in each} for each in listed.rounds]


@pytest.mark.parametrize("name", PLANS | SHARES)
def test_the_plan_is_in_the_steps(generated, name):
    code, listed = generated((PLANS | SHARES)[name]), transfers((PLANS | SHARES)[name])
    assert sent(code, listed) == listed
    assert max(map(len, code.splitlines())) <= 120
    assert not name.endswith(("sums", "gather")) or numbers_in(code, "order") == [1, 3, 0, 2]


def test_a_step_ends_where_blocks_are_no_longer_added(generated):
    """In a ring the finished blocks go on as those did that are summed up: first its own, then what has come."""
    for own in steps_in(generated(RING)):
        assert [one.times for one in own] == [3, 3, 1, 5]
        assert [one.does for one in own[:2]] == [Does.receive | Does.combine | Does.own, Does.receive]
        assert [one.does for one in own[2:]] == [Does.own, 0]


def test_where_several_ranks_add_the_same_operands_positions_say_whose_stand_first(generated):
    orders = Does.mine_first | Does.theirs_first
    position = {1: 0, 3: 1, 0: 2, 2: 3}
    for rank, own in enumerate(steps_in(generated(DOUBLING))):
        for one in own[:2]:
            mine = position[rank] < position[one.peer]
            assert one.does & orders == (Does.mine_first if mine else Does.theirs_first)
    assert not any(one.does & orders for own in steps_in(generated(RING)) for one in own)


def test_where_operands_are_sent_with_sums_a_rank_copies_its_own_first(generated):
    mixed = "  blocks: 2\n  transfers:\n    - [{from: 2, to: 1, blocks: 0, add: true}]\n"
    mixed += "    - [{from: 3, to: 1, blocks: 0-1, add: true}]\n"
    mixed += "    - [{from: 0, to: 1, blocks: 0-1, add: true}]\n    - [{from: 2, to: 1, blocks: 1, add: true}]\n"
    steps = steps_in(generated(HEAD.format("reduce") + mixed))
    assert steps[1][0].does & Does.take
    assert not any(one.does & Does.own for one in steps[1])
    assert [[one.does for one in own] for own in (steps[0], steps[2], steps[3])] == [
        [Does.own],
        [Does.own] * 2,
        [Does.own],
    ]


def test_an_allreduce_says_what_it_is_and_when_it_falls_back(generated):
    said = head(generated(RING, "--segment", "1000"))
    assert "Allreduce by rounds: custom, 4 blocks in 6 rounds. Written by" in said
    assert "the message goes in pieces of up to 1000 bytes or one element: a rank hands each one on, combined" in said
    assert "operations that do not commute," in said
    assert "any other root" not in said
    assert "All ranks get the same bits" in said


def test_a_reduction_says_that_other_ranks_need_memory(generated):
    said = head(generated(TO_ROOT))
    assert "to root 1" in said
    assert "All ranks but 1 sum up in memory that each call takes for it, as long as the operand." in said


@pytest.mark.parametrize(
    ("name", "declared", "says"),
    [
        (
            "sums",
            "reduce_scatter(IN void* send, void* receive, IN int counts[], MPI_Datatype type,",
            "MPI_Reduce_scatter",
        ),
        ("even sums", "reduce_scatter_block(IN void* send, void* receive, int count,", "MPI_Reduce_scatter_block"),
        ("gather", "allgather(IN void* send, int send_count, MPI_Datatype send_type,", "MPI_Allgather"),
        ("uneven gather", "allgatherv(IN void* send, int send_count, MPI_Datatype send_type,", "MPI_Allgatherv"),
    ],
)
def test_names(generated, name, declared, says):
    code = generated(SHARES[name])
    assert f"\nint trunkline_{declared}" in code
    assert f"it calls {says}." in head(code)
    assert code.count(f"return {says}(") == 3
    standing_in = generated(SHARES[name], "--name", says)
    assert standing_in.count(f"return P{says}(") == 3
    assert not re.search(rf"return {says}\(", standing_in)


def test_sizes_of_shares_are_those_of_all_of_them(generated):
    sized = "shape: custom\nfrom: 1KiB\nbelow: 1MiB"
    for text in (GATHER, EVEN_SUMS):
        code = generated(text.replace("shape: custom", sized))
        assert "count = (long long)each * plan_ranks;" in code
        assert "if (count * bytes < 1024) *planned = 0;" in code
    for text in (UNEVEN_GATHER, SUMS):
        code = generated(text.replace("shape: custom", sized))
        assert "count += counts[rank];" in code
        assert "if (count * bytes >= 1048576) *planned = 0;" in code


def test_a_barrier_takes_what_rounds_do_with_a_single_byte(generated):
    """It is the first of the blocks; of the ring's six rounds each has one such transfer."""
    code = generated(WAITS)
    listed = [{one for one in each if one[2] == 0} for each in transfers(WAITS)]
    assert "enum { plan_blocks = 1, " in code
    assert sent(code, listed) == listed
    said = head(code)
    assert "On communicators of 4 processes word goes from rank to rank." in said
    assert "For any other number of processes and inter- communicators it calls MPI_Barrier." in said.replace(
        "inter-c", "inter- c"
    )


def test_a_barrier_takes_the_first_of_several_trees(generated):
    steps = steps_in(generated(TWO_TREES.replace("collective: bcast", "collective: barrier")))
    assert {one.stream for own in steps for one in own} == {0}
    assert [[one.peer for one in own if one.does & Does.combine] for own in steps] == [[3, 2], [0], [], []]


EVERY = (
    PLANS | SHARES | {"waits": WAITS, "waits in trees": TWO_TREES.replace("collective: bcast", "collective: barrier")}
)


@pytest.mark.parametrize(("name", "compiler"), compilers())
@pytest.mark.parametrize("plan", EVERY)
@pytest.mark.parametrize("standard", ["c99", "c11"])
def test_it_compiles_without_a_warning(generated, tmp_path, name, compiler, plan, standard):
    file = tmp_path / "routine.c"
    file.write_text(generated(EVERY[plan]))
    done = compile_strictly(compiler, file, f"-std={standard}")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_old_mpi_gets_its_own_function(generated, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    (tmp_path / "mpi.h").write_text(OLD_MPI_H + OF_SHARES)
    file = tmp_path / "routine.c"
    for text in (RING, SUMS, EVEN_SUMS, GATHER, UNEVEN_GATHER):
        file.write_text(generated(text))
        done = compile_strictly(compiler, file, f"-I{tmp_path}")
        assert (done.returncode, done.stderr) == (0, "")


def test_a_set_may_have_both_kinds(trunkline, tmp_path):
    """Names of the file's own are told apart."""
    compiler = shutil.which("mpicc.mpich") or shutil.which("mpicc")
    if compiler is None:
        pytest.skip("no MPI here")
    row = "  - {collective: allreduce, shape: custom, ranks: 4, root: 1, "
    file = tmp_path / "set.yaml"
    file.write_text(
        "trunkline: plans/1\nplans:\n"
        f"{row}below: 1KiB, sends: {{1: [0, 2], 2: [3]}}}}\n"
        f"{row}from: 1KiB, below: 1MiB, rounds: {{generator: recursive-doubling, order: [1, 3, 0, 2]}}}}\n"
        f"{row}from: 1MiB, rounds: {{generator: allreduce-ring, order: [1, 3, 0, 2]}}}}\n"
    )
    shares = (
        "  - {{collective: {0}, shape: custom, ranks: 4, root: 0, {1}, rounds: {{generator: {2}, order: [0-3]}}}}\n"
    )
    with file.open("a") as more:
        for size in ("below: 1MiB", "from: 1MiB"):
            more.write(shares.format("reduce-scatter", size, "reduce-scatter-ring"))
            more.write(shares.format("allgather", size, "allgather-ring"))
    code = tmp_path / "set.c"
    code.write_text(trunkline("generate", file).out)
    assert "if (count * bytes < 1048576) *planned = 0;" in code.read_text()
    done = compile_strictly(compiler, code)
    assert (done.returncode, done.stderr) == (0, "")
