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
