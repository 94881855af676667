import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from busy_machine import PATIENCE_S

from trunkline.paths import FABRIC

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRUNKLINE_BUILD", ROOT / "build" / "dev"))

OURS = re.compile(r"trunkline|(ompi|vader_segment|prte|pmix)\.h\d", re.IGNORECASE)
"""Files as a lab, or an MPI library on its hosts, might name them; other people's labs and MPI jobs may be running."""


def pytest_configure():
    """A shell's background job ignores interrupts, and so would the commands that the tests interrupt."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.lab)


def left_behind():
    """What a lab could leave on this machine: processes, interfaces, mounts, files."""
    processes = set()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # Its hosts cannot outlive the first process of the lab.
        if os.fsencode(FABRIC) in words or (b"trunkline.lab.inside" in words and os.fsencode(sys.executable) in words):
            processes.add(words)
    folders = (Path("/tmp"), Path("/dev/shm"), Path("/run"))
    files = {str(path) for folder in folders for path in folder.iterdir() if OURS.search(path.name)}
    return {
        "processes": processes,
        "interfaces": set(os.listdir("/sys/class/net")),
        "mounts": set(Path("/proc/self/mounts").read_text().splitlines()),
        "files": files,
    }


@pytest.fixture
def nothing_left():
    before = left_behind()
    yield
    until = time.monotonic() + 60  # the kernel ends a lab's processes when it gets to it
    while (new := added(before)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not new


def added(before):
    """What is there now and was not before."""
    after = left_behind()
    return {what: after[what] - before[what] for what in after if after[what] - before[what]}


@pytest.fixture
def trunkline():
    """Run the command as a user does."""

    def run(*words, **options):
        options = {"capture_output": True, "text": True, "timeout": PATIENCE_S, "stdin": subprocess.DEVNULL} | options
        return subprocess.run([sys.executable, "-m", "trunkline", *words], **options)

    return run


@pytest.fixture(scope="session")
def program():
    """Path of a program that the test build made for an MPI library."""

    def find(name, mpi):
        path = BUILD / "tests" / "runtime" / f"runtime-{name}-{mpi}"
        assert path.exists(), f"{path} is missing: build the tests first (make test)"
        return str(path)

    return find
