"""Buffers that MPI forbids: what the MPI library reports natively is reported, and what it takes is right.

A rank that alone goes to MPI, and is welcome there, would wait for ever for the others, which run a plan.
"""

import subprocess

import pytest
from conftest import ON_OWN_HOST, SECONDS, Mpi

CASES = ["allgather-own-place", "allgather-gaps-own-place", "allgather-same", "allgatherv-own-place", "allreduce-same"]
CASES += ["reduce-same", "reduce-scatter-same", "reduce-scatter-block-same", "reduce-scatter-nothing", "bcast-null"]
CASES += ["allreduce-null", "allgather-null", "both-in-place", "reduce-in-place"]
PLANNED = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_BCAST": "two-tree:1448", "TRUNKLINE_REDUCE": "linear"}
PLANNED |= {"TRUNKLINE_ALLREDUCE": "two-tree:1448", "TRUNKLINE_ALLGATHER": "ring", "TRUNKLINE_ALLGATHERV": "ring"}
PLANNED |= {"TRUNKLINE_REDUCE_SCATTER": "ring", "TRUNKLINE_REDUCE_SCATTER_BLOCK": "ring"}
RANKS = 4
NATIVE_SECONDS = 60
ABORTS_WITH = 100  # and the class of the error: aliases.cpp


def outcome(mpi: Mpi, case: str, who: list[str], preload: str | None) -> str:
    """ "right", "wrong", the class of the error that a rank heard of, or "ended" without a word."""
    program = mpi.program("runtime-aliases")
    settings = PLANNED if preload else None
    given = {"settings": settings, "preload": preload, "per_rank": [ON_OWN_HOST], "status": None}
    try:
        done = mpi.run(RANKS, program, case, *who, **given, seconds=SECONDS if preload else NATIVE_SECONDS)
    except subprocess.TimeoutExpired:  # a rank crashed, and the launcher waits for it for ever
        if preload:
            raise
        return "ended"
    words = [line.split() for line in done.out.splitlines() if f": {case} class " in line]
    classes = {line[4].rstrip(",") for line in words} - {"0"}
    if classes:
        return f"error {min(classes)}"
    if ABORTS_WITH < done.status < ABORTS_WITH + 100:  # a launcher that was too busy to pass the words on
        return f"error {done.status - ABORTS_WITH}"
    if any(line[5] == "wrong" for line in words):
        return "wrong"
    return "right" if done.status == 0 and len(words) == RANKS else "ended"


@pytest.mark.parametrize("who", [[], ["0"], ["3"]], ids=["all", "first", "last"])
@pytest.mark.parametrize("case", CASES)
def test_as_natively(any_mpi: Mpi, case: str, who: list[str]):
    natively = outcome(any_mpi, case, who, None)
    planned = outcome(any_mpi, case, who, "own")
    if case == "reduce-in-place":  # natively an error under Open MPI; MPICH may read what happens to be there
        assert planned.startswith("error") if natively.startswith("error") else planned != "wrong"
    elif natively == "ended":  # the MPI library did not look, and read or wrote at a wrong address
        assert planned != "wrong"
    else:
        assert planned == natively
