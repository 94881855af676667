"""Gsum on the lab: plans run, under every MPI, and MPI as it is beside them."""

import json

import pytest

from trunkline.mpi import find_mpis

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("mpi", list(find_mpis()))
def test_plans_and_native(trunkline, tmp_path, mpi):
    file = tmp_path / "gsum.json"
    words = ("--iterations", "5", "--turns", "1", "--sizes", "4", "--rate", "20Mbit", "--json", str(file))
    done = trunkline("bench", "gsum", "--cluster", "8w", "--mpi", mpi, "--plans", "initial,native", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    initial, native = json.loads(file.read_text())
    assert (initial["algorithm"], initial["ran"], native["algorithm"]) == ("initial", "flat hosts, flat root", "native")
    assert initial["ranks"] == 32
    assert initial["over_native"] == pytest.approx(native["seconds_median"] / initial["seconds_median"])
