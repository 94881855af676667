"""The tutorial, word by word: its files are saved as it says, and its commands typed in their order."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILES = {"yaml": "lab.yaml", "c": "hello.c"}
"""Names under which it says that its blocks are to be saved."""


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """What each block of commands printed, by its first line; and the folder."""
    folder = tmp_path_factory.mktemp("tutorial")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = {}
    for language, text in BLOCK.findall(PAGE):
        if language in FILES:
            assert f"Save this as `{FILES[language]}`" in PAGE
            (folder / FILES[language]).write_text(text)
            continue
        assert language == "sh", "a block of the tutorial is a file or commands"
        shell = ["bash", "-euo", "pipefail", "-c", text]
        run = subprocess.run(shell, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        assert run.returncode == 0, f"{text}\n{run.stdout}\n{run.stderr}"
        printed[text.splitlines()[0]] = run.stdout + run.stderr
    return printed, folder


def said(typed, first):
    (one,) = (text for line, text in typed[0].items() if line.startswith(first))
    return one


pytestmark = pytest.mark.skipif(shutil.which("mpicc.mpich") is None, reason="the tutorial takes Debian's MPICH")


def test_every_command_of_the_tutorial_runs(typed):
    assert len(typed[0]) == 8


def test_its_pictures_pages_and_files_are_there(typed):
    for name in ("lab.svg", "plan.svg", "plan.yaml", "report.html"):
        assert (typed[1] / name).stat().st_size > 200, name


def test_it_is_faster_as_it_says(typed):
    native, ours = map(
        float,
        re.findall(
            r"ten broadcasts of 1 MiB: ([\d.]+) s",
            said(typed, "trunkline lab run --cluster lab.yaml --rate 20Mbit --mpi mpich --native"),
        ),
    )
    assert ours < native
    assert ours >= 4.4, "no link carries it faster"


def test_its_own_plan_runs_and_is_explained(typed):
    assert "1 MiB" in said(typed, "TRUNKLINE_PLAN=plan.yaml")
    assert re.search(r"MPI_Bcast|bcast", said(typed, "TRUNKLINE_EXPLAIN=1"))
    assert "linear" in said(typed, "trunkline explain")
