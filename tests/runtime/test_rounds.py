"""Whatever rounds the checker accepts are executed right over MPI too: random plans of every collective, late ranks.

Many more of them run between threads (test_threads.py). TRUNKLINE_TEST_ROUNDS: how many plans of each collective, 10 by
default. The seed is fixed: a plan that goes wrong does so again.
"""

import os
from pathlib import Path

import pytest
from conftest import Mpi

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


@pytest.mark.parametrize(("collective", "call"), [("reduce", "MPI_Reduce"), ("barrier", "MPI_Barrier")])
def test_plan_files_of_what_trees_serve_too(mpi: Mpi, tmp_path: Path, collective: str, call: str):
    plan = tmp_path / "plan.yaml"
    plan.write_text(BY_ROUNDS.format(collective=collective))
    settings = {"TRUNKLINE_PLAN": str(plan), "TRUNKLINE_EXPLAIN": "1"}
    done = mpi.run(3, mpi.program("runtime-mixed"), "100", "7", "1", "auto", settings=settings)
    assert any(f"{call} " in line and "ran custom" in line for line in done.lines("trunkline: ")), done.err
