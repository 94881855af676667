"""Broadcasts by multicast: the protocol in a time of its own, and with real sockets.

The first runs thousands of calls in one process: datagrams get lost, come twice, late and in another order; ranks are
late, deaf, mute, or give up. TRUNKLINE_TEST_MULTICAST: how many; 2000 by default.
"""

import os

import pytest
from conftest import Mpi

GROUPS = ["datatypes", "large counts", "communicators", "errors", "isolation", "threads", "sizes"]
LINE = {"TRUNKLINE_CLUSTER": "cyclic"}
CALLS = int(os.environ.get("TRUNKLINE_TEST_MULTICAST", "2000"))


def test_the_protocol_survives_any_weather(any_mpi: Mpi):
    any_mpi.run(1, any_mpi.program("runtime-multicast"), str(CALLS), "1", preload=None)


@pytest.mark.parametrize("ranks", [2, 5])
def test_everything_mpi_allows(any_mpi: Mpi, ranks: int):
    any_mpi.suite(ranks, GROUPS, ["multicast"], settings=LINE)


def test_more_than_a_window(any_mpi: Mpi):
    any_mpi.suite(5, ["window"], ["multicast"], settings=LINE)


def test_an_error_in_the_middle(any_mpi: Mpi):
    """Two ranks that disagree about the message: what a rank hears is another call, and it says so."""
    any_mpi.suite(2, ["truncation"], ["multicast"], settings=LINE)
