"""Buffers that MPI forbids: what the MPI library reports natively is reported, and what it takes is right.

A rank that alone goes to MPI, and is welcome there, would wait for ever for the others, which run a plan.
"""

import subprocess
from pathlib import Path

import pytest
from conftest import ON_OWN_HOST, SECONDS, Mpi

CASES = ["allgather-own-place", "allgather-gaps-own-place", "allgather-same", "allgatherv-own-place", "allreduce-same"]
CASES += ["reduce-same", "reduce-scatter-same", "reduce-scatter-block-same", "reduce-scatter-nothing", "bcast-null"]
CASES += ["allreduce-null", "allgather-null", "both-in-place", "reduce-in-place"]
CASES += ["alltoallv-same", "alltoallv-same-counts", "alltoallv-null", "alltoallv-negative", "alltoallv-into-in-place"]
CASES += ["alltoallw-without-types"]
PLANNED = {"TRUNKLINE_CLUSTER": "cyclic", "TRUNKLINE_BCAST": "two-tree:1448", "TRUNKLINE_REDUCE": "linear"}
PLANNED |= {"TRUNKLINE_ALLREDUCE": "two-tree:1448", "TRUNKLINE_ALLGATHER": "ring", "TRUNKLINE_ALLGATHERV": "ring"}
PLANNED |= {"TRUNKLINE_REDUCE_SCATTER": "ring", "TRUNKLINE_REDUCE_SCATTER_BLOCK": "ring"}
PLANNED |= {"TRUNKLINE_ALLTOALLV": "phases"}
RANKS = 4
NATIVE_SECONDS = 60


def outcomes(mpi: Mpi, words: list[str], file: Path, preload: str | None) -> dict[str, str]:
    """Of each "CASE:WHO": "right", "wrong", the class of the error that a rank heard of, or "ended" without a word.

    A job ends before its last case where one ends it, or where too many have left ranks waiting.
    """
    found: dict[str, str] = {}
    given = {"settings": (PLANNED if preload else {}) | {"NAP_US": "300"}, "preload": preload, "status": None}
    while len(found) < len(words):
        left = words[len(found) :]
        file.unlink(missing_ok=True)
        ended = ""
        try:
            program = mpi.program("runtime-aliases")
            seconds = SECONDS if preload else NATIVE_SECONDS
            done = mpi.run(RANKS, program, file, *left, per_rank=[ON_OWN_HOST], **given, seconds=seconds)
            ended = done.out + done.err if done.status else ""
        except subprocess.TimeoutExpired:  # a rank crashed, and the launcher waits for it for ever
            if preload:
                raise
            ended = "not at all"
        said = file.read_text().splitlines() if file.exists() else []
        assert [line.partition(" ")[0] for line in said] == left[: len(said)], ended
        found |= {word: line.partition(" ")[2] for word, line in zip(left, said, strict=False)}
        # After an error on one rank alone the job leaves without MPI_Finalize, and a launcher may not like that.
        if not said or (ended and len(said) < len(left) and not said[-1].partition(" ")[2].startswith("error")):
            found[left[len(said)]] = "ended"
    return found


@pytest.mark.parametrize("who", ["all", "0", "3"], ids=["all", "first", "last"])
def test_as_natively(any_mpi: Mpi, tmp_path: Path, who: str):
    words = [f"{case}:{who}" for case in CASES]
    natively = outcomes(any_mpi, words, tmp_path / "said", None)
    planned = outcomes(any_mpi, words, tmp_path / "said", "own")
    unlike = {
        word: f"natively {natively[word]}, planned {planned[word]}"
        for word in words
        if not is_as_natively(word, natively[word], planned[word])
    }
    assert not unlike


def is_as_natively(word: str, natively: str, planned: str) -> bool:
    if word.startswith("reduce-in-place"):  # natively an error under Open MPI; MPICH may read what happens to be there
        return planned.startswith("error") if natively.startswith("error") else planned != "wrong"
    if natively == "ended":  # the MPI library did not look, and read or wrote at a wrong address
        return planned != "wrong"
    return planned == natively
