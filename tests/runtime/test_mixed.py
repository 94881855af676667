"""All collectives mixed in one program: none of them may take what another one is sent."""

import pytest
from conftest import ON_OWN_HOST, Mpi, Outcome

CLUSTER = {"TRUNKLINE_CLUSTER": "cyclic"}
TREES = ("bcast", "reduce", "allreduce")


def mixed(mpi: Mpi, ranks: int, calls: int, threads: int, choices: list[str], seed: str = "11") -> Outcome:
    words = [mpi.program("runtime-mixed"), str(calls), seed, str(threads), *choices]
    return mpi.run(ranks, *words, settings=CLUSTER, per_rank=[ON_OWN_HOST])


def accelerated(done: Outcome) -> dict[str, tuple[int, int]]:
    """Accelerated calls and all of them, by collective."""
    rows = (line.split() for line in done.out.splitlines())
    return {name: (int(ours), int(calls)) for name, ours, calls in rows}


@pytest.mark.parametrize(
    ("ranks", "choices"), [(4, ["two-tree:1448", "linear:1000", "native"]), (7, ["binary", "flat:2000", "auto"])]
)
def test_collectives_do_not_disturb_each_other(any_mpi: Mpi, ranks: int, choices: list[str]):
    # Ranks of MPICH 5 never yield: natively each call takes milliseconds where processors are fewer.
    calls = 300 if any_mpi.name.startswith("mpich-5") else 900
    found = accelerated(mixed(any_mpi, ranks, calls, 1, choices))
    assert all(found[name][0] > 0 for name in TREES)
    # Of some collective each call may happen to be so long that a plan runs it.
    assert any(found[name][0] < found[name][1] for name in TREES)


def test_shares_among_them(any_mpi: Mpi):
    choices = ["ring:1448", "unaware-ring:1000", "two-tree:1448", "by-sites-binary:1000", "phases:100"]
    found = accelerated(mixed(any_mpi, 5, 300, 1, choices))
    assert len(found) == 14
    assert all(ours > 0 for ours, _ in found.values())


def test_on_threads_too(any_mpi: Mpi):
    found = accelerated(mixed(any_mpi, 3, 200, 3, ["two-tree:1448", "linear"]))
    assert all(found[name][0] > 0 for name in TREES)


def test_where_some_collectives_have_no_such_algorithm(mpi: Mpi):
    """Blocks are exchanged by rounds beside reductions that go up trees."""
    found = accelerated(mixed(mpi, 5, 300, 1, ["two-tree:1448", "circulant:1448", "scatter-ring"]))
    assert all(found[name][0] > 0 for name in TREES)


def test_natively_too(mpi: Mpi):
    """The program holds without the library: what it asks for is MPI's contract, not ours."""
    mpi.run(3, mpi.program("runtime-mixed"), "200", "3", "1", "auto", preload=None)
