"""Reductions whose operands have an order; all others are in test_matrix.py."""

from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, ONE_VERSION, Mpi
from explained import JSON, explained
from test_matrix import LINE, REDUCTIONS

IN_ORDER = """\
trunkline: cluster/1
name: in-order
switches: s[0-3]
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - {hosts: 'h[0-1]', switch: s0}
  - {hosts: 'h[2-3]', switch: s1}
  - {hosts: 'h[4-5]', switch: s2}
  - {hosts: h6, switch: s3}
links:
  - between: [s0, s1]
  - between: [s1, s2]
  - between: [s2, s3]
"""


def test_operands_by_rank(any_mpi: Mpi, tmp_path: Path):
    (tmp_path / "in-order.yaml").write_text(IN_ORDER)
    choices = ["linear:64", "flat:100", "unaware-linear:100", "binomial:1000", "auto"]
    any_mpi.suite(7, ["operands by rank"], choices, settings={"TRUNKLINE_CLUSTER": str(tmp_path / "in-order.yaml")})


FAR_APART = """\
trunkline: cluster/1
name: far-apart
switches: s[0-2]
defaults: {rate: 100Mbit, latency: 10us}
hosts:
  - {hosts: 'h[0-2]', switch: s0}
  - {hosts: 'h[3-4]', switch: s1}
  - {hosts: 'h[5-6]', switch: s2}
links:
  - {between: [s0, s1], latency: 30ms}
  - {between: [s1, s2], latency: 10ms}
"""


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=ONE_VERSION), 5, pytest.param(7, marks=ONE_VERSION)])
def test_two_roots_that_exchange(any_mpi: Mpi, tmp_path: Path, ranks: int):
    """Trees by sites, from each side of the longest link; two ranks alone sit on one side of it."""
    (tmp_path / "far-apart.yaml").write_text(FAR_APART)
    settings = {"TRUNKLINE_CLUSTER": str(tmp_path / "far-apart.yaml")}
    parts = [(REDUCTIONS, ["by-sites-binary:64", "by-sites-4-ary:1000"]), (["operands by rank"], ["by-sites-8-ary:64"])]
    any_mpi.suites(ranks, parts, settings=settings)
    any_mpi.suite(ranks, ["one order"], ["auto"], settings=settings | {"TRUNKLINE_REPRODUCIBLE": "1"})


@pytest.mark.parametrize("settings", [{}, LINE])
def test_one_order_for_every_length(any_mpi: Mpi, settings: dict[str, str]):
    for ranks in (2, 5):
        any_mpi.suite(ranks, ["one order"], ["auto"], settings=settings | {"TRUNKLINE_REPRODUCIBLE": "1"})


def test_a_plan_out_of_rank_order_is_native_and_says_so(mpi: Mpi):
    program = (mpi.program("runtime-test"), "--groups", "operations", "--choices", "two-tree:100")
    done = mpi.run(7, *program, settings=LINE | JSON, per_rank=[ON_OWN_HOST])
    reason = "the operation does not commute, and two-tree would not combine its operands in rank order"
    assert explained(done.err, collective="allreduce", algorithm="native", chosen_by="none", reason=reason), done.err
