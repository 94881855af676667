"""Traces on the lab: hosts of their own, a real program, and the whole tree in the report."""

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from busy_machine import compares

from trunkline import _core
from trunkline.mpi import find_mpis

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("mpi", [name for name in find_mpis() if name in ("mpich", "openmpi")])
def test_sums_on_8w(trunkline, program, tmp_path, mpi):
    plan, out, report = tmp_path / "plan.yaml", tmp_path / "out", tmp_path / "report.json"
    words = ("--ranks-per-host", "8", "--host-shape", "binary", "-o", str(plan))
    assert trunkline("plan", "compose", "8w", *words).returncode == 0
    words = ("--ranks-per-host", "8", "--mpi", mpi, "--rate", "10Mbit", "--trace", str(out))
    sums = (program("trace-calls", mpi), "5")
    done = trunkline("lab", "run", "8w", *words, "--", *sums, env=os.environ | {"TRUNKLINE_PLAN": str(plan)})
    assert done.returncode == 0, done.stdout + done.stderr
    done = trunkline("trace", "analyse", str(out), "--json", str(report), "--html", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(report.read_text())
    assert told["notes"] == []
    assert len(set(told["hosts"].values())) == 4
    [group] = [one for one in told["groups"] if (one["collective"], one["bytes"]) == ("allreduce", 4)]
    assert group["calls"] == 5
    [tree] = group["trees"]
    assert len(tree["parents"]) == 32
    proxies = [one for one in tree["stages"] if one["part"] == "proxy"]
    assert len({one["node"] for one in proxies}) == 3  # three hosts beside the root's
    cost = {one["rank"]: one for one in tree["costs"]}
    assert tree["slowest_rank"] in cost
    assert any(one["proxy"] > 0 for one in cost.values())  # which rank is slowest, a busy machine decides


# Latencies are far above what a busy machine takes for a message.
TWO_ROOMS = """\
trunkline: cluster/1
name: two-rooms
switches: [s0, s1]
defaults: {rate: 20Mbit, latency: 1ms}
hosts:
  - {hosts: "a[0-3]", switch: s0}
  - {hosts: "b[0-3]", switch: s1}
links:
  - {between: [s0, s1], latency: 8ms}
"""
ONE_SLOW = """\
trunkline: cluster/1
name: one-slow
switches: s0
defaults: {rate: 20Mbit, latency: 1ms}
hosts:
  - {hosts: a0, switch: s0}
  - {hosts: a1, switch: s0, latency: 15ms}
  - {hosts: "a[2-7]", switch: s0}
"""
BAD = {
    "wrong root": (TWO_ROOMS, [1, 4, 1, 1, 5, 6, 7, None]),
    "too deep": (ONE_SLOW.replace("15ms", "1ms"), [None, *range(7)]),
    "one slow host in the middle": (ONE_SLOW, [None, 0, 0, 1, 1, 2, 2, 3]),
    "ranks across a thin trunk": (TWO_ROOMS, [None, 4, 4, 4, 0, 1, 2, 3]),
}


def traced(trunkline, program, tmp_path, cluster, parents):
    """A trace of sums over a tree; returns its folder and the command of the job."""
    (tmp_path / "cluster.yaml").write_text(cluster)
    network = _core.read_cluster(str(tmp_path / "cluster.yaml"))
    plan = _core.PlanFile()
    plan.collective, plan.algorithm, plan.provenance = "allreduce", "custom", "a test"
    plan.cluster, plan.cluster_fingerprint = network.name, network.topology_fingerprint
    plan.host_of_rank = list(network.hosts)
    below = [[child for child, parent in enumerate(parents) if parent == rank] for rank in range(len(parents))]
    plan.plan = _core.Plan([_core.Tree(parents.index(None), below)])
    (tmp_path / "plan.yaml").write_text(_core.write_plan(plan))
    out = tmp_path / "out"
    job = ("lab", "run", str(tmp_path / "cluster.yaml"), "--mpi", "mpich", "--rate", "20Mbit")
    sums = (program("trace-calls", "mpich"), "10")
    env = os.environ | {"TRUNKLINE_PLAN": str(tmp_path / "plan.yaml")}
    done = trunkline(*job, "--trace", str(out), "--", *sums, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return out, [sys.executable, "-m", "trunkline", *job, "--", *sums]


@pytest.mark.parametrize("bad", BAD)
@compares
def test_the_first_suggestion_on_a_bad_plan_is_confirmed(trunkline, program, tmp_path, bad):
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    out, job = traced(trunkline, program, folder, *BAD[bad])
    report = folder / "report.json"
    words = ("--confirm", "--pairs", "1", "--json", str(report), "--html", str(folder / "report.html"))
    done = trunkline("trace", "analyse", str(out), *words, "--", *job)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(report.read_text())
    assert told["confirmed"]["pairs"] == 1
    assert told["confirmed"]["gain"] > 1.05, told["confirmed"]
    assert "The first suggestion was tried.</strong> confirmed" in (folder / "report.html").read_text()
    assert (out / "confirm-1" / "edited.yaml").exists()


def test_a_good_plan_gets_no_suggestion(trunkline, program, tmp_path):
    """Where ways are long and messages short, the root had best do all by itself."""
    out, job = traced(trunkline, program, tmp_path, ONE_SLOW.replace("15ms", "1ms"), [None, *[0] * 7])
    done = trunkline("trace", "analyse", str(out), "--confirm", "--json", str(tmp_path / "report.json"), "--", *job)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing to confirm" in done.stdout + done.stderr
    told = json.loads((tmp_path / "report.json").read_text())
    assert [one["suggestions"] for one in told["groups"]] == [[]] * len(told["groups"])
