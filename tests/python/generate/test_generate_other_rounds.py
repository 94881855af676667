"""What ``trunkline generate`` writes of plans in rounds of collectives other than broadcasts.

``tests/runtime/test_generated_rounds.py`` runs what it writes.
"""

import re
import shutil

import pytest
from test_generate import TWO_TREES, children_in, compile_strictly, compilers, head
from test_generate_reductions import OLD_MPI_H

from trunkline import _core

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


def rows(code, name):
    """The numbers of an array, by line."""
    body = re.search(rf"\b{name}\[\w*\] = {{(.*?)\n}};", code, re.DOTALL)[1]
    return [tuple(map(int, re.findall(r"-?\d+", line))) for line in body.splitlines() if line]


def unfolded(runs, blocks, rounds):
    """By round, as a set of sender, receiver, first block, count, and whether the receiver adds them."""
    found = [set() for _ in range(rounds)]
    for start, times, sender, receiver, first, count, step, adds in runs:
        for time in range(times):
            found[start + time].add((sender, receiver, (first + time * step) % blocks, count, bool(adds)))
    return found


def transfers(text):
    plan = _core.parse_plan(text, "plan.yaml").plan
    listed = plan.list_rounds(plan.blocks)
    return [{(one.sender, one.receiver, one.first, one.count, one.reduces) for one in each} for each in listed.rounds]


@pytest.mark.parametrize("name", PLANS)
def test_the_plan_is_in_the_tables(generated, name):
    code, listed = generated(PLANS[name]), transfers(PLANS[name])
    blocks = int(re.search(r"plan_blocks = (\d+)", code)[1])
    assert unfolded(rows(code, "runs"), blocks, len(listed)) == listed
    assert max(map(len, code.splitlines())) <= 120


def test_a_run_ends_where_blocks_are_no_longer_added(generated):
    """In a ring the finished blocks go on as those did that are summed up."""
    assert len(rows(generated(RING), "runs")) == 8


def test_where_several_ranks_add_the_same_operands_positions_say_whose_stand_first(generated):
    assert rows(generated(DOUBLING), "position_of") == [(2, 0, 3, 1)]
    assert rows(generated(TO_ROOT), "position_of") == [(3, 0, 1, 2)]
    assert "position_of" not in generated(RING)


def test_an_allreduce_says_what_it_is_and_when_it_falls_back(generated):
    said = head(generated(RING, "--segment", "1000"))
    assert "Allreduce of 4 blocks in 6 rounds: custom. Written by" in said
    assert "the message is cut into 4 blocks, which go in pieces of up to 1000 bytes, or one element." in said
    assert "It combines them with its own, or takes them as they are, before the next round." in said
    assert "operations that do not commute," in said
    assert "any other root" not in said
    assert "All ranks get the same bits" in said


def test_a_reduction_says_that_other_ranks_need_memory(generated):
    said = head(generated(TO_ROOT))
    assert "Reduction of 2 blocks in 4 rounds: custom." in said
    assert "to root 1" in said
    assert "All ranks but 1 sum up in memory that each call takes for it, as long as the operand." in said


@pytest.mark.parametrize("name", SHARES)
def test_of_shares_the_order_says_whose_each_block_is(generated, name):
    code, listed = generated(SHARES[name]), transfers(SHARES[name])
    assert rows(code, "order") == [(1, 3, 0, 2)]
    adds = () if "gather" in name else (1,)
    runs = [row if adds else (*row, 0) for row in rows(code, "runs")]
    assert unfolded(runs, 4, len(listed)) == listed
    assert max(map(len, code.splitlines())) <= 120


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
    assert "enum { plan_blocks = 1, plan_rounds = 6," in code
    sent = [(start + time, *ends) for start, times, *ends, _, _, _ in rows(code, "runs") for time in range(times)]
    expected = [(number, one[0], one[1]) for number, each in enumerate(transfers(WAITS)) for one in each if one[2] == 0]
    assert sorted(sent) == sorted(expected)
    said = head(code)
    assert "On communicators of 4 processes word goes round: in each round" in said
    assert "For any other number of processes and inter- communicators it calls MPI_Barrier." in said.replace(
        "inter-c", "inter- c"
    )


def test_a_barrier_takes_the_first_of_several_trees(generated):
    code = generated(TWO_TREES.replace("collective: bcast", "collective: barrier"))
    assert "plan_trees = 1 };" in code
    assert children_in(code) == [[3, 2], [0], [], []]
    assert "word comes up the first tree from all ranks, and goes down the same way to all." in head(code)


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
