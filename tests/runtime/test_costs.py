"""What the library costs: nanoseconds of a call that it leaves alone, and the memory of one that it accelerates."""

import json

import pytest
from conftest import BUILD, ON_OWN_HOST, ONE_VERSION, Mpi


def measured(mpi: Mpi, ranks: int, program: str, *arguments: str, settings: dict[str, str] | None = None) -> list[dict]:
    done = mpi.run(ranks, BUILD / "bench" / f"{program}-{mpi.name}", *arguments, settings=settings)
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize(
    "settings", [{}, {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_HOST": "h0"}], ids=["no cluster", "small message"]
)
def test_a_call_that_stays_native_costs_under_a_microsecond(mpi: Mpi, settings: dict[str, str]):
    costs = {
        cost["collective"]: cost["added_ns"] for cost in measured(mpi, 1, "trunkline-call-overhead", settings=settings)
    }
    assert len(costs) == 5
    assert max(costs.values()) < 1000


@pytest.mark.parametrize(
    ("choice", "layout"),
    [
        ("unaware-linear:2824", ""),
        ("unaware-linear:16384", "gaps"),
        ("circulant:2824", ""),
        ("circulant:16384", "gaps"),
        ("unaware-scatter-ring:2824", "gaps"),
    ],
)
def test_memory_is_bounded_by_the_window(mpi: Mpi, choice: str, layout: str):
    arguments = ["16", layout] if layout else ["16"]
    rounds = measured(mpi, 3, "trunkline-memory", *arguments, settings={"TRUNKLINE_BCAST": choice})
    assert [one["right"] for one in rounds] == [True, True, True]
    # Slots of shared memory that were never used before are 1 MiB of it.
    assert max(one["extra_kib"] for one in rounds[1:]) < 2048, rounds


@pytest.mark.parametrize(
    "choice",
    [
        "unaware-linear:2824",
        "unaware-ring:2824",
        *(pytest.param(one, marks=ONE_VERSION) for one in ("unaware-swing:8192", "binomial")),
    ],
)
def test_a_reduction_in_place_needs_a_window_more(any_mpi: Mpi, choice: str):
    """16 MiB: an MPI library takes another buffer of that size."""
    rounds = measured(any_mpi, 3, "trunkline-memory", "16", "allreduce", settings={"TRUNKLINE_ALLREDUCE": choice})
    assert [one["right"] for one in rounds] == [True, True, True]
    assert max(one["extra_kib"] for one in rounds[1:]) < 2048, rounds


@pytest.mark.parametrize(
    "choices",
    [pytest.param(["auto"], marks=ONE_VERSION), ["two-tree", "linear", "circulant:1448", "scatter-ring", "binary"]],
)
def test_a_storm_of_broadcasts_is_right_and_takes_no_more_memory(any_mpi: Mpi, choices: list[str]):
    """Sizes, roots and communicators mixed, ranks late now and then; what native takes is measured beside."""
    settings = {"TRUNKLINE_CLUSTER": "cyclic"}
    program = any_mpi.program("runtime-storm")
    done = any_mpi.run(4, program, "4000", "7", *choices, settings=settings, per_rank=[ON_OWN_HOST])
    _, _, ours_kib, native_kib = (float(word) for word in done.out.split())
    assert ours_kib < 1.2 * native_kib + 16384, done.out
