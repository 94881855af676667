"""The model of the multicast protocol, in part: ``make model`` searches all of it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[1] / "model" / "run.py"


@pytest.mark.skipif(shutil.which("spin") is None, reason="Debian's spin is not installed")
def test_the_model_is_right_and_a_mutation_is_seen(tmp_path):
    names = ["chain-loss", "deaf-leaf", "mute", "late", "polls_are_news"]
    ran = subprocess.run([sys.executable, RUN, "--build", tmp_path, *names], text=True, capture_output=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count(" right ") == 4, ran.stdout
    assert ran.stdout.count("is seen: never stuck") == 2, ran.stdout
