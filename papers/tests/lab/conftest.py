import subprocess
import sys

import pytest
from borrowed import borrow

theirs = borrow("lab")
pytest_configure, nothing_left, trunkline, program = (
    theirs.pytest_configure,
    theirs.nothing_left,
    theirs.trunkline,
    theirs.program,
)


@pytest.fixture
def papers():
    """Runs ``trunkline_papers`` as a user does."""

    def run(*words, **options):
        options = {"timeout": theirs.PATIENCE_S, "stdin": subprocess.DEVNULL} | options
        return theirs.run_job([sys.executable, "-m", "trunkline_papers", *words], **options)

    return run
