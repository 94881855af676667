"""Traces on the lab: hosts of their own, a real program, and the whole tree in the report."""

import json
import os

import pytest

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
    assert cost[tree["slowest_rank"]]["proxy"] > 0
