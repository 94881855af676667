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
SAVED = re.compile(r"Save this as `([\w.]+)`")
"""Before a block that is no commands: the name of its file."""


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """What each block of commands printed, by its first line; and the folder."""
    folder = tmp_path_factory.mktemp("tutorial")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = {}
    for block in BLOCK.finditer(PAGE):
        language, text = block.groups()
        if language != "sh":
            name = SAVED.findall(PAGE[: block.start()])[-1]
            assert name.endswith(f".{language}")
            (folder / name).write_text(text)
            continue
        shell = ["bash", "-euo", "pipefail", "-c", text]
        run = subprocess.run(shell, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        assert run.returncode == 0, f"{text}\n{run.stdout}\n{run.stderr}"
        printed[text.splitlines()[0]] = run.stdout + run.stderr
    return printed, folder


def said(typed, first):
    return next(text for line, text in typed[0].items() if line.startswith(first))


pytestmark = pytest.mark.skipif(shutil.which("mpicc.mpich") is None, reason="the tutorial takes Debian's MPICH")


def test_every_command_of_the_tutorial_runs(typed):
    assert len(typed[0]) == 9


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


def test_the_last_step_suggests_a_change_where_there_is_one(typed):
    """Calls follow each other there without a pause, so each begins while the one before still waits at ports."""
    line, slowed = (next(out for out in typed[0].values() if text in out) for text in ("by linear", "by binary"))
    if any("is above what is true on this machine now" in said for said in (line, slowed)):
        pytest.skip("processors are busy, so that times say more of them than of links")
    assert "no suggestion: no step of 'trunkline plan edit' promises to make it 1.1 times faster" in line
    assert "a call takes" not in line, "the model knows what holds it up"
    (command, why, *_) = slowed.partition("\ntrunkline plan edit ")[2].splitlines()
    assert re.search(r"move --rank [67] --to|swap|merge", command), slowed
    assert "node6" in why or "node[" in why
    assert float(re.search(r"as slow as they were traced: ([\d.]+) times faster", why)[1]) > 1.5
