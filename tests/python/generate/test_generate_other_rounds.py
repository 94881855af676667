"""What ``trunkline generate`` writes of plans in rounds of collectives other than broadcasts.

``tests/runtime/test_generated_rounds.py`` runs what it writes.
"""

import re
import shutil

import pytest
from test_generate import compile_strictly, compilers
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
PLANS = {"ring": RING, "doubling": DOUBLING, "by hand": TO_ROOT}


def head(code):
    return " ".join(code[: code.index("*/")].replace("\n *", " ").split())


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


@pytest.fixture
def generated(trunkline, tmp_path):
    def run(text, *words):
        file = tmp_path / "plan.yaml"
        file.write_text(text)
        return trunkline("generate", file, *words).out

    return run


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


@pytest.mark.parametrize(("name", "compiler"), compilers())
@pytest.mark.parametrize(("plan", "standard"), [("ring", "c11"), ("doubling", "c99"), ("by hand", "c11")])
def test_it_compiles_without_a_warning(generated, tmp_path, name, compiler, plan, standard):
    file = tmp_path / "routine.c"
    file.write_text(generated(PLANS[plan]))
    done = compile_strictly(compiler, file, f"-std={standard}")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_old_mpi_gets_its_own_function(generated, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    (tmp_path / "mpi.h").write_text(OLD_MPI_H)
    file = tmp_path / "routine.c"
    file.write_text(generated(RING))
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
    code = tmp_path / "set.c"
    code.write_text(trunkline("generate", file).out)
    assert "if (count * bytes < 1048576) *planned = 0;" in code.read_text()
    done = compile_strictly(compiler, code)
    assert (done.returncode, done.stderr) == (0, "")
