"""What MPI allows, on any number of ranks: the cases of programs/*_cases.cpp."""

from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, ONE_VERSION, Mpi
from explained import explained

CLUSTERS = Path(__file__).parents[2] / "clusters"
GROUPS = ["datatypes", "large counts", "communicators", "errors", "isolation", "threads", "sizes"]
LINE = {"TRUNKLINE_CLUSTER": "cyclic"}
REDUCTIONS = ["reductions", "operations"]
SHARES = ["shares"]
SENT = ["datatypes", "sizes"]

SYSTEM, OTHERS, ALL = "the system's version", "other versions", "all versions"
Row = tuple[str, list[str], str]
"""Versions of a library, groups, and choices, with segments small enough to be many."""
ROWS: dict[int, list[Row]] = {
    2: [
        (SYSTEM, GROUPS, "native linear:100 unaware-linear:64 unaware-linear circulant:64 scatter-ring:64"),
        # An error in the middle. Two ranks and one segment: with more, MPI leaves open what the others see.
        (SYSTEM, ["truncation"], "linear:1448 two-tree:1448 circulant:1448 scatter-ring:1448"),
        (SYSTEM, REDUCTIONS, "native linear:100 unaware-linear:64 binomial ring:64 unaware-recursive-doubling:100"),
        (SYSTEM, SHARES, "native ring:64 unaware-ring:1000 linear phases:100"),
    ],
    3: [
        (SYSTEM, GROUPS, "linear:64 linear auto"),
        (OTHERS, GROUPS, "linear:100"),
        (SYSTEM, SENT, "scatter-doubling:100"),
        (ALL, REDUCTIONS, "linear:64 auto flat:100 ring:100 halving-doubling:64 recursive-doubling"),
        (SYSTEM, REDUCTIONS, "circulant:100"),  # which has none
        (SYSTEM, ["far elements"], "ring ring:1000"),
        (ALL, ["throwing operations"], "linear:100 two-tree:100 ring:100"),
        (ALL, SHARES, "ring:100 auto binary by-sites-linear:100 phases:64"),
    ],
    4: [
        (SYSTEM, GROUPS, "two-tree:100 unaware-linear:1448"),
        (SYSTEM, REDUCTIONS, "two-tree:100 binary:1448 unaware-ring:64 unaware-halving-doubling:100 swing:64"),
        (SYSTEM, SHARES, "unaware-ring:64 two-tree phases"),
    ],
    5: [
        (SYSTEM, GROUPS, "circulant:100 scatter-doubling:64"),
        (
            SYSTEM,
            ["window"],
            "two-tree:1448 two-tree:16384 two-tree:1048576 circulant:1448 circulant:1048576 scatter-ring:1448",
        ),
    ],
    6: [(SYSTEM, GROUPS, "scatter-ring:100 circulant")],
    7: [
        (SYSTEM, SENT, "two-tree:64 binary:100 3-ary:64 flat:200 binomial:100"),
        (
            ALL,
            REDUCTIONS,
            "two-tree:64 3-ary:100 ring:1000 halving-doubling mixed-radix:64 staggered-radix:64 lane-ring:100",
        ),
        (ALL, REDUCTIONS, "recursive-doubling:64 unaware-swing"),
        (SYSTEM, ["reductions"], "hierarchical-3-nomial:100"),
        (ALL, SHARES, "ring:1000 lane-ring:100 lane-direct:1000 ring:16384 phases:1000 binomial by-sites-3-ary:1000"),
    ],
    8: [(SYSTEM, SENT, "scatter-doubling:64")],
    9: [(SYSTEM, SENT, "unaware-scatter-ring")],
    11: [(SYSTEM, SENT, "circulant:1000")],
    # On few processors polling ranks are slow: only what more ranks can change.
    13: [
        (SYSTEM, ["communicators", "sizes"], "two-tree:1000"),
        (SYSTEM, ["reductions"], "two-tree:1000 ring:1000"),
        (SYSTEM, SHARES, "ring:1000"),
    ],
}


@pytest.mark.parametrize(
    "ranks",
    [
        pytest.param(ranks, marks=ONE_VERSION if all(versions == SYSTEM for versions, _, _ in rows) else ())
        for ranks, rows in ROWS.items()
    ],
)
def test_everything_mpi_allows(any_mpi: Mpi, ranks: int):
    """Broadcasts, reductions, by trees and, where there are such, by rounds, and shares: all in one job."""
    wanted = (ALL, SYSTEM if any_mpi.name == any_mpi.family else OTHERS)
    parts = [(groups, choices.split()) for versions, groups, choices in ROWS[ranks] if versions in wanted]
    any_mpi.suites(ranks, parts, settings=LINE)


def test_a_matrix_is_transposed(mpi: Mpi):
    settings = LINE | {"TRUNKLINE_ALLTOALL": "phases", "TRUNKLINE_EXPLAIN": "json"}
    done = mpi.run(5, mpi.program("runtime-transpose"), "20", "3", "--check", settings=settings, per_rank=[ON_OWN_HOST])
    assert "5 ranks, 3200 bytes a pair" in done.out
    assert ", 0 wrong numbers" in done.out
    assert {one["algorithm"] for one in explained(done.err, collective="alltoall")} == {"phases"}


def test_a_square_is_transformed(mpi: Mpi):
    settings = LINE | {"TRUNKLINE_ALLTOALL": "phases", "TRUNKLINE_EXPLAIN": "json"}
    done = mpi.run(4, mpi.program("runtime-fourier"), "16", "2", settings=settings, per_rank=[ON_OWN_HOST])
    assert "4 ranks, 64 x 64 numbers, 4096 bytes a pair" in done.out
    assert done.out.endswith("in MPI_Alltoall, right\n")
    assert {one["algorithm"] for one in explained(done.err, collective="alltoall")} == {"phases"}


def test_natively_too(mpi: Mpi):
    """The cases hold without the library: what they ask for is MPI's contract, not ours."""
    groups = [*GROUPS, *REDUCTIONS, *SHARES]
    done = mpi.run(3, mpi.program("runtime-test"), "--groups", ",".join(groups), preload=None)
    assert " passed, 0 failed" in done.out


def test_without_a_cluster(mpi: Mpi):
    mpi.suite(4, ["datatypes", "communicators"], ["unaware-linear:128"])


def test_more_than_a_window(mpi: Mpi):
    mpi.suite(3, ["window"], ["unaware-linear:1448", "unaware-linear:16384", "unaware-linear:1048576"])


@pytest.mark.parametrize(
    ("ranks", "choices"), [(5, ["two-tree:31816", "linear:130280"]), (4, ["binary:1048312", "scatter-ring:262048"])]
)
def test_segments_above_the_eager_limit(any_mpi: Mpi, tmp_path: Path, ranks: int, choices: list[str]):
    """On links so fast that the window is at its widest."""
    fast = (CLUSTERS / "cyclic.yaml").read_text(encoding="utf-8").replace("rate: 100Mbit", "rate: 100Gbit")
    (tmp_path / "fast.yaml").write_text(fast, encoding="utf-8")
    any_mpi.suite(ranks, ["window", "sizes"], choices, settings={"TRUNKLINE_CLUSTER": str(tmp_path / "fast.yaml")})


def test_as_many_communicators_as_the_library_has(mpi: Mpi):
    mpi.suite(2, ["many communicators"], ["unaware-linear:64"])


def test_more_communicators_than_can_be_told_apart(mpi: Mpi):
    if mpi.family == "mpich":
        pytest.skip("MPICH has fewer communicators than our tags can tell apart")
    mpi.suite(2, ["too many communicators"], ["unaware-linear:64"])


def test_communicators_leave_nothing_behind(mpi: Mpi):
    mpi.suite(2, ["leaks"], ["unaware-linear:64"])


def test_beyond_2_gib(mpi: Mpi):
    """Arithmetic of the executors' own: trees under one library, rounds under the other."""
    choice = "unaware-linear:262144" if mpi.family == "mpich" else "circulant:262144"
    mpi.suite(2, ["huge"], [choice])
