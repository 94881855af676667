"""Gsum on the lab: plans run, under every MPI, and MPI as it is beside them."""

import json

import pytest
from busy_machine import compares

from trunkline.mpi import find_mpis
from trunkline_papers.paths import built

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("mpi", [name for name in find_mpis() if built("gsum", name).exists()])
def test_plans_and_native(papers, tmp_path, mpi):
    file = tmp_path / "gsum.json"
    words = ("--iterations", "5", "--turns", "1", "--sizes", "4", "--rate", "20Mbit", "--json", str(file))
    done = papers("bench", "gsum", "--cluster", "8w", "--mpi", mpi, "--plans", "initial,native", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    initial, native = json.loads(file.read_text())
    assert (initial["algorithm"], initial["ran"], native["algorithm"]) == ("initial", "flat hosts, flat root", "native")
    assert initial["ranks"] == 32
    assert initial["over_native"] == pytest.approx(native["seconds_median"] / initial["seconds_median"])


def test_the_papers_study(papers, tmp_path):
    file, page = tmp_path / "study.json", tmp_path / "study.html"
    words = ("--mpi", "mpich", "--iterations", "3", "--turns", "1", "--rate", "20Mbit", "--plans", "steps")
    done = papers("bench", "gsum-study", "--cluster", "4w+8w", *words, "--json", str(file), "--report", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(file.read_text())
    assert told["ranks"] == 8 * 4 + 4 * 8
    right, wrong = told["configurations"]
    assert (right["configuration"], right["claims"]) == ("4W+8W", [])
    [claim] = wrong["claims"]
    times = [one["sizes"][0]["seconds_median"] for one in (right, wrong)]
    assert claim["times_faster"] == pytest.approx(times[0] / times[1])
    slow = right["sizes"][0]["slowest_us"]
    parts = slow["host_subtree"] + slow["cluster_root_subtree"] + slow["proxy"]
    assert parts == pytest.approx(slow["total"])
    assert page.read_text().count("<svg") == 2 * 2 + 2


FOUR_HOSTS = """\
trunkline: cluster/1
name: four
switches: [s0, s1]
defaults: {rate: 20Mbit, latency: 10us}
hosts:
  - {hosts: "a[0-1]", switch: s0}
  - {hosts: "b[0-1]", switch: s1}
links:
  - {between: [s0, s1], rate: 20Mbit}
"""


@compares
def test_the_study_of_ones_own_cluster(papers, trunkline, tmp_path):
    """The initial tree is flat, and its root sends long messages three times: one of the others had best do so."""
    cluster, mine, file, page = (tmp_path / name for name in ("four.yaml", "mine.yaml", "study.json", "study.html"))
    cluster.write_text(FOUR_HOSTS)
    composed = ("plan", "compose", "--cluster", str(cluster), "--root-shape", "binary", "--split", "all")
    done = trunkline(*composed, "-o", str(mine))
    assert done.returncode == 0, done.stdout + done.stderr
    words = ("--cluster", str(cluster), "--mpi", "mpich", "--rate", "20Mbit")
    words += ("--iterations", "3", "--turns", "2", "--tries", "2")
    words += ("--sizes", "64KiB,4", "--plans", f"steps,auto,native,{mine}")
    done = papers("bench", "gsum-study", "--cluster", str(cluster), *words, "--json", str(file), "--report", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(file.read_text())
    names = [one["configuration"] for one in told["configurations"]]
    assert names[:2] == ["initial", "step-1"], told["ended"]
    assert names[-3:] == ["auto", "native", "mine"]
    by_name = {one["configuration"]: one for one in told["configurations"]}
    first, step = by_name["initial"], by_name["step-1"]
    [over] = [one for one in step["claims"] if (one["over"], one["message_bytes"]) == ("initial", 1 << 16)]
    assert over["times_faster"] > 1.1, "1.57 alone, and 1.2 has been seen at a load of 12"
    assert over["times_faster_in_paper"] is None
    assert step["pointed"].endswith(": kept")
    assert "faster in 2 pairs of jobs" in step["pointed"]
    assert step["step"].removeprefix("initial, ") in first["sizes"][0]["suggested"]
    assert told["ended"].startswith("after step-")
    assert {one["ran"] for one in by_name["mine"]["sizes"]} == {"custom"}
    text = " ".join((done.stdout + done.stderr).split())
    assert f"No more steps {told['ended']}" in text
    assert "<th>the paper</th>" not in page.read_text()


def test_a_plan_that_is_for_other_ranks_is_refused(papers, trunkline, tmp_path):
    cluster, other = tmp_path / "four.yaml", tmp_path / "other.yaml"
    cluster.write_text(FOUR_HOSTS)
    composed = ("plan", "compose", "--cluster", str(cluster), "--ranks-per-host", "2", "-o", str(other))
    assert trunkline(*composed).returncode == 0
    words = ("--cluster", str(cluster), "--mpi", "mpich", "--rate", "20Mbit", "--plans", f"steps,{other}")
    done = papers("bench", "gsum-study", *words)
    assert done.returncode == 2
    assert "other.yaml has no plan for an allreduce of 4 bytes here" in " ".join(done.stderr.split())
