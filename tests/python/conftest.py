import json
import os
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, settings

# Workers of pytest-xdist set it, for no terminal; consoles look at it as the command is imported.
os.environ.pop("COLUMNS", None)

from imported import import_all

from trunkline.cli import main

# A busy machine is slow, not wrong.
settings.register_profile("trunkline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trunkline")


MOST_SECONDS = 600
"""Of a command: for those that hang. On a busy machine a simulation of 20 s has taken more than a minute."""


@dataclass
class Ran:
    """How a command ended and what it said."""

    status: int
    out: str
    error: str

    @property
    def data(self):
        assert self.out, f"nothing on standard output, status {self.status}: {self.error}"
        return json.loads(self.out)


def _be_the_command(words, cwd, out, error):
    """In a child: what ``python -m trunkline`` does, without the start and the imports that take most of its time."""
    status = 1
    try:
        signal.alarm(MOST_SECONDS)
        os.chdir(cwd or os.getcwd())
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(error.fileno(), 2)
        sys.argv = ["trunkline", *words]
        with open(0) as sys.stdin, open(1, "w") as sys.stdout, open(2, "w") as sys.stderr:
            try:
                main()
                status = 0
            except SystemExit as ended:
                status = ended.code or 0
    except BaseException:
        error.write(traceback.format_exc())
        error.flush()
    finally:
        os._exit(status)


@pytest.fixture(scope="session")
def trunkline():
    """Runs the command in a process of its own."""
    import_all()

    def run(*words, cwd=None):
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as error:
            child = os.fork()
            if child == 0:
                _be_the_command([str(word) for word in words], cwd, out, error)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            out.seek(0)
            error.seek(0)
            ran = Ran(status, out.read(), error.read())
        assert "Traceback" not in ran.error, ran.error
        return ran

    return run


@pytest.fixture
def refused(trunkline):
    """Runs a command that must be refused as bad input; gives its one message."""

    def run(*words, **options):
        ended = trunkline(*words, **options)
        assert (ended.status, ended.out) == (2, ""), ended
        assert ended.error.startswith("trunkline: ")
        return ended.error.removeprefix("trunkline: ").rstrip("\n")

    return run


@pytest.fixture
def measured_tables(tmp_path):
    """Writes tables as ``trunkline measure`` would, for hosts of one switch; gives the file."""

    def write(cluster, mpi="mpich", eager_limit="64KiB"):
        file = tmp_path / f"{mpi}.yaml"
        file.write_text(
            f'trunkline: measurement/1\ndate: "2026-01-31"\ncluster: {cluster.name}\n'
            f'cluster_fingerprint: "{cluster.fingerprint:016x}"\nmpi: {mpi}\nmpi_version: "4.0.2"\ndistances:\n'
            f"  - channels: 2\n    between: [h0, h4]\n    eager_limit: {eager_limit}\n    points:\n"
            "      - {size: 256B, round_trip: 280us, gap: 30us, send: 10us, receive: 10us, spread: 0.005}\n"
            "      - {size: 8KiB, round_trip: 2038us, gap: 695us, send: 20us, receive: 20us, spread: 0.005}\n"
        )
        return file

    return write
