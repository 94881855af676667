"""Whatever rounds the checker accepts are executed right over MPI too: random plans of every collective, late ranks.

Many more of them run between threads (test_threads.py). TRUNKLINE_TEST_ROUNDS: how many plans of each collective, 10 by
default. The seed is fixed: a plan that goes wrong does so again.
"""

import os
from pathlib import Path

import pytest
from conftest import Mpi
from explained import JSON, explained

ON_SHARED_HOST = Path(__file__).with_name("on_shared_host.sh")
PLANS = os.environ.get("TRUNKLINE_TEST_ROUNDS", "10")


def test_random_rounds(any_mpi: Mpi):
    any_mpi.run(5, any_mpi.program("runtime-rounds"), PLANS, "5", preload=None)


BY_ROUNDS = """\
trunkline: plan/1
collective: {collective}
shape: custom
segment: 64B
ranks: 3
root: 0
rounds:
  blocks: 2
  transfers:
    - [{{from: 2, to: 1, blocks: 0-1, add: true}}]
    - [{{from: 1, to: 0, blocks: 0-1, add: true}}]
    - [{{from: 0, to: 1, blocks: 0-1}}]
    - [{{from: 1, to: 2, blocks: 0-1}}]
"""


@pytest.mark.parametrize("collective", ["reduce", "barrier"])
def test_plan_files_of_what_trees_serve_too(mpi: Mpi, tmp_path: Path, collective: str):
    plan = tmp_path / "plan.yaml"
    plan.write_text(BY_ROUNDS.format(collective=collective))
    settings = {"TRUNKLINE_PLAN": str(plan)} | JSON
    done = mpi.run(3, mpi.program("runtime-mixed"), "100", "7", "1", "auto", settings=settings)
    assert explained(done.err, collective=collective, algorithm="custom", chosen_by="plan"), done.err


def test_short_calls_send_nothing_synchronously(any_mpi: Mpi):
    """Who waits for the word that a message has come waits one more way through the network; long calls have to."""
    settings = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST_MEMORY": "0", "TRUNKLINE_ALLREDUCE": "4-lane-radix:1KiB"}
    program = any_mpi.program("runtime-synchronous")
    words = (program, "8", "1024", "2000000")
    done = any_mpi.run(15, *words, settings=settings | {"RANKS_PER_HOST": "3"}, per_rank=[ON_SHARED_HOST])
    assert "wrong" not in done.err, done.err
    *short, long = [int(line.split()[2]) for line in done.out.splitlines()]
    assert short == [0, 0]
    assert long > 0
