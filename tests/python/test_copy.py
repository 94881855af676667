"""``trunkline copy``: what it hands to its program, and what it refuses."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from trunkline import copying
from trunkline.copying import Copy, job_of_hosts, settings_of_rank
from trunkline.errors import BadInput
from trunkline.mpi import Mpi

CLUSTER = Path("/etc/lab.yaml")
OTHER_WAY = {"HYDRA_LAUNCHER": "rsh", "OMPI_MCA_plm_rsh_agent": "agent"}
"""Settings by which hosts are reached by something else than ssh, so that nobody asks them."""


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
    words, _ = job_of_hosts(made_up("mpich", tmp_path), "n[08-10]", program, None, OTHER_WAY)
    assert words[1:] == ["-hosts", "n08,n09,n10", "-ppn", "1", "-n", "3", *program]
    words, _ = job_of_hosts(made_up("openmpi", tmp_path), "n1,n3", program, None, OTHER_WAY)
    assert words[1:] == ["-H", "n1:1,n3:1", "-n", "2", *program]


@pytest.mark.parametrize("hosts", ["n[1-", "n1,n1"])
def test_hosts_that_are_none(tmp_path, hosts):
    with pytest.raises(BadInput, match="--hosts"):
        job_of_hosts(made_up("mpich", tmp_path), hosts, ["copier"], None, {})


def test_hosts_are_asked_before_a_launcher_waits_for_them(tmp_path, monkeypatch):
    """An ssh of ours: n1 is reached and has the program, n2 has no program, n3 is not reached."""
    ssh = tmp_path / "ssh"
    ssh.write_text(
        "#!/bin/sh\nwhile [ $1 != -- ]; do shift; done\n"
        "case $2 in\nn1) ;;\nn2) exit 1 ;;\n*) echo no route >&2; exit 255 ;;\nesac\n"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    library = made_up("mpich", tmp_path)
    assert job_of_hosts(library, "n1", ["/opt/copier"], None, {})[0][-1] == "/opt/copier"
    with pytest.raises(BadInput) as refused:
        job_of_hosts(library, "n[1-3]", ["/opt/copier"], None, {})
    assert str(refused.value).splitlines() == [
        "--hosts: host n2 has no /opt/copier: install Trunkline on all hosts under the same path",
        "host n3 is not reached without a password: no route; try: ssh n3 true",
    ]
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(BadInput, match="there is no ssh here"):
        job_of_hosts(library, "n1", ["/opt/copier"], None, {})
    job_of_hosts(library, socket.gethostname(), ["/opt/copier"], None, {})  # ourselves are not asked


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


def test_a_program_that_was_not_built_is_told_with_its_cause(tmp_path, monkeypatch):
    """The header may have come since, and then looking for it says nothing."""
    monkeypatch.setattr(copying, "mpi_program", lambda name, _mpi: tmp_path / name)
    monkeypatch.setattr(copying, "preload_of", lambda _mpi: tmp_path)
    library = made_up("mpich", tmp_path)
    cause = "when Trunkline was built for mpich, xxHash's header (xxhash.h) was not found"
    for kept, build in (({}, "make setup, or install Trunkline again"), ({"mpich"}, "trunkline library --build")):
        monkeypatch.setattr(copying, "kept_libraries", lambda kept=kept: kept)
        with pytest.raises(BadInput) as refused:
            what().words(library)
        assert cause in str(refused.value)
        assert f"then build again: {build}" in str(refused.value)


def test_what_the_demo_needs_builds_the_program_that_copies():
    """It belongs to the command, and is no extra of the tests and simulations."""
    lists = (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
    condition = lists.partition("add_subdirectory(copy)")[0].rpartition("if(")[2].partition(")")[0]
    assert condition == "TRUNKLINE_EXTRAS OR TRUNKLINE_PYTHON"
    packages = (Path(__file__).resolve().parents[2] / "tools" / "debian-packages.txt").read_text()
    assert "libxxhash-dev" in packages.split()
