"""Suggestions for rounds: what `auto` would run on the network as it was traced, or why nothing can be said."""

import sys

import pytest
from made_rounds import ring_of, write_ring
from test_trace_suggest import TWO_ROOMS, rooms  # noqa: F401 (a fixture)

from trunkline import _core
from trunkline.trace.analysis import analyse
from trunkline.trace.critical_path import PathStage
from trunkline.trace.folder import find_job
from trunkline.trace.other_algorithms import OtherAlgorithm
from trunkline.trace.suggest import advice_for
from trunkline.trace.words import suggestion_text

SIZE = 1 << 20
EVEN = TWO_ROOMS.replace("{between: [s0, s1], rate: 10Mbit}", "{between: [s0, s1], rate: 1Gbit}")


def block_us(ranks, bps):
    return 8e6 * SIZE / ranks / bps


def advice(folder):
    found = analyse(find_job(str(folder)))
    return found, advice_for(found, found.groups[0])


def test_a_ring_over_a_thin_trunk(tmp_path, rooms):  # noqa: F811
    """All of a message passes it nearly twice each way, and once by trees."""
    plan = ring_of(rooms, 16)
    near, far = block_us(16, 100e6), block_us(16, 10e6)
    write_ring(tmp_path, plan, rooms, lambda a, b: far if plan.host_of_rank[a][0] != plan.host_of_rank[b][0] else near)
    found, given = advice(tmp_path)
    [step] = given.steps
    assert isinstance(step, OtherAlgorithm)
    name, _, words = step.command.partition("=")
    assert name == "TRUNKLINE_ALLREDUCE"
    assert words.partition(":")[0] in _core.algorithm_names("allreduce")
    assert step.gain > 1.4
    assert step.slow == []
    assert isinstance(step.attacks, PathStage)
    hosts = found.job.hosts
    assert hosts[step.attacks.sender][0] != hosts[step.attacks.rank][0], "the trunk is what costs"
    assert step.settings(tmp_path) == {name: words}
    assert "(predicted times: 19 of 20 of ours were within 15 % of the true time)" in suggestion_text(
        found, step, "allreduce"
    )


def even(ranks):
    cluster = _core.parse_cluster(EVEN, "even.yaml")
    return cluster, ring_of(cluster, ranks)


def test_a_ring_where_it_belongs_gets_none(tmp_path):
    cluster, plan = even(16)
    write_ring(tmp_path, plan, cluster, lambda *_: block_us(16, 100e6))
    _, given = advice(tmp_path)
    assert (given.steps, given.is_good) == ([], True)
    assert "no other algorithm promises" in given.silent


SLOW = 5


def write_with_slow_host(folder):
    cluster, plan = even(16)
    near = block_us(16, 100e6)
    write_ring(folder, plan, cluster, lambda a, b: 4 * near if SLOW in (a, b) else near)
    return plan


def test_a_slow_host_is_told(tmp_path):
    """Its link takes four times as long; the model is asked about a network where it does."""
    plan = write_with_slow_host(tmp_path)
    _, given = advice(tmp_path)
    [step] = given.steps
    assert step.slow == [plan.host_of_rank[SLOW]]
    assert step.gain > 1.3, "in a tree it is a leaf, and has all of the message once each way"
    assert SLOW in (step.attacks.rank, step.attacks.sender)


def test_times_that_the_model_does_not_know(tmp_path):
    cluster, plan = even(16)
    write_ring(tmp_path, plan, cluster, lambda *_: 10 * block_us(16, 100e6))
    _, given = advice(tmp_path)
    assert (given.steps, given.is_good) == ([], False)
    assert "the model does not know what holds it up" in given.silent


def test_ranks_that_are_not_traced(tmp_path, rooms):  # noqa: F811
    write_ring(tmp_path, ring_of(rooms, 6), rooms, lambda *_: 20.0, ranks=[0, 1, 2])
    _, given = advice(tmp_path)
    assert (given.steps, given.is_good) == ([], False)
    assert "the trace lacks some of the plan's ranks" in given.silent


REPLAY = """
import os, sys
sys.path[:0] = {path!r}
from pathlib import Path
from made_rounds import ring_of, write_ring
from trunkline import _core
cluster = _core.read_cluster({cluster!r})
is_other = "TRUNKLINE_ALLREDUCE" in os.environ
assert is_other != ("TRUNKLINE_PLAN" in os.environ)
folder, us = Path(os.environ["TRUNKLINE_TRACE"]), 20.0 if is_other else 60.0
write_ring(folder, ring_of(cluster, 4), cluster, lambda *_: us, calls=2)
"""


def test_it_is_confirmed(tmp_path, trunkline):
    out = tmp_path / "out"
    out.mkdir()
    write_with_slow_host(out)
    job = tmp_path / "job.py"
    (tmp_path / "even.yaml").write_text(EVEN)
    job.write_text(REPLAY.format(path=sys.path, cluster=str(tmp_path / "even.yaml")))
    done = trunkline("trace", "analyse", out, "--confirm", "--pairs", "1", "--json", "-", "--", sys.executable, job)
    assert done.status == 0, done
    assert done.data["confirmed"]["edit"].startswith("TRUNKLINE_ALLREDUCE=")
    assert done.data["confirmed"]["gain"] == pytest.approx(3.0, rel=0.1)
