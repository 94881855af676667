import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from busy_machine import PATIENCE_S
from jobs import BUILD, run_job

OURS = re.compile(r"trunkline|(ompi|vader_segment|prte|pmix)\.h\d", re.IGNORECASE)
"""Files as a lab, or an MPI library on its hosts, might name them."""
MARK = "LAB_OF_TEST"
"""A variable that only processes of one test have: other labs and MPI jobs may be running, also of other tests."""


def pytest_configure():
    """A shell's background job ignores interrupts, and so would the commands that the tests interrupt."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.lab)


def left_behind(mark, folder):
    """What a lab of a test could leave on this machine: processes, interfaces, mounts, files."""
    processes = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                processes.add((entry / "cmdline").read_bytes())
        except (FileNotFoundError, ProcessLookupError, PermissionError):  # ended, or another user's
            continue
    shared = (Path("/dev/shm"), Path("/run"))
    files = {str(path) for around in shared for path in around.iterdir() if OURS.search(path.name)}
    return {
        "processes": processes,
        "interfaces": set(os.listdir("/sys/class/net")),
        "mounts": set(Path("/proc/self/mounts").read_text().splitlines()),
        "files": files | {str(path) for path in folder.iterdir()},
    }


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """The program whose ranks say where they are and what they have, for each of Debian's MPI libraries."""
    folder = tmp_path_factory.mktemp("ranks")
    for mpi in ("mpich", "openmpi"):
        words = [f"mpicc.{mpi}", "-O1", "-o", folder / mpi, Path(__file__).parent / "slurm_ranks.c", "-ldl"]
        subprocess.run(words, check=True, timeout=PATIENCE_S)
    return folder


@pytest.fixture
def nothing_left(monkeypatch, tmp_path_factory):
    """Temporary files of the test have a folder of their own, with a name as short as that of the usual one."""
    mark = f"{MARK}={os.getpid()}.{time.monotonic_ns()}"
    monkeypatch.setenv(*mark.split("="))
    tmp_path_factory.getbasetemp()  # not below the folder
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        Path(folder).chmod(0o1777)  # some tests become another user
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        look = functools.partial(left_behind, mark.encode(), Path(folder))
        before = look()
        yield
        until = time.monotonic() + 60  # the kernel ends a lab's processes when it gets to it
        while (new := added(before, look())) and time.monotonic() < until:
            time.sleep(0.05)
        assert not new


def added(before, after):
    """What is there now and was not before."""
    return {what: after[what] - before[what] for what in after if after[what] - before[what]}


MESSAGES_COST = "shared=80us,shared-byte=4ns"
"""What a lab has measured on a busy machine of two processors; to measure it takes as long as many a job."""


@pytest.fixture
def trunkline():
    """Run the command as a user does; but what messages cost is given to jobs, unless ``costs`` is None."""

    def run(*words, costs=MESSAGES_COST, **options):
        if words[:2] == ("lab", "run") and costs is not None:
            options["env"] = {"TRUNKLINE_HOST_COSTS": costs, **(options.get("env") or os.environ)}
        options = {"timeout": PATIENCE_S, "stdin": subprocess.DEVNULL} | options
        return run_job([sys.executable, "-m", "trunkline", *words], **options)

    return run


@pytest.fixture(scope="session")
def program():
    """Path of a program that the test build made for an MPI library."""

    def find(name, mpi):
        path = BUILD / "tests" / "runtime" / f"runtime-{name}-{mpi}"
        assert path.exists(), f"{path} is missing: build the tests first (make test)"
        return str(path)

    return find
