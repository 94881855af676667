"""Fortran in its three forms, and Python, where MPI comes in by dlopen(RTLD_LOCAL)."""

import sys
from pathlib import Path

import pytest
from conftest import ROOT, Mpi

FORCED = {"TRUNKLINE_BCAST": "unaware-linear:1000", "TRUNKLINE_EXPLAIN": "1"}


@pytest.mark.parametrize("form", ["mpifh", "usempi", "f08"])
def test_fortran(mpi: Mpi, form: str):
    done = mpi.run(3, mpi.program(f"runtime-fortran-{form}"), settings=FORCED)
    assert done.out.strip() == "passed"
    said = done.lines("trunkline: ")
    assert any("from rank 0 on 3 ranks ran unaware-linear with segments of 1000B" in line for line in said), done.err
    assert any("from rank 2 on 3 ranks ran unaware-linear" in line for line in said)
    if mpi.family == "openmpi" or form != "mpifh":  # MPICH, where that asks for MPI_THREAD_MULTIPLE
        assert any("MPI_Ibcast of 12000B from rank 1 on 3 ranks ran unaware-linear" in line for line in said), done.err


@pytest.mark.parametrize("form", ["mpifh", "usempi", "f08"])
def test_fortran_natively(mpi: Mpi, form: str):
    assert mpi.run(2, mpi.program(f"runtime-fortran-{form}"), preload=None).out.strip() == "passed"


def python_settings(mpi: Mpi, folder: Path) -> dict[str, str]:
    """Makes mpi4py load this MPI. Its module for MPICH asks for libmpi.so.12, which Debian calls libmpich.so.12."""
    settings = {"MPI4PY_MPIABI": mpi.family}
    if mpi.name != mpi.family:
        return settings | {"LD_LIBRARY_PATH": str(ROOT / ".mpi" / mpi.name / "lib")}
    library = Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
    if mpi.family == "mpich" and library.exists():
        (folder / "libmpi.so.12").symlink_to(library)
        settings["LD_LIBRARY_PATH"] = str(folder)
    return settings


def test_python(mpi: Mpi, tmp_path: Path):
    pytest.importorskip("mpi4py")
    settings = python_settings(mpi, tmp_path) | FORCED
    done = mpi.run(3, sys.executable, ROOT / "examples" / "hello_bcast.py", "5000", settings=settings)
    assert "hello from 3 ranks: 5000 doubles arrived right" in done.out
    assert "MPI_Bcast of 40000B from rank 0 on 3 ranks ran unaware-linear" in done.err


def test_examples_in_python(mpi: Mpi, tmp_path: Path):
    """K-means; and Dask, of whose five ranks three are workers."""
    pytest.importorskip("mpi4py")
    settings = python_settings(mpi, tmp_path) | FORCED | {"TRUNKLINE_ALLREDUCE": "unaware-linear:1000"}
    done = mpi.run(4, sys.executable, ROOT / "examples" / "kmeans.py", settings=settings)
    assert "4000 points on 4 ranks: centres right" in done.out
    assert f"MPI_Allreduce of {8 * 65 * 8}B on 4 ranks ran unaware-linear" in done.err
    pytest.importorskip("dask_mpi")
    done = mpi.run(5, sys.executable, ROOT / "examples" / "dask_model.py", "5000", settings=settings)
    assert "5000 doubles on 3 workers: by Dask" in done.out
    assert "MPI_Bcast of 40000B from rank 0 on 3 ranks ran unaware-linear" in done.err


def test_examples_in_c_and_fortran(mpi: Mpi):
    for name in ("runtime-hello", "runtime-hello-fortran"):
        assert "doubles arrived right" in mpi.run(4, mpi.program(name), settings=FORCED).out
