"""What ``cmake --install`` leaves: something that works by itself, and for pip the inside of the Python package."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from conftest import BUILD, ROOT, Mpi, installed

from trunkline import __version__


def install(prefix: Path, *words: str) -> str:
    command = ["cmake", "--install", BUILD, "--prefix", prefix, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def folders(prefix: Path) -> set[str]:
    return {str(path.parent.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}


def test_installed_library_works_and_finds_its_clusters(mpi: Mpi, tmp_path: Path):
    said = install(tmp_path)
    own = {"lib", "lib/trunkline/lib", "lib/trunkline/clusters", "include"}
    assert folders(tmp_path) == own | {
        "lib/pkgconfig",
        "lib/cmake/trunkline",
        "share/modulefiles",
        "share/trunkline/schemas",
    }
    assert (tmp_path / "include" / "trunkline.h").is_file()
    assert "The command 'trunkline' is a Python package: 'pip install " in said
    library = tmp_path / "lib" / f"libtrunkline-{mpi.name}.so"
    assert library.readlink() == Path("trunkline", "lib", library.name)  # the prefix may be moved
    settings = {"TRUNKLINE_CLUSTER": "paper-6"}
    done = mpi.run(2, mpi.program("runtime-hello"), settings=settings, preload=library)
    assert re.search(r"there are: .*cyclic, four-site, leaf-spine, now, paper-1, paper-2", done.err), done.err


def test_installed_library_finds_its_mpi_by_itself(tmp_path: Path):
    """As under mpi4py, whose interpreter is linked to no MPI."""
    install(tmp_path)
    for mpi in installed():
        library = tmp_path / "lib" / f"libtrunkline-{mpi.name}.so"
        said = subprocess.run(["true"], env={"LD_PRELOAD": str(library)}, capture_output=True, text=True, check=True)
        assert said.stderr == "", mpi.name


PROGRAM = """#include <stdio.h>
#include <trunkline.h>
int main(void) { struct trunkline_multicast none = {0}; return (int)none.calls; }
"""
PROJECT = """cmake_minimum_required(VERSION 3.16)
project(uses LANGUAGES C)
find_package(trunkline REQUIRED)
add_executable(uses uses.c)
target_link_libraries(uses PRIVATE trunkline::trunkline)
message(STATUS "preload: ${trunkline_PRELOAD_LIBRARIES}")
"""


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """An installation that was moved, with a program beside it that uses ``trunkline.h``."""
    install(tmp_path / "first")
    (tmp_path / "uses.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    return (tmp_path / "first").rename(tmp_path / "second")


def run(*words: str | Path, **settings: str | Path) -> str:
    environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_projects_of_cmake_find_it(moved: Path):
    work = moved.parent
    said = run("cmake", "-S", work, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={moved}")
    for mpi in installed():
        assert f"{moved}/lib/libtrunkline-{mpi.name}.so" in said
    run("cmake", "--build", work / "build")
    run(work / "build" / "uses")


def test_pkg_config_finds_it(moved: Path):
    if shutil.which("pkg-config") is None:
        pytest.skip("there is no pkg-config")
    flags = run("pkg-config", "--cflags", "trunkline", PKG_CONFIG_PATH=moved / "lib" / "pkgconfig").split()
    run("cc", *flags, "-o", moved.parent / "uses", moved.parent / "uses.c")
    run(moved.parent / "uses")


def test_the_module_file_finds_its_place(moved: Path):
    commands = sorted(Path("/usr/lib").glob("*/modulecmd.tcl"))
    if not commands:
        pytest.skip("there is no modulecmd.tcl (Debian: environment-modules)")
    link = moved.parent / "modules" / "trunkline"
    link.parent.mkdir()
    link.symlink_to(moved / "share" / "modulefiles" / "trunkline")
    said = run(commands[0], "bash", "load", "trunkline", MODULEPATH=link.parent, LOADEDMODULES="", _LMFILES_="")
    assert re.search(rf"PKG_CONFIG_PATH='?{moved}/lib/pkgconfig", said), said
    assert re.search(rf"CMAKE_PREFIX_PATH='?{moved}", said), said


def test_the_command_is_installed_too(tmp_path: Path):
    """Where CMake is asked to; it may be moved, and needs nothing but the packages of its Python."""
    build = ROOT / "build" / "command"  # which stays: compiled anew at each run it took a minute of both processors
    first, second = tmp_path / "first", tmp_path / "second"
    words = ["-G", "Ninja", "-DTRUNKLINE_PYTHON=ON", "-DTRUNKLINE_RUNTIME=OFF", "-DTRUNKLINE_WERROR=ON"]
    words += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]  # compiled in two thirds of the time
    run("cmake", "-S", ROOT, "-B", build, *words, f"-DPython_EXECUTABLE={sys.executable}")
    run("cmake", "--build", build)
    said = run("cmake", "--install", build, "--prefix", first)
    assert "pip install" not in said
    first.rename(second)
    command = second / "bin" / "trunkline"
    # Packages of this Python, but for the tree's own command, which is installed in it as editable.
    beside = ["env", f"PYTHONPATH={sysconfig.get_path('purelib')}", sys.executable, "-S", command]
    assert run(*beside, "--version").split() == ["trunkline", __version__]
    assert "Contention-free" in run(*beside, "plan", "cyclic")
    assert run(*beside, "library", "--header").strip() == str(second / "lib" / "trunkline" / "source" / "include")
    assert (second / "lib" / "trunkline" / "libexec" / "trunkline-fabric").is_file()
    # The Python of a system, which has none of the packages.
    bare = f"#!{sys.executable} -S\n" + command.read_text().partition("\n")[2]
    command.write_text(bare)
    done = subprocess.run([command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has no module 'typer'; the command needs: " in done.stderr
    assert "'jinja2>=3.1,<4'" in done.stderr


def test_the_sources_of_the_package_are_complete(tmp_path: Path):
    """As far as configuring tells; ``make test-install`` builds them."""
    install(tmp_path, "--component", "trunkline")
    words = ["-S", tmp_path / "source", "-B", tmp_path / "build", "-DTRUNKLINE_PYTHON=OFF", "-DTRUNKLINE_LAB=OFF"]
    entry = next(iter(json.loads((BUILD / "mpis.json").read_text())))
    said = run("cmake", *words, f"-DTRUNKLINE_ONLY_MPICC={entry['mpicc']}", "-DTRUNKLINE_ONLY_NAME=mine")
    assert "Core: as it was compiled with the package, by " in said
    assert [one["name"] for one in json.loads((tmp_path / "build" / "mpis.json").read_text())] == ["mine"]


def test_only_the_inside_of_the_package_for_pip(tmp_path: Path):
    assert "pip install" not in install(tmp_path, "--component", "trunkline")
    outside_source = {folder for folder in folders(tmp_path) if not folder.startswith("source/")}
    assert outside_source - {"."} == {"lib", "lib/mpich-abi", "libexec", "clusters", "source"}
    assert not (tmp_path / "lib" / "trunkline").exists()
