"""What ``trunkline generate`` writes of plans of reductions, and what of them it refuses.

``tests/runtime/test_generated_reductions.py`` runs what it writes.
"""

import re
import shutil

import pytest
from test_generate import (
    LINE,
    TREE,
    TWO_TREES,
    compile_strictly,
    compilers,
    head,
    steps_in,
)

from trunkline.schedule import Does

OLD_MPI_H = """\
#define MPI_VERSION 1
#define MPI_SUBVERSION 2
#define MPI_SUCCESS 0
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
int MPI_Reduce(void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int MPI_Allreduce(void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Reduce(void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int PMPI_Allreduce(void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
"""
REDUCTIONS = ("reduce", "allreduce")


def of(collective, text):
    return text.replace("collective: bcast", f"collective: {collective}")


@pytest.fixture
def generated(trunkline, tmp_path):
    def run(collective, text, *words):
        file = tmp_path / "plan.yaml"
        file.write_text(of(collective, text))
        return trunkline("generate", file, *words).out

    return run


@pytest.mark.parametrize("collective", REDUCTIONS)
def test_operands_come_from_the_children_in_order(generated, collective):
    code = generated(collective, TREE)
    ups = [[one for one in own if one.does & Does.combine] for own in steps_in(code)]
    assert [[one.peer for one in own] for own in ups] == [[2, 1], [], [], [0, 5], [], [6, 4], []]
    first, second = ups[3]
    assert (first.after, second.after) == (-1, first.queue)
    assert first.does & Does.own
    assert not second.does & Does.own
    assert "enum { plan_ranks = 7, plan_root = 3, plan_segment = 8192 /* bytes */ };" in code
    assert all(len(words) <= 120 for words in code.splitlines())


def test_the_result_of_an_allreduce_comes_back(generated):
    """Over what was sent up, once that has left."""
    steps = steps_in(generated("allreduce", TREE))
    for rank, parent, children in ((0, 3, [2, 1]), (3, None, [0, 5]), (6, 5, [])):
        below = [one for one in steps[rank] if one.does == 0 and one.peer in children]
        assert [one.peer for one in below] == children
        result = [one for one in steps[rank] if one.does == Does.receive]
        assert [one.peer for one in result] == ([] if parent is None else [parent])
        if result:
            assert steps[rank][result[0].after].peer == parent
            assert all(one.after == result[0].queue for one in below)
    assert not any(one.does == Does.receive for own in steps_in(generated("reduce", TREE)) for one in own)


def test_two_roots_combine_in_one_order(generated):
    """What came up to the tree's own root stands first."""
    steps = steps_in(generated("allreduce", TREE + "exchange: 5\n"))
    for rank, other, order in ((3, 5, Does.mine_first), (5, 3, Does.theirs_first)):
        sent, got = (one for one in steps[rank] if one.peer == other)
        assert sent.does == 0
        assert got.does == Does.receive | Does.combine | order
        assert got.after == sent.queue


def test_a_reduction_says_what_it_is_and_when_it_falls_back(generated):
    said = head(generated("reduce", TREE))
    assert "Reduction along trees: custom, height 2, degree 2. Written by" in said
    assert (
        "int trunkline_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation," in said
    )
    assert "On communicators of 7 processes and to root 3, the message goes in pieces of up to 8192 bytes" in said
    assert "any other root, inter- communicators, operations that do not commute," in said.replace(
        "inter-c", "inter- c"
    )
    assert said.count("it calls MPI_Reduce.") == 1
    said = head(generated("allreduce", TWO_TREES))
    assert "On communicators of 4 processes, the message goes" not in said
    assert "On communicators of 4 processes the message goes" in said
    assert "any other root" not in said
    assert "it calls MPI_Allreduce." in said


@pytest.mark.parametrize("collective", REDUCTIONS)
def test_nothing_but_mpi_and_c(generated, collective):
    assert re.findall(r"#include (.*)", generated(collective, TWO_TREES)) == [
        "<limits.h>",
        "<mpi.h>",
        "<stdint.h>",
        "<stdlib.h>",
        "<string.h>",
        "<stdatomic.h>",
    ]


def test_names(generated):
    arguments = {
        "reduce": "send, receive, count, type, operation, root, comm",
        "allreduce": "send, receive, count, type, operation, comm",
    }
    for collective, given in arguments.items():
        own = f"MPI_{collective.capitalize()}"
        usual = generated(collective, TREE)
        assert usual.count(f"return {own}({given});") == 3
        assert f"int trunkline_{collective}(IN void* send" in usual
        standing_in = generated(collective, TREE, "--name", own)
        assert standing_in.count(f"return P{own}({given});") == 3
        assert not re.search(rf"[^P]{own}\(send", standing_in)
        assert "\nint other(IN void* send, void* receive, int count, " in generated(collective, TREE, "--name", "other")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MPI_Bcast", "such names belong to MPI or to C; take one such as trunkline_allreduce, or MPI_Allreduce"),
        ("MPI_Reduce", "such names belong to MPI or to C; take one such as trunkline_allreduce, or MPI_Allreduce"),
        ("combine", "'combine' is the name of something else in the file; take one such as trunkline_allreduce"),
        ("operation", "'operation' is the name of something else in the file; "),
        ("double", "'double' cannot be the name of a C function; take one such as trunkline_allreduce"),
    ],
)
def test_names_that_are_taken(refused, tmp_path, name, message):
    file = tmp_path / "plan.yaml"
    file.write_text(of("allreduce", TREE))
    assert message in refused("generate", file, "--name", name)


@pytest.mark.parametrize(("name", "compiler"), compilers())
@pytest.mark.parametrize("collective", REDUCTIONS)
@pytest.mark.parametrize(
    ("text", "standard"), [(LINE, "c11"), (TREE, "c99"), (TWO_TREES, "c11")], ids=["line", "tree", "two trees"]
)
def test_it_compiles_without_a_warning(generated, tmp_path, name, compiler, collective, text, standard):
    for words in ([], ["--name", f"MPI_{collective.capitalize()}"]):
        file = tmp_path / "routine.c"
        file.write_text(generated(collective, text, *words))
        done = compile_strictly(compiler, file, f"-std={standard}")
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("collective", REDUCTIONS)
def test_an_old_mpi_gets_its_own_function(generated, tmp_path, collective):
    """Before 2.2 nothing combines operands outside of a reduction, as under LAM/MPI."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    (tmp_path / "mpi.h").write_text(OLD_MPI_H)
    for words in ([], ["--name", f"MPI_{collective.capitalize()}"]):
        file = tmp_path / "routine.c"
        file.write_text(generated(collective, TREE, *words))
        done = compile_strictly(compiler, file, f"-I{tmp_path}")
        assert (done.returncode, done.stderr) == (0, "")


def test_trees_that_gather_shares_are_refused(refused, tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(
        of("allgather", TREE).replace("root: 3", "root: 0").replace("3: [0, 5]\n  0: [2, 1]", "0: [3, 5]\n  3: [2, 1]")
    )
    assert refused("generate", file) == (
        "plan.yaml is a plan for allgather along trees; routines are generated for rounds of allgather, such as ring"
    )
