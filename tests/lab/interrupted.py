"""Commands that a test interrupts."""

import subprocess
import sys


def in_session_of_its_own(*words, error=subprocess.PIPE):
    """A sub-command that signals reach as from a terminal, once what it starts has said that it is up."""
    process = subprocess.Popen(
        [sys.executable, "-m", "trunkline", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=error,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "up\n"
    return process
