"""``trunkline library``: what it lists, builds, keeps and removes.

What is built here is a library that holds nothing; ``make test-install`` builds the real one.
"""

import shutil
from pathlib import Path

import pytest
from test_find_mpis import mpich, openmpi, wrapper

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("ar", "as", "bash", "cat", "cc", "c++", "cmake", "env", "ld", "ninja", "ranlib", "sh", "strip", "true")
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(stand-in LANGUAGES C)
include({ROOT}/cmake/FindMpis.cmake)
set(library libtrunkline-${{TRUNKLINE_MPIS}})
file(WRITE ${{PROJECT_BINARY_DIR}}/empty.c "int nothing;\\n")
add_library(${{library}} SHARED ${{PROJECT_BINARY_DIR}}/empty.c)
set_target_properties(${{library}} PROPERTIES PREFIX "")
install(TARGETS ${{library}} DESTINATION lib COMPONENT trunkline)
install(FILES ${{PROJECT_BINARY_DIR}}/mpis.json DESTINATION lib COMPONENT trunkline)
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A machine with two MPI libraries on PATH, and a package that was built for none; ``source`` is its project."""
    mpich(tmp_path / "m", "4.3.1")
    openmpi(tmp_path / "o", "5.0.3")
    (tmp_path / "o" / "bin" / "mpicc").rename(tmp_path / "o" / "bin" / "mpicc.openmpi")
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(PROJECT)
    own = tmp_path / "own" / "trunkline" / "0"
    for module in ("paths", "mpi", "build_library"):
        monkeypatch.setattr(f"trunkline.{module}.kept_folders", lambda: [own])
    monkeypatch.setattr("trunkline.paths.NATIVE", tmp_path / "package")
    monkeypatch.setattr("trunkline.mpi._FOUND", tmp_path / "package" / "lib")
    monkeypatch.setattr("trunkline.build_library.SOURCE", source)
    monkeypatch.setattr("trunkline.search_mpis._module_wrappers", list)
    clean = tmp_path / "tools"
    clean.mkdir()
    for name in TOOLS:
        (clean / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", f"{tmp_path}/m/bin:{tmp_path}/o/bin:{clean}")
    return tmp_path


def test_a_library_is_built_found_and_removed(trunkline, refused, site):
    listed = trunkline("library", "--json", "-").data
    assert [(one["what"], one["can_build"], one["library"]) for one in listed if one["what"]] == [
        ("openmpi 5.0.3", True, ""),
        ("mpich 4.3.1", True, ""),
    ]
    assert "there is no preload library for an MPI library 'mpich' yet" in refused("library", "--mpi", "mpich")

    built = trunkline("library", "--build", "--mpicc", site / "m" / "bin" / "mpicc")
    file = f"{site}/own/trunkline/0/mpich-4.3.1/lib/libtrunkline-mpich-4.3.1.so"
    assert (built.status, built.out) == (0, f"mpich-4.3.1: {file}\n"), built.error
    assert (site / "own/trunkline/0/mpich-4.3.1/clusters/cyclic.yaml").exists()
    assert trunkline("library", "--mpi", "mpich").out == f"{file}\n"
    listed = trunkline("library").out
    assert f"mpich-4.3.1  {site}/m/bin/mpicc (PATH)\n  {file}\n" in listed
    assert (
        f"openmpi 5.0.3  {site}/o/bin/mpicc.openmpi (PATH)\n  no preload library yet: trunkline library --bui" in listed
    )

    assert trunkline("library", "--build").out.startswith("openmpi-5.0.3: ")  # what is missing on PATH
    assert "no MPI library on PATH lacks a preload library" in refused("library", "--build")
    assert "for: mpich-4.3.1, openmpi-5.0.3" in refused("library", "--remove", "mpich-9")
    assert trunkline("library", "--remove", "openmpi-5.0.3").status == 0
    assert trunkline("library", "--remove", "all").out == f"removed {site}/own/trunkline\n"
    assert list((site / "own").iterdir()) == []


def test_one_of_the_same_version_gets_a_name(trunkline, refused, site):
    mpich(site / "other", "4.3.1")
    words = ("library", "--build", "--mpicc")
    for _ in range(2):  # again: it is replaced
        assert trunkline(*words, "mpicc").status == 0
    message = refused(*words, site / "other" / "bin" / "mpicc")
    assert message.startswith(
        f"mpich-4.3.1 is served already, for {site}/m/bin/mpicc; to build one for {site}/other/bin"
    )
    assert trunkline(*words, site / "other" / "bin" / "mpicc", "--name", "mpich-gcc").status == 0
    assert "'mpich' may be any of mpich-4.3.1, mpich-gcc" in refused("library", "--mpi", "mpich")
    kept = site / "own" / "trunkline" / "0"
    assert sorted(path.name for path in kept.iterdir()) == ["mpich-4.3.1", "mpich-gcc"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--mpicc", "/nowhere/mpicc"),
            "--mpicc says what to build for: trunkline library --build --mpicc /nowhere/mpicc",
        ),
        (("--build", "--mpicc", "/nowhere/mpicc"), "/nowhere/mpicc: no such file; --mpicc takes the compiler wrapper"),
        (("--build", "--mpicc", "m"), "m is a folder; name the compiler wrapper in it, such as m/bin/mpicc"),
        (("--build", "--mpicc", "m/include/mpi.h"), "m/include/mpi.h: no program that you may start; "),
        (("--build", "--name", "x"), "--name is for the MPI library of --mpicc"),
        (("--build", "--mpicc", "mpicc", "--name", "a/b"), "'a/b' is no name for an MPI library"),
        (("--build", "--mpi", "mpich"), "give one of --mpi, --build, --remove and --header"),
    ],
)
def test_wrong_words(refused, site, words, message):
    assert refused("library", *words, cwd=site).startswith(message)


def test_what_cannot_be_built_for(refused, site):
    file = wrapper(site / "bad" / "bin" / "mpicc", "echo broken >&2; exit 3")
    message = refused("library", "--build", "--mpicc", file)
    why = "it does not say what it compiles with, as an MPI library's mpicc does (-show, --showme), "
    why += "and ended with 3: broken"
    assert message == f"{file} cannot be used: {why}"
    assert not list((site / "own").rglob("*.so"))


def test_a_compiler_that_fails(trunkline, site):
    (site / "source" / "CMakeLists.txt").write_text(PROJECT.replace("int nothing;", "no C at all"))
    ran = trunkline("library", "--build", "--mpicc", "mpicc")
    assert ran.status == 1
    assert "error:" in ran.error
    log = site / "own" / "trunkline" / "0" / "failed-build.log"
    assert f"all of it: {log}" in ran.error
    assert "no C at all" in log.read_text()


def test_a_machine_without_tools(refused, site, monkeypatch):
    monkeypatch.setenv("PATH", f"{site}/m/bin")
    monkeypatch.setattr("trunkline.cmake._beside_python", lambda _: None)
    message = refused("library", "--build", "--mpicc", "mpicc")
    needs = "this needs CMake 3.25 or newer (there is none on PATH): 'pip install cmake ninja' brings both into a "
    assert message == needs + "virtual environment (Debian: apt-get install cmake ninja-build)"
    wrapper(site / "m" / "bin" / "cmake", "echo cmake version 3.20.2")
    assert f"({site}/m/bin/cmake is version 3.20)" in refused("library", "--build", "--mpicc", "mpicc")
    wrapper(site / "m" / "bin" / "cmake", "echo cmake version 3.31.2")
    assert "needs Ninja or make, and neither is on PATH" in refused("library", "--build", "--mpicc", "mpicc")
    wrapper(site / "m" / "bin" / "make", "exit 0")
    assert "there is no compiler c++ on PATH: install one (Debian: g++)" in refused(
        "library", "--build", "--mpicc", "mpicc"
    )


def test_modules_are_looked_through(trunkline, site, monkeypatch):
    """A shell that knows modules is stood in for by its start-up file."""
    monkeypatch.undo()
    home = site / "home"
    home.mkdir()
    (home / ".bash_profile").write_text(
        f"""PATH={site}/tools
module() {{
  case "$*" in
    "-t avail") printf '%s\\n' /modules: compilers/gcc mpi/mpich/4.3.1 'mpi/broken(default)' ;;
    "load mpi/mpich/4.3.1") PATH={site}/m/bin:$PATH ;;
    "load mpi/broken") PATH={site}/bad/bin:$PATH ;;
  esac
}}
"""
    )
    wrapper(site / "bad" / "bin" / "mpicc", "echo 'broken; all of it' >&2; exit 3")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{site}/tools")
    listed = {one["where"]: one for one in trunkline("library", "--json", "-").data}
    assert listed["module mpi/mpich/4.3.1"]["mpicc"] == f"{site}/m/bin/mpicc"
    assert listed["module mpi/mpich/4.3.1"]["can_build"]
    assert listed["module mpi/broken"]["reason"].endswith("(-show, --showme), and ended with 3: broken, all of it")
