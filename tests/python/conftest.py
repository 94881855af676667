import json
import subprocess
import sys
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong.
settings.register_profile("trunkline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trunkline")


@dataclass
class Ran:
    """How a command ended and what it said."""

    status: int
    out: str
    error: str

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def trunkline():
    """Runs the command as people do, in a process of its own."""

    def run(*words, cwd=None):
        ended = subprocess.run(
            [sys.executable, "-m", "trunkline", *map(str, words)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=cwd,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Ran(ended.returncode, ended.stdout, ended.stderr)

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
