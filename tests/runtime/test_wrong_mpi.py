"""A library built for one MPI in a program that runs on another: one message, exit status 2."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Mpi, installed
from test_languages import python_settings

RIGHT = {"mpich": "MPICH", "openmpi": "Open MPI"}


def of_another_family(mpi: Mpi) -> Mpi:
    others = [other for other in installed() if other.name == other.family != mpi.family]
    if not others:
        pytest.skip(f"only {mpi.name} is installed")
    return others[0]


def refused(mpi: Mpi, other: Mpi, *command: str | Path, settings: dict[str, str] | None = None) -> None:
    done = mpi.run(3, *command, preload=other.library, settings=settings, status=2)
    said = done.last_words()
    assert len(said) == 1, done.err
    assert f"is built for {RIGHT[other.family]} " in said[0]
    assert f"the program runs on {RIGHT[mpi.family]} " in said[0]
    assert f"say --mpi {mpi.family} to 'trunkline run' and 'trunkline lab run'" in said[0]
    assert f"'trunkline library --mpi {mpi.family}'" in said[0]
    assert "hello from" not in done.out


def test_program(mpi: Mpi):
    refused(mpi, of_another_family(mpi), mpi.program("runtime-hello"))


def test_python(mpi: Mpi, tmp_path: Path):
    pytest.importorskip("mpi4py")
    settings = python_settings(mpi, tmp_path)
    refused(mpi, of_another_family(mpi), sys.executable, ROOT / "examples" / "hello_bcast.py", settings=settings)


def test_program_built_for_the_standard_abi(other_mpi: Mpi, tmp_path: Path):
    """MPICH 5 has a second library, whose handles are those of the standard."""
    compiler = Path(other_mpi.launcher[0]).with_name("mpicc_abi")
    if not compiler.exists():
        pytest.skip(f"{other_mpi.name} has no mpicc_abi")
    program = tmp_path / "hello"
    subprocess.run([compiler, "-o", program, ROOT / "examples" / "hello_bcast.c"], check=True)
    settings = {"LD_LIBRARY_PATH": str(compiler.parents[1] / "lib")}
    assert "doubles arrived right" in other_mpi.run(2, program, preload=None, settings=settings).out
    said = other_mpi.run(2, program, settings=settings, status=2).last_words()
    assert len(said) == 1
    assert "is built for the standard MPI ABI (libmpi_abi.so of MPICH " in said[0]


def test_programs_without_mpi_notice_nothing(mpi: Mpi):
    # Programs that end at once may end before MPICH's launcher is done with starting them: it dies of SIGPIPE then.
    words = ("sh", "-c", "sleep 0.2; echo hello")
    done = mpi.run(2, *words, preload=of_another_family(mpi).library, settings={"TRUNKLINE_NONSENSE": "1"})
    assert done.out.split() == ["hello", "hello"]
    assert "trunkline" not in done.err
