"""What ``trunkline generate`` writes under LAM/MPI, which is MPI 1."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from compiling import object_of
from jobs import ROOT
from lam import Lam, why_not
from test_generated import (
    STRICT,
    Shape,
    cases_program,
    check_cases,
    circulant,
    compile_c,
    generate,
    line,
    ring,
    tree,
    turns,
)


@pytest.fixture(scope="module")
def lam() -> Iterator[Lam]:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with Lam() as booted:
        yield booted


@pytest.mark.parametrize(("shape", "ranks"), [(line, 2), (turns, 4), (tree, 7), (ring, 4), (circulant, 7)])
def test_every_case_under_lam(lam: Lam, tmp_path: Path, shape: Shape, ranks: int):
    file = generate(tmp_path / "routine.c", shape, ranks, ranks - 1, 600)
    program = cases_program(tmp_path, "mpicc.lam", file)
    visible = shutil.copy(program, lam.folder)
    check_cases(lam.run(ranks, visible, str(ranks - 1), "600"))


def test_in_place_of_mpi_bcast_under_lam(lam: Lam, tmp_path: Path):
    """LAM/MPI might use MPI_Bcast itself while the first call makes its communicator."""
    file = generate(tmp_path / "routine.c", tree, 4, 0, 600, "MPI_Bcast")
    hello = ROOT / "examples" / "hello_bcast.c"
    program = compile_c("mpicc.lam", lam.folder / "hello", [hello, file], "-w")
    assert "131072 doubles arrived right" in lam.run(4, program)


def test_lam_runs_its_own(lam: Lam, tmp_path: Path):
    """There is no MPI_Reduce_local: the functions are there, and call LAM/MPI's."""
    main = tmp_path / "main.c"
    main.write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        "int trunkline_allreduce(void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);\n"
        "int main(int argc, char** argv) {\n  int one = 1, sum = 0;\n  MPI_Init(&argc, &argv);\n"
        "  trunkline_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
        '  if (sum == 3) printf("right\\n");\n  MPI_Finalize();\n  return 0;\n}\n'
    )
    file = generate(tmp_path / "allreduce.c", tree, 3, 0, 100, collective="allreduce")
    routine = compile_c("mpicc.lam", tmp_path / "allreduce.o", [file], "-std=c99", *STRICT, "-c")
    visible = shutil.copy(compile_c("mpicc.lam", tmp_path / "sum", [main, routine], "-w"), lam.folder)
    assert lam.run(3, visible).count("right") == 3


@pytest.mark.parametrize("shape", [line, tree, turns])
def test_it_compiles_strictly(tmp_path: Path, shape: Shape):
    if shutil.which("mpicc.lam") is None:
        pytest.skip("LAM/MPI is not installed (apt-get install lam4-dev lam-runtime)")
    file = generate(tmp_path / "routine.c", shape, 4, 1, 600)
    object_of("mpicc.lam", file, STRICT, tmp_path / "routine.o")
