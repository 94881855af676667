"""Which MPI libraries the build finds (``cmake/FindMpis.cmake``), and what it says of those that it cannot use."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CMAKE_FOLDER = Path(__file__).resolve().parents[2] / "cmake"
MPICH_HEADER = '#define MPICH_VERSION "{}"\n'
OPENMPI_HEADER = (
    "#define OMPI_MAJOR_VERSION {}\n#define OMPI_MINOR_VERSION {}\n#define OMPI_RELEASE_VERSION {}\n"
    "#if OMPI_MAJOR_VERSION > 9\n#endif\n"
)


@dataclass
class Found:
    by_name: dict
    lines: list[str]
    output: str


@pytest.fixture
def build(tmp_path):
    """Configures a project that only looks for MPI libraries; ``path`` and ``named`` are folders and wrappers."""
    cmake = shutil.which("cmake")
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(looks LANGUAGES NONE)\nset(TRUNKLINE_EXTRAS ON)\n"
        f"include({CMAKE_FOLDER}/FindMpis.cmake)\n"
    )

    def run(*path, named=None):
        environment = {name: value for name, value in os.environ.items() if name != "TRUNKLINE_MPICC"}
        environment["PATH"] = ":".join(map(str, path))
        if named is not None:
            environment["TRUNKLINE_MPICC"] = ":".join(map(str, named))
        folder = tmp_path / "build"
        ran = subprocess.run(
            [cmake, "-S", source, "-B", folder, "-DCMAKE_MAKE_PROGRAM=/bin/true"],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout
        entries = json.loads((folder / "mpis.json").read_text())
        return Found(
            {entry["name"]: entry for entry in entries},
            (folder / "mpis.txt").read_text().splitlines(),
            " ".join(ran.stdout.split()),
        )

    return run


def wrapper(file, says):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{says}\n")
    file.chmod(0o755)
    return file


def mpich(prefix, version, *, name="mpicc", header=None, library="libmpi.so"):
    """A prefix as that of ``make install``; MPICH's wrapper passes what it does not know on to the compiler."""
    (prefix / "include").mkdir(parents=True)
    (prefix / "lib").mkdir()
    if header != "":
        (prefix / "include" / "mpi.h").write_text(header or MPICH_HEADER.format(version))
    if library:
        (prefix / "lib" / library).write_text("")
    return wrapper(
        prefix / "bin" / name,
        f'[ "$1" = -show ] || exit 1\necho "gcc -I{prefix}/include -L{prefix}/lib -Wl,-rpath -Wl,{prefix}/lib -lmpi"',
    )


def openmpi(prefix, version, *, name="mpicc"):
    (prefix / "include").mkdir(parents=True)
    (prefix / "lib").mkdir()
    (prefix / "include" / "mpi.h").write_text(OPENMPI_HEADER.format(*version.split(".")))
    (prefix / "lib" / "libmpi.so").write_text("")
    return wrapper(
        prefix / "bin" / name,
        f'[ "$1" = --showme ] || exit 1\necho "gcc -I{prefix}/include -pthread -L{prefix}/lib -lmpi"',
    )


def test_third_mpi_first_on_path_stands_beside_the_systems(build, tmp_path):
    system, opt = tmp_path / "usr", tmp_path / "opt"
    mpich(system, "4.0.2", name="mpicc.mpich")
    openmpi(tmp_path / "ompi", "4.1.4", name="mpicc.openmpi").rename(system / "bin" / "mpicc.openmpi")
    shutil.copy(system / "bin" / "mpicc.openmpi", system / "bin" / "mpicc")
    mpich(opt, "4.3.1")
    found = build(opt / "bin", system / "bin")
    assert set(found.by_name) == {"mpich", "openmpi", "mpich-4.3.1"}
    assert found.by_name["mpich-4.3.1"] == {
        "name": "mpich-4.3.1",
        "family": "mpich",
        "version": "4.3.1",
        "mpicc": f"{opt}/bin/mpicc",
        "mpiexec": f"{opt}/bin/mpiexec",
        "library": f"{opt}/lib/libmpi.so",
    }
    assert found.by_name["mpich"]["mpiexec"] == f"{system}/bin/mpiexec.mpich"
    assert found.by_name["openmpi"]["version"] == "4.1.4"
    assert found.lines == [
        f"MPI: mpich (mpich 4.0.2, {system}/bin/mpicc.mpich)",
        f"MPI: openmpi (openmpi 4.1.4, {system}/bin/mpicc.openmpi)",
        f"MPI: mpich-4.3.1 (mpich 4.3.1, {opt}/bin/mpicc)",
    ]


@pytest.mark.parametrize(
    ("header", "family", "version"),
    [
        ('#define I_MPI_VERSION "2021.18.1"\n#define I_MPI_NUMVERSION 20211801300\n', "intelmpi", "2021.18.1"),
        (MPICH_HEADER.format("3.2.1") + '#define MVAPICH2_VERSION "2.3.7"\n', "mvapich", "2.3.7"),
        (MPICH_HEADER.format("4.3.0") + '#define MVAPICH_VERSION "4.0"\n', "mvapich", "4.0"),
    ],
)
def test_those_built_from_mpich_have_names_of_their_own(build, tmp_path, header, family, version):
    file = mpich(tmp_path / "opt", "", header=header)
    entry = build(file.parent).by_name[family]
    assert (entry["family"], entry["version"]) == (family, version)


def test_the_one_that_is_built_for(tmp_path):
    """As ``trunkline library --build`` configures: whatever else is there does not count."""
    mpich(tmp_path / "usr", "4.0.2")
    file = mpich(tmp_path / "opt", "4.3.1")
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(looks LANGUAGES NONE)\nset(TRUNKLINE_EXTRAS ON)\n"
        f"include({CMAKE_FOLDER}/FindMpis.cmake)\n"
    )
    words = [shutil.which("cmake"), "-S", source, "-B", tmp_path / "build", "-DCMAKE_MAKE_PROGRAM=/bin/true"]
    for name in ("mpich-4.3.1", "mine"):
        named = [f"-DTRUNKLINE_ONLY_MPICC={file}", *(["-DTRUNKLINE_ONLY_NAME=mine"] if name == "mine" else [])]
        subprocess.run([*words, *named], env={"PATH": f"{tmp_path}/usr/bin:{os.environ['PATH']}"}, check=True)
        (entry,) = json.loads((tmp_path / "build" / "mpis.json").read_text())
        assert (entry["name"], entry["mpicc"]) == (name, str(file))
    file.write_text("#!/bin/sh\nexit 1\n")
    ran = subprocess.run([*words, *named], capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert f"{file} cannot be used: it does not say what it compiles with" in " ".join(ran.stderr.split())


def test_only_mpi_has_the_bare_name_wherever_it_is(build, tmp_path):
    openmpi(tmp_path / "opt", "5.0.3")
    assert set(build(tmp_path / "opt" / "bin").by_name) == {"openmpi"}


def test_every_folder_of_path_counts(build, tmp_path):
    for version in ("4.1.2", "4.2.0", "4.3.1"):
        mpich(tmp_path / version, version)
    found = build(*(tmp_path / version / "bin" for version in ("4.2.0", "4.1.2", "4.3.1")))
    assert {name: entry["version"] for name, entry in found.by_name.items()} == {
        "mpich": "4.2.0",
        "mpich-4.1.2": "4.1.2",
        "mpich-4.3.1": "4.3.1",
    }


def test_same_version_twice_is_said(build, tmp_path):
    for name in ("a", "b", "c"):
        mpich(tmp_path / name, "4.2.0")
    found = build(*(tmp_path / name / "bin" for name in ("a", "b", "c")))
    assert set(found.by_name) == {"mpich", "mpich-4.2.0"}
    assert found.lines[2] == (
        f"MPI: {tmp_path}/c/bin/mpicc (on PATH) is left out: mpich-4.2.0 is already {tmp_path}/b/bin/mpicc"
    )


def test_wrapper_of_a_prefix_where_the_compiler_looks_by_itself(build, tmp_path):
    prefix = tmp_path / "usr"
    mpich(prefix, "4.2.0")
    wrapper(prefix / "bin" / "mpicc", '[ "$1" = -show ] && echo "gcc -lmpi"')
    assert build(prefix / "bin").by_name["mpich"]["library"] == f"{prefix}/lib/libmpi.so"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            lambda prefix: wrapper(prefix / "bin" / "mpicc", "echo broken here >&2; exit 3"),
            "it does not say what it compiles with, as an MPI library's mpicc does (-show, --showme), and ended "
            "with 3: broken here",
        ),
        (
            lambda prefix: mpich(prefix, "", header=""),
            "there is no mpi.h in {prefix}/include; is the development package installed?",
        ),
        (lambda prefix: mpich(prefix, "4.2.0", library=None), "there is no libmpich.so or libmpi.so in {prefix}/lib"),
        (
            lambda prefix: mpich(prefix, "", header="#define LAM_MPI 1\n"),
            "{prefix}/include/mpi.h is of none of MPICH, Open MPI, Intel MPI and MVAPICH",
        ),
    ],
)
@pytest.mark.parametrize("is_named", [False, True])
def test_unusable_wrapper_is_named_with_the_reason(build, tmp_path, make, reason, is_named):
    prefix = tmp_path / "opt"
    file = make(prefix)
    reason = reason.format(prefix=prefix)
    found = build(tmp_path, named=[file]) if is_named else build(file.parent)
    where = "named in TRUNKLINE_MPICC" if is_named else "on PATH"
    assert found.by_name == {}
    assert found.lines[0] == f"MPI: {file} ({where}) is left out: {reason}"
    assert found.lines[1].startswith("MPI: none found, so no preload library is built. Install one")
    warning = f"TRUNKLINE_MPICC names {file}, which cannot be used: {reason}"
    assert (warning in found.output) == is_named


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("{folder}/gone/mpicc", "there is no such file"),
        ("{folder}", "it is a folder; name the compiler wrapper in it, such as {folder}/bin/mpicc"),
        ("mpicc", "give its full path"),
    ],
)
def test_named_wrapper_that_is_none(build, tmp_path, named, reason):
    named, reason = named.format(folder=tmp_path), reason.format(folder=tmp_path)
    found = build(tmp_path, named=[named])
    assert f"TRUNKLINE_MPICC names {named}, which cannot be used: {reason}" in found.output
    assert found.lines[0] == f"MPI: {named} (named in TRUNKLINE_MPICC) is left out: {reason}"


def test_named_wrapper_is_remembered_until_another_is_named(build, tmp_path):
    system, opt = tmp_path / "usr", tmp_path / "opt"
    mpich(system, "4.0.2")
    file = mpich(opt, "4.3.1")
    both = {"mpich", "mpich-4.3.1"}
    assert set(build(system / "bin", named=[file]).by_name) == both
    assert set(build(system / "bin").by_name) == both
    assert set(build(system / "bin", named=[]).by_name) == {"mpich"}
