"""``trunkline copy``: what it hands to its program, and what it refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trunkline.copying import Copy, job_of_hosts, settings_of_rank
from trunkline.errors import BadInput
from trunkline.mpi import Mpi

CLUSTER = Path("/etc/lab.yaml")


def made_up(name, folder):
    launcher = folder / "mpiexec"
    launcher.touch(mode=0o755)
    return Mpi(name, name, "1.0", "mpicc", str(launcher), "libmpi.so")


def what(**changes):
    plain = {
        "files": ["a", "b/c"],
        "folder": "/scratch/{host}",
        "block_bytes": 1 << 20,
        "waiting_bytes": 1 << 24,
        "reads_back": False,
        "json": None,
        "in_place": False,
    }
    return Copy(**plain | changes)


def test_one_rank_a_host(tmp_path):
    program = ["copier", "--", "file"]
    words, _ = job_of_hosts(made_up("mpich", tmp_path), "n[08-10]", program, None, {})
    assert words[1:] == ["-hosts", "n08,n09,n10", "-ppn", "1", "-n", "3", *program]
    words, _ = job_of_hosts(made_up("openmpi", tmp_path), "n1,n3", program, None, {})
    assert words[1:] == ["-H", "n1:1,n3:1", "-n", "2", *program]


@pytest.mark.parametrize("hosts", ["n[1-", "n1,n1"])
def test_hosts_that_are_none(tmp_path, hosts):
    with pytest.raises(BadInput, match="--hosts"):
        job_of_hosts(made_up("mpich", tmp_path), hosts, ["copier"], None, {})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"files": ["a/x", "b/x"]}, "two files would be x"),
        ({"block_bytes": 1}, "--block"),
        ({"waiting_bytes": 1 << 20}, "--memory: two blocks"),
    ],
)
def test_what_cannot_be(changes, said):
    with pytest.raises(BadInput, match=said):
        what(**changes)


def test_a_rank_that_has_the_library_keeps_what_it_has(tmp_path):
    library = made_up("mpich", tmp_path)
    assert settings_of_rank(library, CLUSTER, {"LD_PRELOAD": "/x/libtrunkline-mpich.so"}) == {}
    assert settings_of_rank(library, None, {}) == {}


def test_outside_a_job(tmp_path):
    file = tmp_path / "file"
    file.touch()
    command = [sys.executable, "-m", "trunkline", "copy", str(file), "--to", str(tmp_path / "to")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PMI", "OMPI"))}
    done = subprocess.run(command, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Without a job: --hosts LIST. Behind srun: --mpi NAME" in done.stderr
    assert not (tmp_path / "to").exists()
