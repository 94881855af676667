"""TRUNKLINE_PLAN: a plan drawn by hand runs where it fits, and only there; TRUNKLINE_EXPLAIN says so."""

from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, Mpi
from explained import JSON, Event, explained

from trunkline import _core
from trunkline.cluster import load_cluster

BINARY = """\
trunkline: plan/1
collective: bcast
shape: custom
segment: 600B
ranks: 7
root: 3
sends:
  3: [0, 5]
  0: [1, 2]
  5: [6, 4]
"""
TWO_TREES = """\
trunkline: plan/1
collective: bcast
shape: custom
segment: 600B
ranks: 7
root: 3
trees:
  - sends: {3: [0, 5], 0: [1, 2], 5: [6, 4]}
  - line: [3, 6, 4, 2, 1, 5, 0]
"""
GENERATED = """\
trunkline: plan/1
collective: bcast
shape: circulant
segment: 600B
ranks: 7
root: 3
rounds: {generator: circulant, order: [3, 6, 4, 2, 1, 5, 0]}
"""
LISTED = """\
trunkline: plan/1
collective: bcast
shape: custom
segment: 600B
ranks: 7
root: 3
rounds:
  blocks: 2
  transfers:
    - [{from: 3, to: 0, blocks: 0-1}]
    - [{from: 3, to: 1, blocks: 0}, {from: 0, to: 2, blocks: 1}]
    - [{from: 3, to: 1, blocks: 1}, {from: 0, to: 2, blocks: 0}, {from: 1, to: 4, blocks: 0}]
    - [{from: 3, to: 5, blocks: 0-1}, {from: 2, to: 6, blocks: 0-1}, {from: 1, to: 4, blocks: 1}]
"""

BCAST = "trunkline: MPI_Bcast"
"""How explanations of broadcasts begin, in words."""


def calls_of(mpi: Mpi, settings: dict[str, str], *arguments: str) -> list[Event]:
    """Of 7 ranks."""
    program = mpi.program("runtime-test")
    done = mpi.run(7, program, *arguments, settings=settings | JSON, per_rank=[ON_OWN_HOST])
    assert " passed, 0 failed" in done.out
    return explained(done.err)


@pytest.mark.parametrize(
    ("text", "name"),
    [(BINARY, "custom"), (TWO_TREES, "custom"), (GENERATED, "circulant"), (LISTED, "custom")],
    ids=["one tree", "two trees", "a generator", "rounds"],
)
def test_plans_by_hand(mpi: Mpi, tmp_path: Path, text: str, name: str):
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    settings = {"TRUNKLINE_PLAN": str(plan)}
    calls = calls_of(mpi, settings, "--groups", "datatypes,communicators,window", "--choices", "auto")
    planned = [call for call in calls if call["chosen_by"] == "plan"]
    assert planned
    assert {(call["algorithm"], call["segment_bytes"]) for call in planned} == {(name, 600)}
    assert {(call["root"], call["communicator_size"]) for call in planned} == {(3, 7)}
    native = [call["reason"] for call in calls if call not in planned]
    assert any("TRUNKLINE_PLAN is for other ranks, hosts or another root; no cluster is set" in one for one in native)


@pytest.mark.parametrize(
    ("hosts", "fits"), [("h[0-6]", True), ("[h1, h0, h2, h3, h4, h5, h6]", False)], ids=["hosts fit", "others"]
)
@pytest.mark.parametrize("cluster", [{}, {"TRUNKLINE_CLUSTER": "cyclic"}], ids=["no cluster", "cluster"])
def test_hosts_of_a_plan(mpi: Mpi, tmp_path: Path, hosts: str, fits: bool, cluster: dict[str, str]):
    plan = tmp_path / "plan.yaml"
    plan.write_text(BINARY + f"hosts: {hosts}\n")
    settings = {"TRUNKLINE_PLAN": str(plan), "TRUNKLINE_MULTICAST": "0"}
    calls = calls_of(mpi, cluster | settings, "--groups", "window", "--choices", "auto")
    assert {(call["root"], call["communicator_size"]) for call in calls} == {(3, 7)}
    assert {call["algorithm"] == "custom" for call in calls} == {fits}
    assert {"TRUNKLINE_PLAN is for other ranks, hosts or another root" in call["reason"] for call in calls} != {fits}


def said_with_a_plan_of(mpi: Mpi, tmp_path: Path, fingerprint: int, of: str = "cluster") -> str:
    plan = tmp_path / "plan.yaml"
    plan.write_text(BINARY + f'cluster: cyclic\n{of}_fingerprint: "{fingerprint:016x}"\n')
    settings = {"TRUNKLINE_PLAN": str(plan), "TRUNKLINE_CLUSTER": "cyclic"}
    done = mpi.run(7, mpi.program("runtime-hello"), settings=settings, per_rank=[ON_OWN_HOST])
    return "\n".join(done.lines("trunkline: warning: "))


def test_a_plan_of_another_state_of_the_cluster(mpi: Mpi, tmp_path: Path):
    said = said_with_a_plan_of(mpi, tmp_path, 0x123456789ABCDEF)
    assert "was laid over cluster cyclic as it was, not over cyclic as it is now" in said
    assert "lay it again with 'trunkline plan'" in said


def test_a_plan_of_the_same_topology_or_the_same_cluster(mpi: Mpi, tmp_path: Path):
    cluster = load_cluster("cyclic")
    faster = _core.scaled(cluster, 1e10)
    assert said_with_a_plan_of(mpi, tmp_path, faster.topology_fingerprint) == ""
    assert said_with_a_plan_of(mpi, tmp_path, faster.topology_fingerprint, "topology") == ""
    assert said_with_a_plan_of(mpi, tmp_path, cluster.fingerprint) == ""
    assert "was laid over" in said_with_a_plan_of(mpi, tmp_path, faster.fingerprint)


def test_the_users_choice_wins_over_the_plan(mpi: Mpi, tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(BINARY.replace("root: 3", "root: 0").replace("3: [0, 5]\n  0:", "0: [3, 5]\n  3:"))
    settings = {"TRUNKLINE_PLAN": str(plan), "TRUNKLINE_BCAST": "unaware-linear:2KiB", "TRUNKLINE_EXPLAIN": "1"}
    said = mpi.run(7, mpi.program("runtime-hello"), settings=settings).lines(BCAST)
    assert len(said) == 1
    assert "ran unaware-linear with segments of 2KiB: chosen by the user" in said[0]
    settings.pop("TRUNKLINE_BCAST")
    said = mpi.run(7, mpi.program("runtime-hello"), settings=settings).lines(BCAST)
    assert "ran custom with segments of 600B" in said[0]


def test_each_size_has_its_own_decision(mpi: Mpi):
    calls = calls_of(mpi, {"TRUNKLINE_CLUSTER": "cyclic"}, "--groups", "sizes,window", "--choices", "linear")
    assert len({call["segment_bytes"] for call in calls if call["algorithm"] == "linear"}) > 1, calls


def test_explain_names_contention_and_predictions(mpi: Mpi):
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_EXPLAIN": "1"}
    line = settings | {"TRUNKLINE_BCAST": "linear"}
    blind = settings | {"TRUNKLINE_BCAST": "unaware-linear"}
    said = mpi.run(8, mpi.program("runtime-hello"), settings=line, per_rank=[ON_OWN_HOST]).lines(BCAST)
    assert "(contention-free)" in said[0]
    said = mpi.run(8, mpi.program("runtime-hello"), settings=blind, per_rank=[ON_OWN_HOST]).lines(
        "trunkline: MPI_Bcast"
    )
    assert "(contention: " in said[0]
    said = mpi.run(8, mpi.program("runtime-hello"), settings=settings, per_rank=[ON_OWN_HOST]).lines(
        "trunkline: MPI_Bcast"
    )
    assert ": linear " in said[0].partition("predicted")[2]
    assert " counts as " not in said[0], "what a replay says counts as it is"
    assert ", native " in said[0]
    assert " ms on rank 0" in said[0]


FROM_0 = BINARY.replace("root: 3", "root: 0").replace("3: [0, 5]\n  0:", "0: [3, 5]\n  3:")


@pytest.mark.parametrize(("collective", "text"), [("allreduce", BINARY), ("reduce", FROM_0)])
def test_a_plan_of_a_reduction_runs_the_shortest_messages(any_mpi: Mpi, tmp_path: Path, collective: str, text: str):
    """Where an allreduce's results come together is the plan's own affair; a reduction's root is the program's."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(text.replace("bcast", collective))
    said = calls_of(any_mpi, {"TRUNKLINE_PLAN": str(plan)}, "--groups", "reductions", "--choices", "auto")
    calls = [call for call in said if call["collective"] == collective]
    planned = [call for call in calls if call["chosen_by"] == "plan"]
    assert {(call["algorithm"], call["segment_bytes"], call["communicator_size"]) for call in planned} == {
        ("custom", 600, 7)
    }
    assert any(call["bytes"] == 8 for call in planned), calls
    native = [call for call in calls if call not in planned]
    other = "TRUNKLINE_PLAN is for other ranks, hosts or another root; "
    assert all(call["reason"].startswith(other) for call in native), native
    roots = {call.get("root") for call in native if call["communicator_size"] == 7}
    assert 3 in roots if collective == "reduce" else not roots, native


SET = """\
trunkline: plans/1
plans:
  - {collective: allreduce, below: 64B, segment: 600B, shape: custom, ranks: 7, root: 0, line: [0-6]}
  - {collective: allreduce, from: 64B, segment: 700B, shape: custom, ranks: 7, root: 0, sends: {0: [1, 2, 3, 4, 5, 6]}}
  - {collective: bcast, from: 0B, segment: 800B, shape: custom, ranks: 7, root: 2, line: [2, 0-1, 3-6]}
  - {collective: bcast, from: 0B, segment: 900B, shape: custom, ranks: 7, root: 3, line: [3, 0-2, 4-6]}
"""


def test_a_set_runs_a_plan_by_collective_root_and_size(any_mpi: Mpi, tmp_path: Path):
    plan = tmp_path / "plans.yaml"
    plan.write_text(SET)
    groups = ("--groups", "reductions,window,sizes", "--choices", "auto")
    calls = calls_of(any_mpi, {"TRUNKLINE_PLAN": str(plan)}, *groups)
    planned = [call for call in calls if call["chosen_by"] == "plan"]
    sums = [call for call in planned if call["collective"] == "allreduce"]
    assert {(call["bytes"] < 64, call["segment_bytes"], call["reason"].partition("(")[2]) for call in sums} == {
        (True, 600, "custom, line 3, below 64B)"),
        (False, 700, "custom, line 4, from 64B)"),
    }
    roots = {call["root"]: call["segment_bytes"] for call in planned if call["collective"] == "bcast"}
    assert roots | {2: 800} == {2: 800, 3: 900}, roots
    others = [call for call in calls if call["collective"] == "reduce"]
    assert {call["algorithm"] for call in others} == {"native"}
    assert any(call["reason"].startswith("TRUNKLINE_PLAN has no plan of reduce; ") for call in others), others


def test_what_is_wrong_with_a_set_is_said_with_its_place(mpi: Mpi, tmp_path: Path):
    plan = tmp_path / "plans.yaml"
    plan.write_text(SET + SET.splitlines(keepends=True)[-1])
    done = mpi.run(7, mpi.program("runtime-hello"), settings={"TRUNKLINE_PLAN": str(plan)})
    said = "\n".join(done.lines("trunkline: warning: "))
    assert "plans.yaml:7:5: the plan in line 6 is for the same calls" in said
    plan.write_text(SET.replace("ranks: 7, root: 2", "ranks: 7, hosts: 'g[0-6]', root: 2"))
    settings = {"TRUNKLINE_PLAN": str(plan), "TRUNKLINE_CLUSTER": "cyclic"}
    done = mpi.run(7, mpi.program("runtime-hello"), settings=settings, per_rank=[ON_OWN_HOST])
    assert "plans.yaml:5:5: cluster cyclic has no host 'g0'" in "\n".join(done.lines("trunkline: warning: "))


def test_a_plan_of_a_broadcast_leaves_short_messages_alone(mpi: Mpi, tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(BINARY)
    calls = calls_of(mpi, {"TRUNKLINE_PLAN": str(plan)}, "--groups", "sizes", "--choices", "auto")
    short = [call for call in calls if call["collective"] == "bcast" and call["bytes"] < 512]
    assert {(call["algorithm"], call["chosen_by"]) for call in short} == {("native", "none")}, short
