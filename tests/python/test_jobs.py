"""How tests start jobs (``tests/shared/jobs.py``): what is started once more, and what a late job tells."""

import subprocess

import pytest
from jobs import run_job


@pytest.fixture
def launcher(tmp_path):
    """A launcher that says so, and ends so, as often as is asked for, and is right from then on; and its starts."""

    def make(said, status, times):
        starts = tmp_path / "starts"
        file = tmp_path / "launcher"
        file.write_text(
            f"#!/bin/sh\necho start >>{starts}\n"
            f"[ $(wc -l <{starts}) -gt {times} ] && exit 0\necho {said} >&2\nexit {status}\n"
        )
        file.chmod(0o755)
        return [file], lambda: len(starts.read_text().splitlines())

    return make


@pytest.mark.parametrize(
    ("said", "status", "times", "again", "ends", "starts"),
    [
        ("rank 1 exiting improperly", 1, 1, True, 0, 2),
        ("rank 1 exiting improperly", 1, 9, True, 1, 2),  # it really does
        ("rank 1 exiting improperly", 1, 1, False, 1, 1),
        ("rank 1 exiting improperly", 3, 1, True, 3, 1),
        ("another fault", 1, 1, True, 1, 1),
    ],
)
def test_one_known_fault_of_a_launcher_is_tried_once_more(launcher, said, status, times, again, ends, starts):
    words, counted = launcher(said, status, times)
    assert run_job(words, again=again).returncode == ends
    assert counted() == starts


def test_a_job_that_is_late_tells_what_it_had_said():
    with pytest.raises(subprocess.TimeoutExpired) as late:
        run_job(["sh", "-c", "echo so far; exec sleep 60"], timeout=0.5)
    assert "so far" in late.value.__notes__[0]


def test_a_job_that_is_late_tells_what_its_ranks_said_in_a_file(tmp_path):
    said = tmp_path / "said"
    with pytest.raises(subprocess.TimeoutExpired) as late:
        run_job(["sh", "-c", f"echo rank 0 is here >{said}; exec sleep 60"], said=said, timeout=0.5)
    assert "rank 0 is here" in late.value.__notes__[0]


def test_what_ranks_say_in_a_file_is_that_of_the_last_start(launcher, tmp_path):
    words, _ = launcher("rank 1 exiting improperly", 1, 1)
    said = tmp_path / "said"
    words = ["sh", "-c", f'echo "of $$" >>{said}; exec "$0"', *words]
    done = run_job(words, said=said)
    assert done.returncode == 0
    assert done.stderr.count("of ") == 1
