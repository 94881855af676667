"""Recipes and package files say what the tree says."""

import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml

from trunkline import __version__

ROOT = Path(__file__).resolve().parents[2]
NEEDS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
NAMES = {re.match(r"[a-z0-9]+", need)[0] for need in NEEDS}


def recipes(sdist, folder):
    words = [sys.executable, ROOT / "tools" / "recipes.py", sdist, folder]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_recipes_have_the_version_and_the_sum(tmp_path):
    sdist = tmp_path / f"trunkline-{__version__}.tar.gz"
    sdist.write_bytes(b"an sdist")
    done = recipes(sdist, tmp_path)
    assert done.returncode == 0, done.stderr
    files = [Path(line) for line in done.stdout.split()]
    spack = tmp_path / "spack_repo" / "trunkline"  # Spack 1 takes the namespace from where a repository lies
    assert files == [
        tmp_path / "easybuild" / f"trunkline-{__version__}-foss-2025a.eb",
        spack / "repo.yaml",
        spack / "packages" / "trunkline" / "package.py",
        spack / "packages" / "py_pyroute2" / "package.py",
    ]
    assert yaml.safe_load(files[1].read_text()) == {"repo": {"namespace": "trunkline", "api": "v2.0"}}
    assert f'"{sdist.as_uri()}"' in files[2].read_text()
    for file in (files[0], *files[2:]):
        compile(file.read_text(), file, "exec")  # all are Python
        assert "@" not in re.sub(r"\w@[\d:]|@\d|%gcc@", "", file.read_text())
    for file in (files[0], files[2]):
        assert __version__ in file.read_text()
        assert hashlib.sha256(b"an sdist").hexdigest() in file.read_text()


DIRECTIVES = ("conflicts", "depends_on", "license", "version")
"""What recipes take from ``spack.package``. The generator is none of them in Spack 1: it comes with CMakePackage."""


@pytest.mark.parametrize("name", ["trunkline", "py_pyroute2"])
def test_spacks_recipes_have_all_names_that_they_use(tmp_path, monkeypatch, name):
    """Spack cannot be had here, so modules stand for it that have no more than Spack 1's."""
    told = []

    class Package:
        def define(self, name, value):
            return f"-D{name}={value}"

    def module(name, **has):
        made = ModuleType(name)
        vars(made).update(has)
        monkeypatch.setitem(sys.modules, name, made)

    def directive(*words, **_more):
        told.append(words[0])

    for parent in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        module(parent)
    module("spack.package", **dict.fromkeys(DIRECTIVES, directive))
    module("spack_repo.builtin.build_systems.cmake", CMakePackage=Package, generator=directive)
    module("spack_repo.builtin.build_systems.python", PythonPackage=Package)
    sdist = tmp_path / f"trunkline-{__version__}.tar.gz"
    sdist.write_bytes(b"an sdist")
    recipes(sdist, tmp_path)
    has = {}
    exec((tmp_path / "spack_repo" / "trunkline" / "packages" / name / "package.py").read_text(), has)
    if name == "py_pyroute2":
        assert "python@3.9:" in told
        return
    assert {"ninja", "mpi", "Apache-2.0 AND MIT AND BSD-3-Clause"} <= set(told)
    made = has["Trunkline"]()
    assert "-DTRUNKLINE_PYTHON=True" in made.cmake_args()
    made.spec = {"mpi": SimpleNamespace(mpicc="/opt/mpi/bin/mpicc")}
    settings = {}
    made.setup_build_environment(SimpleNamespace(set=settings.__setitem__))
    assert settings == {"TRUNKLINE_MPICC": "/opt/mpi/bin/mpicc"}


def test_what_is_no_sdist_is_refused(tmp_path):
    done = recipes(tmp_path / "other-1.0.0.tar.gz", tmp_path)
    assert done.returncode == 1
    assert "is no sdist of Trunkline" in done.stderr


def test_every_package_that_the_command_needs_is_named():
    """Where the toolchain or Debian brings it under another name, that name."""
    debian = (ROOT / "packaging" / "debian" / "control").read_text()
    wheels = (ROOT / "packaging" / "debian" / "wheels.txt").read_text()
    spack = (ROOT / "packaging" / "spack" / "trunkline.py.in").read_text()
    for name in NAMES:
        named = {"pyyaml": "yaml"}.get(name, name)
        assert f" python3-{named}," in debian or f"\n{name}==" in wheels, name
        assert f'"py-{name}@' in spack, name


@pytest.mark.parametrize("file", ["packaging/debian/wheels.txt", "pyproject.toml"])
def test_the_same_nanobind_everywhere(file):
    pinned = re.search(r"nanobind==([\d.]+)", (ROOT / "tools" / "requirements.txt").read_text())[1]
    assert f"nanobind=={pinned}" in (ROOT / file).read_text()


def test_the_same_pyroute2_for_spack():
    pinned = re.search(r"pyroute2==([\d.]+)", (ROOT / "tools" / "requirements.txt").read_text())[1]
    recipe = (ROOT / "packaging" / "spack" / "py_pyroute2.py.in").read_text()
    assert f'version("{pinned}", ' in recipe
    assert f"pyroute2-{pinned}.tar.gz" in recipe


def test_a_static_libyaml_is_built_on_the_way(tmp_path):
    """As where a distribution has the shared one alone: the archive is hidden, so CMake takes the tree's."""
    (tmp_path / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(uses LANGUAGES C CXX)
set(PROJECT_SOURCE_DIR {ROOT})
set(CMAKE_SYSTEM_LIBRARY_PATH "")
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
add_library(trunkline_options INTERFACE)
set(CMAKE_CXX_STANDARD 20)
add_subdirectory({ROOT}/core core)
add_executable(uses uses.c)
target_include_directories(uses PRIVATE ${{YAML_INCLUDE}})
target_link_libraries(uses PRIVATE trunkline_yaml)
""")
    program = "#include <yaml.h>\nint main(void) { yaml_parser_t parser; return !yaml_parser_initialize(&parser); }\n"
    (tmp_path / "uses.c").write_text(program)

    def run(*words):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "build")
    assert "so the tree's own 0.2.5 is built" in said
    run("cmake", "--build", tmp_path / "build", "--target", "uses")
    run(tmp_path / "build" / "uses")


OLD = re.compile(r"\b(?:lam(?:/mpi)?|pvm|uftp|udpcast|pentium[\w-]*|trunkline_papers)\b", re.IGNORECASE)
PACKED = (
    "python",
    "core",
    "runtime",
    "share",
    "include",
    "bench",
    "copy",
    "measure",
    "slurm",
    "chooser",
    "cmake",
    "clusters",
)


def test_packages_have_nothing_of_papers():
    """What they measured against is in papers/, which no package brings."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    assert config["wheel"]["packages"] == ["python/trunkline"]
    assert "papers" in config["sdist"]["exclude"]
    files = [file for room in PACKED for file in (ROOT / room).rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert len(files) > 500
    assert [
        f"{file.relative_to(ROOT)}: {found[0]}"
        for file in files
        if (found := OLD.search(file.read_text(errors="replace")))
    ] == []


def test_old_peers_are_seen():
    assert [bool(OLD.search(text)) for text in ("under LAM/MPI.", "pentium-pro-200", "lambda x: x", "slam")] == [
        True,
        True,
        False,
        False,
    ]
