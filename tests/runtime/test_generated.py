"""What ``trunkline generate`` writes: compiled by each MPI's wrapper and run, alone and in the place of MPI_Bcast."""

import atexit
import functools
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from compiling import object_of
from conftest import BUILD, Mpi, address_sanitizer_options, installed
from test_matrix import GROUPS

from trunkline import _core
from trunkline.generate.routine import c_routine

SOURCES = Path(__file__).parent / "programs" / "generated"
KEEP_LOADED = SOURCES.with_name("keep_loaded.cpp")
STRICT = ("-Wall", "-Wextra", "-Werror", "-Wconversion")

Shape = Callable[[int, int], str]
"""The part of a plan file that says who sends what to whom, for a number of ranks and a root."""


def line(ranks: int, root: int) -> str:
    """Neither in rank order nor turned."""
    others = [rank for rank in range(ranks) if rank != root]
    return f"line: {[root, *others[::-2], *others[-2::-2]]}\n"


def tree(ranks: int, root: int) -> str:
    """Up to three children, in no order."""
    ranked = [root, *(rank for rank in reversed(range(ranks)) if rank != root)]
    sends = [(ranked[i], ranked[3 * i + 1 : 3 * i + 4][::-1]) for i in range(ranks) if 3 * i + 1 < ranks]
    return "sends:\n" + "".join(f"  {rank}: {children}\n" for rank, children in sends)


def turns(ranks: int, root: int) -> str:
    """Both, and each of them once more: segments go down four trees."""
    indented = ["    " + shape(ranks, root).replace("\n", "\n    ").rstrip() for shape in (tree, line)] * 2
    return "trees:\n" + "".join(f"  - {text.strip()}\n" for text in indented)


def rounds_of(generator: str) -> Shape:
    """What a generator makes of an order that is not that of the ranks."""

    def rounds(ranks: int, root: int) -> str:
        others = [rank for rank in range(ranks) if rank != root]
        return f"rounds:\n  generator: {generator}\n  order: {[root, *others[1::2], *others[::2]]}\n"

    rounds.__name__ = generator
    return rounds


ring, doubling, circulant = map(rounds_of, ("scatter-ring", "scatter-doubling", "circulant"))


def by_hand(ranks: int, root: int) -> str:
    """Five blocks down a line: four and the last one, which first goes to the rank at the end, then back up."""
    order = [(root + place) % ranks for place in range(ranks)]
    down = [f"[{{from: {a}, to: {b}, blocks: 0-3}}]" for a, b in pairwise(order)]
    back = [order[0], *order[:0:-1]]
    up = [f"[{{from: {a}, to: {b}, blocks: 4}}]" for a, b in pairwise(back)]
    return "rounds:\n  blocks: 5\n  transfers:\n" + "".join(f"    - {one}\n" for one in [*down, *up])


def generate(
    file: Path, shape: Shape, ranks: int, root: int, segment: int, name: str | None = None, collective: str = "bcast"
) -> Path:
    """The C file of a plan."""
    head = f"trunkline: plan/1\ncollective: {collective}\nshape: custom\nsegment: {segment}B\n"
    head += f"ranks: {ranks}\nroot: {root}\n"
    plan = file.with_suffix(".yaml")
    steps = shape(ranks, root)
    if collective != "allreduce":  # whose data go one way: there is one root
        steps = "".join(text for text in steps.splitlines(keepends=True) if "exchange:" not in text)
    plan.write_text(head + steps)
    file.write_text(c_routine(_core.read_plan(str(plan)), plan.name, name))
    return file


def mpicc(mpi: Mpi) -> str:
    launcher = Path(mpi.launcher[0])
    return str(launcher.with_name(launcher.name.replace("mpiexec", "mpicc")))


LINKING = ("-shared", "-ldl", "-rdynamic")


def compile_c(compiler: str, output: Path, sources: Sequence[Path], *options: str) -> Path:
    """An object of one source ("-c" among the options), or what is linked of sources and objects."""
    if "-c" in options:
        (source,) = sources
        done = object_of(compiler, source, ["-O1", "-g", *options], output)
    else:
        compiled = [option for option in options if option not in LINKING]
        parts = [
            compile_c(compiler, output.parent / f"{one.stem}.o", [one], *compiled, "-c") if one.suffix == ".c" else one
            for one in sources
        ]
        done = subprocess.run([compiler, *options, "-o", output, *parts], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


@functools.cache
def objects(compiler: str, names: tuple[str, ...], *options: str) -> list[Path]:
    """Of sources that are the same for every plan: compiled once for a library."""
    folder = Path(tempfile.mkdtemp(prefix="generated-"))
    atexit.register(shutil.rmtree, folder)
    return [compile_c(compiler, folder / f"{name}.o", [SOURCES / f"{name}.c"], *options, "-c") for name in names]


CHECKED = ("-Wall", "-Wextra", "-Werror")


def cases_program(folder: Path, compiler: str, file: Path, *options: str, also: Sequence[Path] = ()) -> Path:
    names = ("main", "calls", "sizes", "datatypes", "communicators")
    routine = compile_c(compiler, folder / "routine.o", [file], "-std=c99", *STRICT, *options, "-c")
    linked = [*objects(compiler, names, *CHECKED, *options), routine, *also]
    return compile_c(compiler, folder / "cases", linked, *options)


def every_root_library(folder: Path, compiler: str, shape: Shape, ranks: int, segment: int) -> Path:
    """A library with MPI_Bcast, and below it a generated function for each root."""
    names = [f"bcast_from_{root}" for root in range(ranks)]
    table = folder / "table.c"
    declared = "".join(f"int {name}(void*, int, MPI_Datatype, int, MPI_Comm);\n" for name in names)
    table.write_text(
        f"#include <mpi.h>\n{declared}typedef int Bcast(void*, int, MPI_Datatype, int, MPI_Comm);\n"
        f"Bcast* const bcast_from_root[] = {{{', '.join(names)}}};\n"
    )
    files = [generate(folder / f"{name}.c", shape, ranks, root, segment, name) for root, name in enumerate(names)]
    sources = [SOURCES / "every_root.c", table, *files]
    return compile_c(compiler, folder / "libgenerated.so", sources, "-shared", "-fPIC", f"-DRANKS={ranks}", *STRICT)


def run_suite(mpi: Mpi, library: Path, ranks: int, groups: Sequence[str], *, planned: bool = True) -> None:
    """The program that checks MPI_Bcast, with the generated functions in its place."""
    done = mpi.run(ranks, mpi.program("runtime-test"), "--groups", ",".join(groups), preload=library)
    assert "FAILED" not in done.err, done.err
    assert " passed, 0 failed" in done.out, done.out
    said = done.lines("generated: ")
    assert len(said) == ranks, done.err
    assert all((int(words.split()[1]) > 0) == planned for words in said), said


CASES = [(line, 2, 64), (turns, 4, 1000), (tree, 7, 600)]
CASES += [(circulant, 2, 64), (ring, 4, 1000), (doubling, 7, 600), (by_hand, 3, 100), (circulant, 6, 600)]


def check_cases(output: str) -> None:
    assert "12 passed, 0 failed" in output, output


@pytest.mark.parametrize(("shape", "ranks", "segment"), CASES)
def test_every_case(mpi: Mpi, tmp_path: Path, shape: Shape, ranks: int, segment: int):
    root = ranks // 2
    file = generate(tmp_path / "routine.c", shape, ranks, root, segment)
    program = cases_program(tmp_path, mpicc(mpi), file)
    check_cases(mpi.run(ranks, program, str(root), str(segment), preload=None).out)


@pytest.mark.parametrize("shape", [turns, circulant])
def test_every_case_with_other_versions(other_mpi: Mpi, tmp_path: Path, shape: Shape):
    file = generate(tmp_path / "routine.c", shape, 4, 1, 600)
    program = cases_program(tmp_path, mpicc(other_mpi), file)
    check_cases(other_mpi.run(4, program, "1", "600", preload=None).out)


@pytest.mark.parametrize(
    ("shape", "ranks", "segment"), [(turns, 3, 100), (tree, 4, 1000), (circulant, 4, 1000), (ring, 3, 100)]
)
def test_what_mpi_allows(mpi: Mpi, tmp_path: Path, shape: Shape, ranks: int, segment: int):
    library = every_root_library(tmp_path, mpicc(mpi), shape, ranks, segment)
    run_suite(mpi, library, ranks, GROUPS)


@pytest.mark.parametrize("shape", [turns, doubling])
def test_what_other_versions_allow(other_mpi: Mpi, tmp_path: Path, shape: Shape):
    library = every_root_library(tmp_path, mpicc(other_mpi), shape, 3, 100)
    run_suite(other_mpi, library, 3, GROUPS)


def test_a_plan_for_more_ranks_changes_nothing(mpi: Mpi, tmp_path: Path):
    library = every_root_library(tmp_path, mpicc(mpi), tree, 4, 100)
    run_suite(mpi, library, 3, ["communicators"], planned=False)


@pytest.mark.parametrize("shape", [line, circulant])
def test_a_plan_for_fewer_ranks_runs_on_halves(mpi: Mpi, tmp_path: Path, shape: Shape):
    """An inter-communicator of two halves, whose groups are as large as the plan, among them."""
    library = every_root_library(tmp_path, mpicc(mpi), shape, 2, 100)
    run_suite(mpi, library, 4, ["communicators"])


@pytest.mark.parametrize("shape", [turns, circulant])
def test_nothing_is_left_behind(mpi: Mpi, tmp_path: Path, shape: Shape):
    run_suite(mpi, every_root_library(tmp_path, mpicc(mpi), shape, 2, 64), 2, ["leaks"])


@pytest.mark.parametrize("shape", [turns, circulant])
def test_beyond_2_gib(tmp_path: Path, shape: Shape):
    """Arithmetic of the routine's own: one MPI library is enough."""
    mpi = installed()[-1]
    run_suite(mpi, every_root_library(tmp_path, mpicc(mpi), shape, 2, 262144), 2, ["huge"])


@pytest.mark.parametrize(
    ("shape", "segment", "layout"), [(line, 2824, ""), (turns, 16384, "gaps"), (circulant, 2824, ""), (ring, 2824, "")]
)
def test_memory_is_bounded_by_the_window(mpi: Mpi, tmp_path: Path, shape: Shape, segment: int, layout: str):
    library = every_root_library(tmp_path, mpicc(mpi), shape, 3, segment)
    arguments = ["16", layout] if layout else ["16"]
    done = mpi.run(3, BUILD / "bench" / f"trunkline-memory-{mpi.name}", *arguments, preload=library)
    rounds = [json.loads(one) for one in done.out.splitlines()]
    assert [one["right"] for one in rounds] == [True, True, True]
    assert max(one["extra_kib"] for one in rounds[1:]) < 1024, rounds


@pytest.mark.parametrize(("name", "shape"), [("mpich", turns), ("openmpi", doubling), ("mpich", circulant)])
def test_under_sanitizers(tmp_path: Path, name: str, shape: Shape):
    """The routine is the same under every library."""
    mpi = next((one for one in installed() if one.name == name), installed()[0])
    checks = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-rdynamic")
    file = generate(tmp_path / "routine.c", shape, 4, 1, 100)
    keep_loaded = compile_c("g++", tmp_path / "keep_loaded.o", [KEEP_LOADED], "-c")
    program = cases_program(tmp_path, mpicc(mpi), file, *checks, also=[keep_loaded])
    suppressed = f"suppressions={Path(__file__).with_name('leaks.supp')}:print_suppressions=0"
    # The sanitizer's runtime is the program's own; before it comes what the tests preload for MPICH alone.
    options = address_sanitizer_options(mpi.name, "verify_asan_link_order=0")
    settings = {"LSAN_OPTIONS": suppressed, "ASAN_OPTIONS": options}
    done = mpi.run(4, program, "1", "100", preload=None, settings=settings)
    check_cases(done.out)


@pytest.mark.parametrize("shape", [turns, by_hand])
def test_the_comparison_with_the_preload_library(mpi: Mpi, tmp_path: Path, shape: Shape):
    """That it runs, not what it finds: times are for a quiet lab."""
    file = generate(tmp_path / "routine.c", shape, 3, 1, 2856)
    source = Path(__file__).parents[2] / "bench" / "generated.c"
    program = compile_c(mpicc(mpi), tmp_path / "generated", [source, file], *STRICT, "-ldl")
    done = mpi.run(3, program, "1", "3", settings={"TRUNKLINE_PLAN": str(file.with_suffix(".yaml"))})
    rows = [json.loads(row) for row in done.out.splitlines()]
    assert [row["message_bytes"] for row in rows] == [8192, 65536, 262144, 1048576]
    assert {row["preloaded_ran"] for row in rows} == {"custom"}
