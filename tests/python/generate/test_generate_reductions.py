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
    array,
    children_in,
    compile_strictly,
    compilers,
    head,
)

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
def test_the_plan_is_in_the_tables(generated, collective):
    line = generated(collective, LINE)
    assert array(line, "line") == [[2, 4, 0, 1, 3]]
    assert "enum { plan_ranks = 5, plan_root = 2, plan_segment = 2856 /* bytes */, plan_trees = 1 };" in line
    tree = generated(collective, TREE)
    assert array(tree, "parent_of") == [[3, 0, 0, -1, 5, 3, 5]]
    assert children_in(tree) == [[2, 1], [], [], [0, 5], [], [6, 4], []]
    trees = generated(collective, TWO_TREES)
    assert children_in(trees, 0) == [[3, 2], [0], [], []]
    assert children_in(trees, 1) == [[], [2], [3], [0]]
    assert all(len(words) <= 120 for code in (line, tree, trees) for words in code.splitlines())


def test_a_reduction_says_what_it_is_and_when_it_falls_back(generated):
    said = head(generated("reduce", TREE))
    assert "Reduction along a tree: custom, height 2, at most 2 to receive from. Written by" in said
    assert (
        "int trunkline_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation," in said
    )
    assert "On communicators of 7 processes and to root 3, the message goes in segments of up to 8192 bytes" in said
    assert "any other root, inter- communicators, operations that do not commute," in said.replace(
        "inter-c", "inter- c"
    )
    assert said.count("it calls MPI_Reduce.") == 1
    assert "the result goes down" not in said


def test_an_allreduce_says_that_the_result_comes_back(generated):
    said = head(generated("allreduce", TWO_TREES))
    assert "Allreduce along 2 trees that take segments by turns: two-tree, height 3, at most 2 below a rank." in said
    assert "On communicators of 4 processes, the message goes" in said
    assert "From rank 1 the result goes down the same way at once." in said
    assert "any other root" not in said
    assert "it calls MPI_Allreduce." in said


def test_nothing_of_the_way_down_is_in_a_reduction(generated):
    down = ("hand_down", "f->results", "expected", "handed_on")
    assert all(word in generated("allreduce", TREE) for word in down)
    assert not any(word in generated("reduce", TREE) for word in down)


@pytest.mark.parametrize("collective", REDUCTIONS)
def test_nothing_but_mpi_and_c(generated, collective):
    assert re.findall(r"#include (.*)", generated(collective, TWO_TREES)) == [
        "<mpi.h>",
        "<stdint.h>",
        "<stdlib.h>",
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
        ("hand_down", "'hand_down' is the name of something else in the file; take one such as trunkline_allreduce"),
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
