"""Whatever rounds the checker accepts are executed right: random plans of every collective, with late ranks.

TRUNKLINE_TEST_ROUNDS: how many plans of each collective and number of ranks, 60 by default. The seed is fixed: a
plan that goes wrong does so again.
"""

import os

import pytest
from conftest import Mpi

PLANS = os.environ.get("TRUNKLINE_TEST_ROUNDS", "60")
COLLECTIVES = [
    "bcast",
    "reduce",
    "allreduce",
    "barrier",
    "reduce-scatter",
    "reduce-scatter-block",
    "allgather",
    "allgatherv",
]


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("ranks", [3, 4, 6])
def test_random_rounds(any_mpi: Mpi, collective: str, ranks: int):
    any_mpi.run(ranks, any_mpi.program("runtime-rounds"), collective, PLANS, str(ranks), preload=None)
