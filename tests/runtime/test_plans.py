"""TRUNKLINE_PLAN: a plan drawn by hand runs where it fits, and only there; TRUNKLINE_EXPLAIN says so."""

from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, Mpi

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
"""How explanations of broadcasts begin."""


def explained(mpi: Mpi, ranks: int, settings: dict[str, str], *arguments: str) -> list[str]:
    wanted = settings | {"TRUNKLINE_EXPLAIN": "1"}
    done = mpi.run(ranks, mpi.program("runtime-test"), *arguments, settings=wanted, per_rank=[ON_OWN_HOST])
    assert " passed, 0 failed" in done.out
    return done.lines("trunkline: ")


@pytest.mark.parametrize(
    ("text", "name"),
    [(BINARY, "custom"), (TWO_TREES, "custom"), (GENERATED, "circulant"), (LISTED, "custom")],
    ids=["one tree", "two trees", "a generator", "rounds"],
)
def test_plans_by_hand(mpi: Mpi, tmp_path: Path, text: str, name: str):
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    settings = {"TRUNKLINE_PLAN": str(plan)}
    said = explained(mpi, 7, settings, "--groups", "datatypes,communicators,window", "--choices", "auto")
    planned = [line for line in said if f"ran {name} with segments of 600B: TRUNKLINE_PLAN fits" in line]
    assert planned
    assert all("from rank 3 on 7 ranks" in line for line in planned)
    native = [line for line in said if "from rank 2 on 7 ranks ran native" in line]
    assert any("TRUNKLINE_PLAN is for other ranks, hosts or another root; no cluster is set" in line for line in native)


@pytest.mark.parametrize(
    ("hosts", "fits"), [("h[0-6]", True), ("[h1, h0, h2, h3, h4, h5, h6]", False)], ids=["hosts fit", "others"]
)
@pytest.mark.parametrize("cluster", [{}, {"TRUNKLINE_CLUSTER": "cyclic"}], ids=["no cluster", "cluster"])
def test_hosts_of_a_plan(mpi: Mpi, tmp_path: Path, hosts: str, fits: bool, cluster: dict[str, str]):
    plan = tmp_path / "plan.yaml"
    plan.write_text(BINARY + f"hosts: {hosts}\n")
    settings = {"TRUNKLINE_PLAN": str(plan), "TRUNKLINE_MULTICAST": "0"}
    said = explained(mpi, 7, cluster | settings, "--groups", "window", "--choices", "auto")
    assert len(said) == 1
    assert "from rank 3 on 7 ranks ran" in said[0]
    assert ("ran custom" in said[0]) == fits
    assert ("TRUNKLINE_PLAN is for other ranks, hosts or another root" in said[0]) != fits


def said_with_a_plan_of(mpi: Mpi, tmp_path: Path, fingerprint: int) -> str:
    plan = tmp_path / "plan.yaml"
    plan.write_text(BINARY + f'cluster: cyclic\ncluster_fingerprint: "{fingerprint:016x}"\n')
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
    said = explained(mpi, 7, {"TRUNKLINE_CLUSTER": "cyclic"}, "--groups", "sizes,window", "--choices", "linear")
    segments = {line.partition("segments of ")[2].split()[0] for line in said if "ran linear" in line}
    assert len(segments) > 1, said


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
    assert "; linear counts as " in said[0]
    assert ": a line waits for all of its ranks, one after another" in said[0]
    assert ", native " in said[0]
    assert " ms on rank 0" in said[0]


FROM_0 = BINARY.replace("root: 3", "root: 0").replace("3: [0, 5]\n  0:", "0: [3, 5]\n  3:")


@pytest.mark.parametrize(("collective", "text"), [("allreduce", BINARY), ("reduce", FROM_0)])
def test_a_plan_of_a_reduction_runs_the_shortest_messages(any_mpi: Mpi, tmp_path: Path, collective: str, text: str):
    """Where an allreduce's results come together is the plan's own affair; a reduction's root is the program's."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(text.replace("bcast", collective))
    said = explained(any_mpi, 7, {"TRUNKLINE_PLAN": str(plan)}, "--groups", "reductions", "--choices", "auto")
    lines = [line for line in said if f"_{collective.capitalize()} " in line]
    planned = [line for line in lines if "ran custom with segments of 600B: TRUNKLINE_PLAN fits" in line]
    assert any(" of 8B" in line for line in planned), said
    assert all(" on 7 ranks " in line for line in planned)
    native = [line for line in lines if line not in planned]
    assert all("TRUNKLINE_PLAN is for other ranks, hosts or another root; " in line for line in native), native
    if collective == "reduce":
        assert any("to rank 3 on 7 ranks" in line for line in native), said
    else:
        assert not any(" on 7 ranks " in line for line in native), native


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
    said = explained(any_mpi, 7, {"TRUNKLINE_PLAN": str(plan)}, *groups)
    sums = [line for line in said if "_Allreduce " in line and " on 7 ranks " in line and " ran custom" in line]
    short = [line for line in sums if "(custom, line 3, below 64B)" in line]
    assert short
    assert all("with segments of 600B" in line for line in short)
    rest = [line for line in sums if line not in short]
    assert rest
    wrong = [
        line
        for line in rest
        if "with segments of 700B: TRUNKLINE_PLAN fits" not in line or "line 4, from 64B)" not in line
    ]
    assert wrong == []
    for root, segment in ((2, "800B"), (3, "900B")):
        own = [line for line in said if f"from rank {root} on 7 ranks ran" in line]
        assert all(f"ran custom with segments of {segment}" in line for line in own), own
    assert any("from rank 3 on 7 ranks ran" in line for line in said)
    others = [line for line in said if "_Reduce " in line]
    assert any("ran native: TRUNKLINE_PLAN has no plan of reduce; " in line for line in others), others
    assert not any("ran custom" in line for line in others), others


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
    said = explained(mpi, 7, {"TRUNKLINE_PLAN": str(plan)}, "--groups", "sizes", "--choices", "auto")
    assert any("less than 512 bytes: left to the MPI library" in line for line in said), said
