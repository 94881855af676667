"""Cells and libraries that nobody measured, for tests of what is made of them."""

from trunkline.bench.measure import Cell
from trunkline.mpi import Mpi


def cell(cluster="cyclic", mpi="mpich", size=1 << 20, algorithm="native", seconds=1.0, ran=None, segment=0):
    return Cell(
        collective="bcast",
        cluster=cluster,
        cluster_fingerprint="0" * 16,
        rate_bps=2e7,
        hosts=32,
        ranks=32,
        mpi=mpi,
        mpi_version="4.0.2",
        algorithm=algorithm,
        ran=ran or algorithm,
        segment_bytes=segment,
        message_bytes=size,
        seconds_median=seconds,
        seconds_low=seconds * 0.99,
        seconds_high=seconds * 1.02,
        repetitions=7,
        limit_seconds=0.4,
        stopped_by="interval",
        trunkline_version="0.1.0",
        seconds=[seconds] * 7,
    )


def library(name="mpich", version="4.0.2"):
    return Mpi(name, name.partition("-")[0], version, "mpicc", "/nowhere/mpiexec", "libmpi.so")


def receipt(**changed):
    """What a job leaves by TRUNKLINE_SUMMARY (runtime/receipt)."""
    large = {"collective": "allreduce", "least_bytes": 65536, "calls": 400}
    short = {"collective": "bcast", "algorithm": "native", "calls": 100}
    found = {
        **large,
        "ranks": 32,
        "first": "two-tree:1408",
        "algorithm": "ring:1056",
        "settled_after": 80,
        "call_s": 0.02,
        "native_s": 0.05,
        "saved_s": 12.0,
        "error_s": 0.4,
        "tried": [
            {"algorithm": "native", "timed": 9, "call_s": 0.05},
            {"algorithm": "ring:1056", "timed": 16, "call_s": 0.02},
            {"algorithm": "two-tree:1408", "timed": 16, "call_s": 0.03},
        ],
    }
    lost = {
        **short,
        "least_bytes": 2048,
        "ranks": 16,
        "first": "native",
        "settled_after": 0,
        "call_s": 0.001,
        "native_s": 0.001,
        "saved_s": -0.5,
        "error_s": 0.1,
    }
    unknown = {**lost, "collective": "reduce", "call_s": None, "native_s": None, "error_s": None, "saved_s": 0.0}
    calls = [
        {**large, "algorithm": "ring", "chosen_by": "trials", "bytes": 400 * 65536, "seconds": 20.0},
        {**short, "least_bytes": 2048, "chosen_by": "prediction", "bytes": 204800, "seconds": 8.0},
        {**short, "least_bytes": 1024, "chosen_by": "none", "why": "below 2 KiB", "bytes": 102400, "seconds": 5.0},
    ]
    return {
        "trunkline": "receipt/1",
        "version": "0.9.0",
        "program": "solver",
        "job": "4711",
        "began": "2026-11-03T08:00:00Z",
        "mpi": "mpich 4.0.2",
        "cluster": "lab",
        "hosts": 8,
        "ranks": 32,
        "seconds": 60.0,
        "meetings_s": 0.25,
        "calls": calls,
        "trials": [found, lost, unknown],
        **changed,
    }
