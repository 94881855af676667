"""``trunkline doctor`` inside a job of the lab."""

import json

import pytest
from busy_machine import measures

from trunkline import __version__, _core
from trunkline.cluster import load_cluster

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_a_job_is_examined(trunkline, tmp_path, mpi):
    file = tmp_path / "doctor.json"
    words = ("doctor", "--sizes", "1KiB,64KiB", "--budget", "0.5", "--json", str(file))
    done = trunkline("lab", "run", "cyclic", "--rate", "20Mbit", "--mpi", mpi, "-n", "6", "--", "trunkline", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(file.read_text())
    assert [one["host"] for one in found["ranks"]] == [f"h{i}" for i in range(6)]
    assert {one["interface"] for one in found["ranks"]} == {"eth0"}
    assert all(one["preload"].startswith(f"{__version__} for ") for one in found["ranks"])
    measured = [one["rate_to_next_bps"] for one in found["ranks"][:-1]]
    assert all(10e6 < rate < 22e6 for rate in measured), measured
    assert found["ranks"][0]["stated_rate_to_next_bps"] == 20e6
    assert [one["message_bytes"] for one in found["sizes"]] == [1024, 65536]
    assert "Trunkline" in done.stdout.splitlines()[-1]


def test_a_job_without_the_library_is_told_so(trunkline):
    words = ("doctor", "--sizes", "1KiB", "--budget", "0.1")
    done = trunkline(
        *(
            "lab",
            "run",
            "cyclic",
            "--rate",
            "20Mbit",
            "--mpi",
            "mpich",
            "-n",
            "3",
            "--native",
            "--",
            "trunkline",
            *words,
        )
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert "look here: no rank has the preload library" in said
    assert "look here: no cluster is set" in said


@measures
def test_a_job_is_tuned_where_it_runs(trunkline, tmp_path):
    file = tmp_path / "here.yaml"
    words = ("tune", "--sizes", "1KiB,64KiB", "--minutes", "0.2", "-o", str(file))
    done = trunkline(
        "lab", "run", "paper-1", "--rate", "20Mbit", "--mpi", "openmpi", "-n", "8", "--", "trunkline", *words
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (entry,) = _core.read_tuning(str(file)).entries
    assert (entry.cluster, entry.hosts, entry.ranks_per_host, entry.mpi) == ("paper-1", 8, 1, "openmpi")
    assert entry.rule_for(65536).algorithm != "native"  # eight hosts on one switch: a pipeline is far ahead
    assert "measured rates from 18" in file.read_text()
    assert entry.topology_fingerprint == load_cluster("paper-1").topology_fingerprint
    assert [(one.from_host, one.to_host) for one in entry.measured_rates] == [(f"h{i}", f"h{i + 1}") for i in range(7)]
    assert all(17e6 < one.bps < 20e6 for one in entry.measured_rates)
    assert list(tmp_path.iterdir()) == [file]


def test_a_job_without_the_library_is_not_tuned(trunkline, tmp_path):
    file = tmp_path / "here.yaml"
    words = ("tune", "--cluster", "paper-1", "-o", str(file))
    done = trunkline(
        *(
            "lab",
            "run",
            "paper-1",
            "--rate",
            "20Mbit",
            "--mpi",
            "mpich",
            "-n",
            "2",
            "--native",
            "--",
            "trunkline",
            *words,
        )
    )
    assert done.returncode != 0
    assert "ranks 0, 1 have not loaded the preload library" in done.stdout + done.stderr
    assert not file.exists()
