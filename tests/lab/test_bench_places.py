"""``trunkline bench`` from any root, with hosts in the file's order and dealt over sites."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_a_root_on_hosts_dealt_over_sites(trunkline, tmp_path):
    out = tmp_path / "cells.json"
    done = trunkline(
        *("bench", "bcast", "--cluster", "two-site", "--rate", "40Mbit", "--mpi", "mpich", "--root", "4", "--dealt"),
        *("--sizes", "1KiB", "--algorithms", "linear", "--least", "2", "--most", "2", "--json", str(out)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "from rank 4; hosts dealt over sites" in " ".join(done.stderr.split())
    (cell,) = json.loads(out.read_text())
    assert (cell["root"], cell["dealt"]) == (4, True)
    assert 1.6e-3 < cell["bound_seconds"] < cell["seconds_median"]


def test_nothing_to_deal_over(trunkline):
    done = trunkline("bench", "bcast", "--cluster", "cyclic", "--mpi", "mpich", "--dealt")
    assert done.returncode == 2
    assert "cyclic has no sites that --dealt could deal ranks over" in " ".join(done.stderr.split())


def test_a_root_that_is_not_there(trunkline):
    done = trunkline("bench", "bcast", "--cluster", "two-site", "--mpi", "mpich", "--root", "5")
    assert done.returncode == 2
    assert "there is no rank 5; the ranks are 0 to 4" in " ".join(done.stderr.split())
