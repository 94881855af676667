"""C from sets of plans: names, order, what is refused. ``tests/runtime/test_generated_sets.py`` runs it."""

import re

import pytest

PLAN = "  - {{collective: {0}, {1}shape: custom, ranks: 3, root: 0, {2}}}\n"
LINE, FLAT = "line: [0-2]", "sends: {0: [1, 2]}"


@pytest.fixture
def made(tmp_path):
    def write(*plans):
        file = tmp_path / "set.yaml"
        file.write_text("trunkline: plans/1\nplans:\n" + "".join(PLAN.format(*plan) for plan in plans))
        return file

    return write


def test_one_function_for_each_collective_calls_one_plan_after_the_other(trunkline, made):
    sums = [("allreduce", "below: 64B, ", LINE), ("allreduce", "from: 64B, below: 1KiB, ", FLAT)]
    code = trunkline("generate", made(*sums, ("bcast", "", LINE))).out
    defined = re.findall(r"^(static )?int (trunkline_\w+)\(.*?\)( \{|;)", code, re.MULTILINE | re.DOTALL)
    public = {name for static, name, end in defined if not static and end == " {"}
    assert public == {"trunkline_allreduce", "trunkline_bcast"}
    assert ("static ", "trunkline_allreduce_plan_2", " {") in defined
    first = code.index("int trunkline_allreduce(", code.index("static int trunkline_allreduce_plan_2"))
    assert "if (!planned) return trunkline_allreduce_plan_2(" in code[first:]
    assert "if (!planned) return MPI_Allreduce(" in code[:first]
    assert "if (count * bytes < 64) *planned = 0;" in code
    assert "if (count * bytes >= 1024) *planned = 0;" in code
    assert "a message from 64B to below 1KiB goes in pieces" in " ".join(code.replace("\n *", " ").split())


def test_in_place_of_mpis_own(trunkline, made):
    file = made(("bcast", "below: 64B, ", LINE), ("bcast", "from: 64B, ", FLAT))
    code = trunkline("generate", file, "--name", "MPI_Bcast").out
    assert re.search(r"^int MPI_Bcast\(.*\) \{", code, re.MULTILINE)
    assert "return PMPI_Bcast(" in code
    assert not re.search(r"return MPI_Bcast\(", code)


@pytest.mark.parametrize(
    ("plans", "words", "message"),
    [
        ([("bcast", "", LINE), ("reduce", "", LINE)], ["--name", "mine"], "plans of bcast and reduce, a function each"),
        ([("bcast", "", LINE), ("allgather", "", LINE)], [], "set.yaml, line 4 is a plan for allgather along trees"),
        ([("bcast", "", LINE), ("bcast", "below: 4B, ", LINE)], [], "is for the same calls"),
        ([("bcast", "segment: 4KiB, ", LINE), ("reduce", "", LINE)], ["--segment", "8KiB"], "contradicts"),
    ],
)
def test_what_is_refused(refused, made, plans, words, message):
    assert message in refused("generate", made(*plans), *words)
