"""Executors by steps that never block, and the events that they tell."""

import pytest
from conftest import Mpi

ALGORITHMS = ["unaware-linear", "binomial", "circulant", "scatter-doubling"]


@pytest.mark.parametrize("ranks", [2, 5])
def test_two_broadcasts_at_once_by_steps(any_mpi: Mpi, ranks: int):
    any_mpi.run(ranks, any_mpi.program("runtime-steps"), *ALGORITHMS, preload=None)
