"""``trunkline generate``: what it writes and refuses. ``tests/runtime/test_generated.py`` runs what it writes."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from compiling import object_of
from hypothesis import given, settings
from hypothesis import strategies as st

from trunkline import _core
from trunkline.generate.routine import c_routine
from trunkline.mpi import find_mpis
from trunkline.schedule import Does, Step

TREE = """\
trunkline: plan/1
collective: bcast
shape: custom
ranks: 7
root: 3
sends:
  3: [0, 5]
  0: [2, 1]
  5: [6, 4]
"""
TWO_TREES = """\
trunkline: plan/1
collective: bcast
shape: two-tree
ranks: 4
root: 1
trees:
  - sends: {1: [0], 0: [3, 2]}
  - line: [1, 2, 3, 0]
"""
LINE = "trunkline: plan/1\ncollective: bcast\nshape: custom\nsegment: 2856B\nranks: 5\nroot: 2\nline: [2, 4, 0, 1, 3]\n"
HEAD = "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 4\nroot: 1\nrounds:\n"
ROUNDS = (
    HEAD
    + """\
  blocks: 3
  transfers:
    - [{from: 1, to: 3, blocks: 1-2}]
    - [{from: 1, to: 3, blocks: 0}, {from: 3, to: 0, blocks: 2}]
    - [{from: 1, to: 2, blocks: 0-2}, {from: 3, to: 0, blocks: 1}]
    - [{from: 3, to: 0, blocks: 0}]
"""
)
RING = HEAD + "  generator: scatter-ring\n  order: [1, 3, 0, 2]\n"
CIRCULANT = HEAD + "  generator: circulant\n  order: [1, 3, 0, 2]\n"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def head(code):
    """The comment that begins a C file, on one line."""
    return " ".join(code[: code.index("*/")].replace("\n *", " ").split())


@pytest.fixture
def plan(tmp_path):
    """Writes a plan file."""

    def write(text):
        file = tmp_path / "plan.yaml"
        file.write_text(text)
        return file

    return write


def steps_in(code):
    """The steps of the file, by rank."""
    rows = re.search(r"\bsteps\[\] = {\n(.*?)\n};", code, re.DOTALL)[1].splitlines()
    begins = numbers_in(code, "first_step")
    steps = [Step(*map(int, re.findall(r"-?\d+", row))) for row in rows]
    return [steps[begin:end] for begin, end in pairwise(begins)]


def numbers_in(code, name):
    """Those of an array."""
    return list(map(int, re.findall(r"-?\d+", re.search(rf"\b{name}\[[^\]]*\] = {{(.*?)\n}};", code, re.DOTALL)[1])))


def peers_in(code, tree=0, does=0):
    """By rank, in order: to whom it sends, or whom it receives from."""
    steps = steps_in(code)
    return [[one.peer for one in own if one.stream == tree and one.does & Does.receive == does] for own in steps]


def compilers():
    return [(mpi.name, mpi.mpicc) for mpi in find_mpis().values() if Path(mpi.mpicc).exists()]


def compile_strictly(compiler, file, *options):
    return object_of(compiler, file, [*STRICT, *options], file.with_suffix(".o"))


def test_a_tree_is_who_sends_to_whom_in_order(trunkline, plan):
    code = trunkline("generate", plan(LINE)).out
    assert peers_in(code) == [[1], [3], [4], [], [0]]
    assert "enum { plan_ranks = 5, plan_root = 2, plan_segment = 2856 /* bytes */ };" in code
    code = trunkline("generate", plan(TREE)).out
    assert peers_in(code) == [[2, 1], [], [], [0, 5], [], [6, 4], []]
    assert peers_in(code, does=Does.receive) == [[3], [0], [0], [], [5], [3], [5]]


def test_trees_that_take_turns(trunkline, plan):
    code = trunkline("generate", plan(TWO_TREES)).out
    assert "plan_turns = 2 " in code
    assert max(map(len, code.splitlines())) <= 120
    assert peers_in(code, 0) == [[3, 2], [0], [], []]
    assert peers_in(code, 1) == [[], [2], [3], [0]]
    assert [(one.first, one.stride) for one in steps_in(code)[1]] == [(0, 2), (1, 2)]
    assert "Broadcast along trees: two-tree, height 3, degree 2. Written by" in head(code)


@given(st.integers(2, 200).flatmap(lambda n: st.tuples(*(st.integers(0, parent) for parent in range(n - 1)))))
@settings(max_examples=30)
def test_any_tree(parents):
    """Rank r + 1 receives from parents[r], which is below it."""
    children = [[] for _ in range(len(parents) + 1)]
    for child, parent in enumerate(parents, start=1):
        children[parent].insert(0, child)
    plan = _core.PlanFile()
    plan.algorithm, plan.plan = "custom", _core.Plan([_core.Tree(0, children)])
    assert peers_in(c_routine(plan, "plan.yaml")) == children


def test_the_head_says_what_it_is_and_when_it_falls_back(trunkline, tmp_path):
    trunkline("plan", "cyclic", "--root", "h5", "--ranks-per-host", "2", "--segment", "2856", "-o", tmp_path / "p.yaml")
    code = trunkline("generate", tmp_path / "p.yaml").out
    head = " ".join(code[: code.index("*/")].replace("\n *", " ").split())
    assert "linear over cyclic, height 32, degree 2. Written" in head
    assert "Written by 'trunkline generate'" in head
    assert "from p.yaml" in head
    assert "Hosts of the ranks, in order, 2 ranks on each: h[0-31]." in head
    assert (
        "On communicators of 64 processes and from root 10, the message goes in pieces of up to 2856 bytes: a rank "
        "hands each one on as soon as it has all" in head
    )
    assert "any other number of processes, any other root, inter-communicators, messages of no bytes" in head.replace(
        "- ", "-"
    )
    assert "it calls MPI_Bcast" in head
    assert max(map(len, code.splitlines())) <= 120


def test_the_plans_segment_then_the_options_then_a_default(trunkline, plan):
    def segment(*words):
        return re.search(r"plan_segment = (\d+)", trunkline(*words).out)[1]

    assert segment("generate", plan(LINE)) == "2856"
    assert segment("generate", plan(LINE), "--segment", "2856") == "2856"
    assert segment("generate", plan(TREE), "--segment", "4KiB") == "4096"
    assert segment("generate", plan(TREE)) == "8192"


def test_into_a_file_and_under_another_name(trunkline, plan, tmp_path):
    file = tmp_path / "made" / "here.c"
    assert trunkline("generate", plan(TREE), "-o", file, "--name", "my_bcast").out == ""
    code = file.read_text()
    assert "\nint my_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {\n" in code
    assert "trunkline_bcast" not in code
    assert "PMPI_Bcast" not in code


def test_in_the_place_of_mpi_bcast(trunkline, plan):
    code = trunkline("generate", plan(TREE), "--name", "MPI_Bcast").out
    assert "return PMPI_Bcast(buffer, count, type, root, comm);" in code
    assert not re.search(r"[^P]MPI_Bcast\(buffer", code)


@pytest.mark.parametrize(("name", "compiler"), compilers())
@pytest.mark.parametrize(
    ("text", "standard"),
    [(LINE, "c11"), (TREE, "c99"), (TWO_TREES, "c11"), (ROUNDS, "c99"), (RING, "c11"), (CIRCULANT, "c99")],
    ids=["line", "tree", "two trees", "rounds", "ring", "circulant"],
)
def test_it_compiles_without_a_warning(plan, trunkline, tmp_path, name, compiler, text, standard):
    file = tmp_path / "bcast.c"
    trunkline("generate", plan(text), "-o", file)
    done = compile_strictly(compiler, file, f"-std={standard}")
    assert (done.returncode, done.stderr) == (0, "")


def test_no_text_of_a_plan_ends_the_comment_or_begins_another(trunkline, plan, tmp_path):
    if not compilers():
        pytest.skip("no MPI library here")
    evil = "*/ int x; /* /*/ ??/ ??)\n# include <none.h>"
    file = tmp_path / "bcast.c"
    trunkline("generate", plan(TREE + f"cluster: 'a */ b'\nprovenance: {evil!r}\n"), "-o", file)
    assert "int x;" in file.read_text()
    done = compile_strictly(compilers()[0][1], file)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--name", "9lives"], "'9lives' cannot be the name of a C function; "),
        (["--name", "a-b"], "'a-b' cannot be the name of a C function; "),
        (["--name", ""], "--name: its value is empty; "),
        (["--name", "while"], "'while' cannot be the name of a C function; "),
        (["--name", "MPI_Send"], "'MPI_Send' is not free: "),
        (["--name", "PMPI_Bcast"], "'PMPI_Bcast' is not free: "),
        (["--name", "run"], "'run' is the name of something else in the file; take one such as trunkline_bcast"),
        (["--name", "steps"], "'steps' is the name of something else in the file; "),
        (["--name", "memcpy"], "'memcpy' is the name of something else in the file; "),
        (["--segment", "0"], "--segment: a segment must be above zero and at most 1GiB, not 0"),
        (["--segment", "4K"], "--segment: '4K' is not a size (did you mean 4KiB?); "),
        (["--segment", "2GiB"], "--segment: a segment must be above zero and at most 1GiB, not 2GiB"),
        (["-o", "/dev/null/x.c"], "cannot write /dev/null/x.c: "),
    ],
)
def test_refusals(refused, plan, words, message):
    assert refused("generate", plan(TREE), *words).startswith(message)


def test_a_segment_that_contradicts_the_plan(refused, plan):
    assert refused("generate", plan(LINE), "--segment", "4KiB") == (
        "plan.yaml has a segment of 2856 B, which --segment 4 KiB contradicts; leave the option out, or change the plan"
    )


def test_a_plan_for_one_rank(refused, plan):
    one = "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 1\nroot: 0\nline: [0]\n"
    assert refused("generate", plan(one)).startswith("plan.yaml is a plan for one rank, which has nobody to send to; ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("5: [6, 4]", "5: [6]"), "rank 4 "),
        (("5: [6, 4]", "5: [6, 4, 1]"), ":9:13: rank 1 receives a second time"),
        (("0: [2, 1]", "0: [2, 3]"), "rank 3 "),
        (("collective: bcast", "collective: gatherv"), '"gatherv" is not a collective of plans'),
        (
            ("shape: custom", "shape: scatter-ring"),
            "scatter-ring goes by rounds, and here is a tree; call the shape custom",
        ),
        (("trunkline: plan/1", "trunkline: cluster/1"), "plan.yaml:1:"),
        (("  3: [0, 5]", "  3: [0, 5"), "plan.yaml:"),
    ],
    ids=["missing rank", "rank twice", "cycle", "collective", "no tree", "cluster", "broken off"],
)
def test_faulty_plans(refused, plan, change, message):
    assert message in refused("generate", plan(TREE.replace(*change)))


def test_no_plan(refused, tmp_path):
    assert refused("generate", tmp_path / "none.yaml").endswith("none.yaml: cannot be read: No such file or directory")
