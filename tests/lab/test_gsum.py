"""Gsum on the lab: plans run, under every MPI, and MPI as it is beside them."""

import json

import pytest

from trunkline.mpi import find_mpis
from trunkline.paths import example_program

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("mpi", [name for name in find_mpis() if example_program("gsum", name).exists()])
def test_plans_and_native(trunkline, tmp_path, mpi):
    file = tmp_path / "gsum.json"
    words = ("--iterations", "5", "--turns", "1", "--sizes", "4", "--rate", "20Mbit", "--json", str(file))
    done = trunkline("bench", "gsum", "--cluster", "8w", "--mpi", mpi, "--plans", "initial,native", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    initial, native = json.loads(file.read_text())
    assert (initial["algorithm"], initial["ran"], native["algorithm"]) == ("initial", "flat hosts, flat root", "native")
    assert initial["ranks"] == 32
    assert initial["over_native"] == pytest.approx(native["seconds_median"] / initial["seconds_median"])


def test_the_papers_study(trunkline, tmp_path):
    file, page = tmp_path / "study.json", tmp_path / "study.html"
    words = ("--mpi", "mpich", "--iterations", "3", "--turns", "1", "--rate", "20Mbit")
    done = trunkline("bench", "gsum-study", "--cluster", "4w+8w", *words, "--json", str(file), "--html", str(page))
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
