"""What ``cmake --install`` leaves: something that works by itself, and for pip the inside of the Python package."""

import re
import subprocess
from pathlib import Path

from conftest import BUILD, Mpi, installed


def install(prefix: Path, *words: str) -> str:
    command = ["cmake", "--install", BUILD, "--prefix", prefix, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def folders(prefix: Path) -> set[str]:
    return {str(path.parent.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}


def test_installed_library_works_and_finds_its_clusters(mpi: Mpi, tmp_path: Path):
    said = install(tmp_path)
    assert folders(tmp_path) == {"lib", "lib/trunkline/lib", "lib/trunkline/clusters", "include"}
    assert (tmp_path / "include" / "trunkline.h").is_file()
    assert "The command 'trunkline' is a Python package, which CMake does not install: 'pip install " in said
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


def test_only_the_inside_of_the_package_for_pip(tmp_path: Path):
    assert "pip install" not in install(tmp_path, "--component", "trunkline")
    outside_source = {folder for folder in folders(tmp_path) if not folder.startswith("source/")}
    assert outside_source - {"."} == {"lib", "lib/mpich-abi", "libexec", "clusters", "source"}
    assert not list(tmp_path.glob("lib/trunkline*"))
