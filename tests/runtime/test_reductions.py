"""Reductions, on any number of ranks and every kind of tree, with segments small enough to be many."""

from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, ONE_VERSION, Mpi
from test_matrix import LINE

GROUPS = ["reductions", "operations"]


@pytest.mark.parametrize(
    ("ranks", "choices"),
    [
        pytest.param(
            2,
            ["native", "linear:100", "unaware-linear:64", "binomial", "ring:64", "unaware-recursive-doubling:100"],
            marks=ONE_VERSION,
        ),
        (3, ["linear:64", "auto", "flat:100", "ring:100", "halving-doubling:64", "recursive-doubling"]),
        pytest.param(
            4,
            ["two-tree:100", "binary:1448", "unaware-ring:64", "unaware-halving-doubling:100", "swing:64"],
            marks=ONE_VERSION,
        ),
        (
            7,
            [
                "two-tree:64",
                "3-ary:100",
                "ring:1000",
                "halving-doubling",
                "mixed-radix:64",
                "staggered-radix:64",
                "lane-ring:100",
                "recursive-doubling:64",
                "unaware-swing",
            ],
        ),
    ],
)
def test_every_reduction(any_mpi: Mpi, ranks: int, choices: list[str]):
    """By trees and, where there are such, by rounds."""
    any_mpi.suite(ranks, GROUPS, choices, settings=LINE)


@ONE_VERSION
def test_many_ranks(any_mpi: Mpi):
    any_mpi.suite(13, ["reductions"], ["two-tree:1000", "ring:1000"], settings=LINE)


@ONE_VERSION
def test_trees_of_two_storeys(any_mpi: Mpi):
    any_mpi.suite(7, ["reductions"], ["hierarchical-3-nomial:100"], settings=LINE)


def test_what_has_no_reduction_is_native(mpi: Mpi):
    mpi.suite(3, GROUPS, ["circulant:100"], settings=LINE)


def test_natively_too(mpi: Mpi):
    """The cases hold without the library: what they ask for is MPI's contract, not ours."""
    done = mpi.run(3, mpi.program("runtime-test"), "--groups", ",".join(GROUPS), preload=None)
    assert " passed, 0 failed" in done.out


def test_elements_far_apart(mpi: Mpi):
    mpi.suite(3, ["far elements"], ["ring", "ring:1000"], settings=LINE)


def test_operations_that_throw(any_mpi: Mpi):
    any_mpi.suite(3, ["throwing operations"], ["linear:100", "two-tree:100", "ring:100"], settings=LINE)


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
    any_mpi.suite(ranks, GROUPS, ["by-sites-binary:64", "by-sites-4-ary:1000"], settings=settings)
    any_mpi.suite(ranks, ["operands by rank"], ["by-sites-8-ary:64"], settings=settings)
    any_mpi.suite(ranks, ["one order"], ["auto"], settings=settings | {"TRUNKLINE_REPRODUCIBLE": "1"})


@pytest.mark.parametrize("settings", [{}, LINE])
def test_one_order_for_every_length(any_mpi: Mpi, settings: dict[str, str]):
    for ranks in (2, 5):
        any_mpi.suite(ranks, ["one order"], ["auto"], settings=settings | {"TRUNKLINE_REPRODUCIBLE": "1"})


def test_a_plan_out_of_rank_order_is_native_and_says_so(mpi: Mpi):
    program = (mpi.program("runtime-test"), "--groups", "operations", "--choices", "two-tree:100")
    done = mpi.run(7, *program, settings=LINE | {"TRUNKLINE_EXPLAIN": "1"}, per_rank=[ON_OWN_HOST])
    reason = "the operation does not commute, and two-tree would not combine its operands in rank order"
    assert any(line.startswith("trunkline: MPI_Allreduce of ") and reason in line for line in done.err.splitlines())
