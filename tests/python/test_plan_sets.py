"""Sets of plans: made, shown, predicted, explained, refused."""

import pytest

from trunkline import _core
from trunkline.plan_sets import by_size

ONE = "trunkline: plan/1\ncollective: {0}\nshape: custom\nranks: 4\nroot: 0\n{1}\n"
SPLIT = ONE.format("allreduce", "sends: {0: [1, 2, 3]}")
LINE = ONE.format("allreduce", "line: [0-3]")


@pytest.fixture
def files(tmp_path):
    for name, text in {"flat": SPLIT, "line": LINE, "bcast": ONE.format("bcast", "line: [0-3]")}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def plans_of(text):
    return [(one.collective, one.from_bytes, one.below_bytes) for one in _core.parse_plans(text, "f").plans]


def test_files_are_joined_with_sizes(trunkline, files):
    made = files / "set.yaml"
    words = (f"{files}/flat.yaml@0B-64B", f"{files}/line.yaml@64B-", files / "bcast.yaml", "-o", made)
    assert trunkline("plan", "set", *words).status == 0
    expected = [("allreduce", 0, 64), ("allreduce", 64, None), ("bcast", None, None)]
    assert plans_of(made.read_text()) == expected
    again = trunkline("plan", "set", made)
    assert plans_of(again.out) == expected
    shown = trunkline("plan", "show", made, "--cluster", "8w")
    assert "Plan 1 of 3: allreduce, below 64B" in shown.out
    assert "Plan 3 of 3: bcast, all sizes" in shown.out
    one = trunkline("plan", "show", made, "--cluster", "8w", "--number", "2", "--json", "-").data
    assert one["children"]["0"] == [1]


def test_a_call_takes_the_plan_of_its_size(trunkline, files):
    made = files / "set.yaml"
    trunkline("plan", "set", f"{files}/flat.yaml@0B-64B", f"{files}/line.yaml@64B-1KiB", "-o", made)
    words = ("explain", "8w", "--collective", "allreduce", "--plan", made, "--sizes", "4,64,2KiB", "--json", "-")
    rows = trunkline(*words).data
    assert [row["algorithm"] for row in rows[:2]] == ["TRUNKLINE_PLAN 1", "TRUNKLINE_PLAN 2"]
    assert rows[1]["reason"].endswith("(custom, line 13, from 64B to below 1KiB)")
    assert rows[2]["reason"].startswith("TRUNKLINE_PLAN is for messages of other sizes; predicted: ")
    without = trunkline(*words[:4], *words[6:]).data
    assert (rows[2]["algorithm"], rows[2]["segment_bytes"]) == (without[2]["algorithm"], without[2]["segment_bytes"])


def test_predicts_a_plan_of_ones_own_beside_the_algorithms(trunkline, files):
    rows = trunkline("predict", "8w", "--plan", "papers/plans/binary8W.yaml", "--sizes", "4,8KiB", "--json", "-").data
    own = [row for row in rows if row["algorithm"] == "binary8W"]
    assert [row["message_bytes"] for row in own] == [4, 8192]
    assert {row["collective"] for row in rows} == {"allreduce"}
    assert {row["ranks"] for row in rows} == {32}
    plan = _core.read_plan("papers/plans/binary8W.yaml")
    cluster = _core.read_cluster("clusters/8w.yaml")
    placement = _core.block_placement(cluster, 8)
    for row in own:
        sizes = (row["message_bytes"], min(row["segment_bytes"], row["message_bytes"]))
        seconds = _core.replayed_seconds(cluster, placement, plan.plan, "allreduce", *sizes, "mpich")
        assert row["seconds_predicted"] == pytest.approx(seconds)
    made = files / "set.yaml"
    trunkline("plan", "set", f"{files}/flat.yaml@0B-64B", "-o", made)
    shown = trunkline("predict", "8w", "--plan", made, "--sizes", "4,64", "--algorithms", "native")
    assert shown.out.split("set")[1].split()[2] == "-"  # no plan of the file is for 64 bytes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan", "set", "flat.yaml", "line.yaml"], "is for the same calls"),
        (["plan", "set", "flat.yaml@64B"], "give sizes as FROM-BELOW"),
        (["plan", "set", "flat.yaml@64B-4B"], "no size is from 64B on and below 4B"),
        (["plan", "set", "none.yaml"], "none.yaml"),
        (["plan", "8w", "--plan", "set.yaml"], "set.yaml:13:5: the second plan of a set, and one plan is wanted here"),
        (["plan", "show", "set.yaml", "--cluster", "8w", "--svg", "x.svg"], "say which one with --number"),
        (["plan", "show", "set.yaml", "--cluster", "8w", "--number", "3"], "has 2 plans"),
        (["predict", "8w", "--plan", "set.yaml", "--collective", "bcast"], "set.yaml has no plan of bcast"),
        (["predict", "8w", "--plan", "none.yaml"], "none.yaml"),
        (["predict", "4w", "--plan", "bcast.yaml"], "is for 4 ranks and names no hosts, and 4w has 8 hosts"),
        (["predict", "8w", "--plan", "set.yaml", "--ranks-per-host", "2"], "none of its plans is for such a call"),
    ],
)
def test_what_is_wrong_is_said(refused, trunkline, files, monkeypatch, words, message):
    monkeypatch.chdir(files)
    trunkline("plan", "set", "flat.yaml@0B-64B", "line.yaml@64B-", "-o", "set.yaml")
    assert message in " ".join(refused(*words).split())


def test_sizes_with_the_same_plan_are_one_class():
    flat, line = (_core.parse_plan(text, "f") for text in (SPLIT, LINE))
    text = by_size({4: flat, 16: flat, 256: line, 1024: flat}, "about")
    assert plans_of(text) == [("allreduce", 0, 256), ("allreduce", 256, 1024), ("allreduce", 1024, None)]
    assert plans_of(by_size({4: flat}, "about")) == [("allreduce", 0, None)]
