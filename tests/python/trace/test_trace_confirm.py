"""Suggestions that are tried: jobs that do not do what they should are told, and good ones give the gain."""

import sys

import pytest
from made_run import write_run
from test_trace_suggest import bad_plans, plan_of, rooms, ways  # noqa: F401 (rooms is a fixture)

COMMAND = ("--confirm", "--pairs", "2", "--json", "-", "--")


@pytest.fixture
def bad_run(tmp_path, rooms):  # noqa: F811
    """A folder with the trace of a tree that is too deep."""
    plan, link_us = bad_plans(rooms)["too deep"]
    out = tmp_path / "out"
    out.mkdir()
    write_run(out, plan, rooms, link_us=link_us)
    return out


def job_of(tmp_path, body):
    """A program that stands for a job: it sees the settings of its ranks."""
    script = tmp_path / "job.py"
    script.write_text(body)
    return sys.executable, script


REPLAY = """
import os, sys
sys.path[:0] = {path!r}
from made_run import write_run
from trunkline import _core
from pathlib import Path
from test_trace_suggest import TWO_ROOMS, ways
cluster = _core.parse_cluster(TWO_ROOMS, "two-rooms.yaml")
plan = _core.read_plan(os.environ["TRUNKLINE_PLAN"])
write_run(Path(os.environ["TRUNKLINE_TRACE"]), plan, cluster, link_us=ways(cluster, cluster.hosts))
"""


def test_the_gain_is_that_of_the_jobs(bad_run, tmp_path, trunkline):
    done = trunkline("trace", "analyse", bad_run, *COMMAND, *job_of(tmp_path, REPLAY.format(path=sys.path)))
    assert done.status == 0, done
    told = done.data["confirmed"]
    assert told["pairs"] == 2
    assert told["gain"] == pytest.approx(told["before_us"] / told["after_us"])
    assert 1.0 < told["gain_low"] <= told["gain"] <= told["gain_high"]
    assert told["predicted_gain"] == pytest.approx(done.data["groups"][0]["suggestions"][0]["predicted_gain"])
    assert (bad_run / "confirm-1" / "edited.yaml").exists()
    again = trunkline("trace", "analyse", bad_run, *COMMAND, *job_of(tmp_path, REPLAY.format(path=sys.path)))
    assert again.status == 0, again
    assert (bad_run / "confirm-2" / "edited.yaml").exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import sys; print('no host n7'); sys.exit(3)", "the job ended with status 3"),
        ("", "the job left no trace: TRUNKLINE_PLAN and TRUNKLINE_TRACE did not reach its ranks"),
    ],
)
def test_bad_jobs_are_told(bad_run, tmp_path, trunkline, body, message):
    done = trunkline("trace", "analyse", bad_run, *COMMAND, *job_of(tmp_path, body))
    assert done.status == 1, done
    assert message in " ".join(done.error.split())
    assert ("no host n7" in done.error) == ("n7" in body)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--confirm"], "--confirm: give the command that starts the job after --"),
        (["--", "mpiexec"], "'mpiexec': a command is for --confirm alone"),
        (["--confirm", "--", "no-such-program"], "cannot run 'no-such-program': no such program"),
    ],
)
def test_wrong_words_are_refused(bad_run, refused, words, message):
    assert refused("trace", "analyse", bad_run, *words).startswith(message)


def test_a_good_plan_has_nothing_to_confirm(tmp_path, rooms, trunkline):  # noqa: F811
    write_run(tmp_path, plan_of(rooms, [None, 0, 0, 0]), rooms, link_us=ways(rooms, rooms.hosts))
    done = trunkline("trace", "analyse", tmp_path, *COMMAND, "false")
    assert done.status == 0, done
    assert done.data["confirmed"] is None
    assert "nothing to confirm: there is no suggestion" in done.error
