"""What ``trunkline generate`` writes of plans of reductions: run alone and in the place of MPI's own functions."""

from pathlib import Path

import pytest
from conftest import ONE_VERSION, Mpi, address_sanitizer_options, installed
from test_generated import (
    CHECKED,
    KEEP_LOADED,
    SOURCES,
    STRICT,
    Shape,
    compile_c,
    generate,
    line,
    mpicc,
    objects,
    run_suite,
    tree,
    turns,
)


def two_roots(ranks: int, root: int) -> str:
    """A tree whose root exchanges with the last of its children: sums have the bits of a reduce over the same tree."""
    return f"{tree(ranks, root)}exchange: {_last_below(tree(ranks, root), root)}\n"


def two_roots_by_turns(ranks: int, root: int) -> str:
    """One with two roots, and one without."""
    one, other = (text.replace("\n", "\n    ").rstrip() for text in (two_roots(ranks, root), line(ranks, root)))
    return f"trees:\n  - {one}\n  - {other}\n"


def _last_below(sends: str, root: int) -> int:
    [listed] = [text for text in sends.splitlines() if text.startswith(f"  {root}: ")]
    return int(listed.rstrip("]").rpartition(" ")[2].lstrip("["))


C_TABLE = """\
#include <mpi.h>
typedef int Reduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
extern Reduce {reduces};
extern Allreduce {allreduces};
Reduce* const reduce_to_root[] = {{{reduces}}};
Allreduce* const allreduce_over_root[] = {{{allreduces}}};
"""


def program(folder: Path, compiler: str, plan: tuple[Shape, int, int, int], *options: str, also: tuple[Path, ...] = ()):
    """The program of the cases, with both functions of a plan (shape, ranks, root, segment)."""
    routines = []
    for collective in ("reduce", "allreduce"):
        file = generate(folder / f"{collective}.c", *plan, collective=collective)
        routines.append(compile_c(compiler, file.with_suffix(".o"), [file], "-std=c99", *STRICT, *options, "-c"))
    linked = [*objects(compiler, ("reductions",), *CHECKED, *options), *routines, *also]
    return compile_c(compiler, folder / "cases", linked, *options)


def every_root_library(folder: Path, compiler: str, shape: Shape, ranks: int, segment: int) -> Path:
    """A library with MPI_Reduce and MPI_Allreduce, and below them a generated function for each root."""
    names = {of: [f"{of}_at_{root}" for root in range(ranks)] for of in ("reduce", "allreduce")}
    table = folder / "table.c"
    table.write_text(C_TABLE.format(reduces=", ".join(names["reduce"]), allreduces=", ".join(names["allreduce"])))
    files = [
        generate(folder / f"{name}.c", shape, ranks, root, segment, name, of)
        for of, named in names.items()
        for root, name in enumerate(named)
    ]
    sources = [SOURCES / "every_reduction.c", table, *files]
    return compile_c(compiler, folder / "libgenerated.so", sources, "-shared", "-fPIC", f"-DRANKS={ranks}", *STRICT)


def check_cases(output: str) -> None:
    assert "9 passed, 0 failed" in output, output


ELSEWHERE_TOO = [(turns, 4, 1, 24), (tree, 7, 3, 1000)]
PLANS = [(line, 2, 0, 64), (tree, 3, 2, 100), (line, 4, 3, 8), (turns, 7, 6, 5000)]


def name_of(plan: tuple[Shape, int, int, int]) -> str:
    return f"{plan[0].__name__}-{plan[1]}"


@pytest.mark.parametrize(
    "plan", [*ELSEWHERE_TOO, *(pytest.param(plan, marks=ONE_VERSION) for plan in PLANS)], ids=name_of
)
def test_every_case(any_mpi: Mpi, tmp_path: Path, plan: tuple[Shape, int, int, int]):
    _, ranks, root, segment = plan
    cases = program(tmp_path, mpicc(any_mpi), plan)
    check_cases(any_mpi.run(ranks, cases, str(root), str(segment), preload=None).out)


WITH_TWO_ROOTS = [(two_roots, 2, 1, 64), (two_roots, 3, 0, 1000), (two_roots, 7, 3, 100)]


@pytest.mark.parametrize(
    "plan",
    [(two_roots_by_turns, 5, 2, 24), *(pytest.param(plan, marks=ONE_VERSION) for plan in WITH_TWO_ROOTS)],
    ids=name_of,
)
def test_every_case_with_two_roots(any_mpi: Mpi, tmp_path: Path, plan: tuple[Shape, int, int, int]):
    _, ranks, root, segment = plan
    cases = program(tmp_path, mpicc(any_mpi), plan)
    check_cases(any_mpi.run(ranks, cases, str(root), str(segment), preload=None).out)


@pytest.mark.parametrize(
    ("shape", "ranks", "segment"),
    [(turns, 3, 100), pytest.param(tree, 4, 64, marks=ONE_VERSION), pytest.param(line, 7, 1000, marks=ONE_VERSION)],
)
def test_in_the_place_of_mpis_own(any_mpi: Mpi, tmp_path: Path, shape: Shape, ranks: int, segment: int):
    library = every_root_library(tmp_path, mpicc(any_mpi), shape, ranks, segment)
    run_suite(any_mpi, library, ranks, ["reductions", "operations"])


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_under_the_name_of_mpis_own(any_mpi: Mpi, tmp_path: Path, collective: str):
    """Preloaded as the file comes, the library's own name included."""
    file = generate(tmp_path / "own.c", tree, 3, 0, 100, f"MPI_{collective.capitalize()}", collective)
    library = compile_c(mpicc(any_mpi), tmp_path / "libown.so", [file], "-shared", "-fPIC", *STRICT)
    done = any_mpi.run(3, any_mpi.program("runtime-test"), "--groups", "reductions", preload=library)
    assert " passed, 0 failed" in done.out, done.out + done.err


def test_a_plan_for_more_ranks_changes_nothing(mpi: Mpi, tmp_path: Path):
    run_suite(mpi, every_root_library(tmp_path, mpicc(mpi), tree, 4, 100), 3, ["reductions"], planned=False)


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_under_sanitizers(tmp_path: Path, name: str):
    mpi = next((one for one in installed() if one.name == name), installed()[0])
    checks = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-rdynamic")
    keep_loaded = compile_c("g++", tmp_path / "keep_loaded.o", [KEEP_LOADED], "-c")
    cases = program(tmp_path, mpicc(mpi), (turns, 4, 1, 100), *checks, also=(keep_loaded,))
    suppressed = f"suppressions={Path(__file__).with_name('leaks.supp')}:print_suppressions=0"
    options = address_sanitizer_options(mpi.name, "verify_asan_link_order=0")
    settings = {"LSAN_OPTIONS": suppressed, "ASAN_OPTIONS": options}
    check_cases(mpi.run(4, cases, "1", "100", preload=None, settings=settings).out)
