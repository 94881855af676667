"""What MPI allows, on any number of ranks: the cases of programs/*_cases.cpp, with segments small enough to be many."""

from pathlib import Path

import pytest
from conftest import Mpi

CLUSTERS = Path(__file__).parents[2] / "clusters"
GROUPS = ["datatypes", "large counts", "communicators", "errors", "isolation", "threads", "sizes"]
LINE = {"TRUNKLINE_CLUSTER": "cyclic"}


@pytest.mark.parametrize(
    ("ranks", "choices"),
    [
        (2, ["native", "linear:100", "unaware-linear:64", "unaware-linear", "circulant:64", "scatter-ring:64"]),
        (3, ["linear:64", "linear", "auto"]),
        (4, ["two-tree:100", "unaware-linear:1448"]),
        (5, ["circulant:100", "scatter-doubling:64"]),
        (6, ["scatter-ring:100", "circulant"]),
    ],
)
def test_everything_mpi_allows(mpi: Mpi, ranks: int, choices: list[str]):
    mpi.suite(ranks, GROUPS, choices, settings=LINE)


def test_many_ranks(mpi: Mpi):
    """On few processors polling ranks are slow: only what more ranks can change."""
    mpi.suite(13, ["communicators", "sizes"], ["two-tree:1000"], settings=LINE)


def test_every_kind_of_tree(mpi: Mpi):
    choices = ["two-tree:64", "binary:100", "3-ary:64", "flat:200", "binomial:100"]
    mpi.suite(7, ["datatypes", "sizes"], choices, settings=LINE)


@pytest.mark.parametrize(
    ("ranks", "choice"),
    [
        (11, "circulant:1000"),
        (8, "scatter-doubling:64"),
        (9, "unaware-scatter-ring"),
        (3, "scatter-doubling:100"),
    ],
)
def test_every_way_by_rounds(mpi: Mpi, ranks: int, choice: str):
    mpi.suite(ranks, ["datatypes", "sizes"], [choice], settings=LINE)


def test_other_installed_versions(other_mpi: Mpi):
    other_mpi.suite(3, GROUPS, ["linear:100"], settings=LINE)


def test_natively_too(mpi: Mpi):
    """The cases hold without the library: what they ask for is MPI's contract, not ours."""
    done = mpi.run(3, mpi.program("runtime-test"), "--groups", ",".join(GROUPS), preload=None)
    assert " passed, 0 failed" in done.out


def test_without_a_cluster(mpi: Mpi):
    mpi.suite(4, ["datatypes", "communicators"], ["unaware-linear:128"])


def test_more_than_a_window(mpi: Mpi):
    mpi.suite(3, ["window"], ["unaware-linear:1448", "unaware-linear:16384", "unaware-linear:1048576"])
    mpi.suite(5, ["window"], ["two-tree:1448", "two-tree:16384", "two-tree:1048576"], settings=LINE)
    mpi.suite(5, ["window"], ["circulant:1448", "circulant:1048576", "scatter-ring:1448"], settings=LINE)


@pytest.mark.parametrize(
    ("ranks", "choices"), [(5, ["two-tree:31816", "linear:130280"]), (4, ["binary:1048312", "scatter-ring:262048"])]
)
def test_segments_above_the_eager_limit(any_mpi: Mpi, tmp_path: Path, ranks: int, choices: list[str]):
    """On links so fast that the window is at its widest."""
    fast = (CLUSTERS / "cyclic.yaml").read_text(encoding="utf-8").replace("rate: 100Mbit", "rate: 100Gbit")
    (tmp_path / "fast.yaml").write_text(fast, encoding="utf-8")
    any_mpi.suite(ranks, ["window", "sizes"], choices, settings={"TRUNKLINE_CLUSTER": str(tmp_path / "fast.yaml")})


def test_an_error_in_the_middle(mpi: Mpi):
    """Two ranks and one segment: with more, MPI leaves open what the others see."""
    mpi.suite(2, ["truncation"], ["linear:1448", "two-tree:1448", "circulant:1448", "scatter-ring:1448"], settings=LINE)


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
