"""A preload library for one more MPI library, built from what the installed package brings along, and kept."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trunkline.cmake import cmake_program, generator_words, run_cmake
from trunkline.errors import BadInput, Failed
from trunkline.files import replace_file
from trunkline.mpi import Mpi, find_mpis
from trunkline.paths import CLUSTERS, SOURCE, kept_folders
from trunkline.temporary import temporary_folder

_NAME = re.compile(r"[a-z][a-z0-9.+_-]*")


@dataclass(frozen=True)
class Build:
    """A build that is ready to start.

    Attributes:
        mpi: What it is for.
        folder: A temporary one, configured in ``build``.
        kept: Where what it makes will be kept.
    """

    mpi: Mpi
    folder: Path
    kept: Path

    def make(self, on_step: Callable[[int, int], None]) -> None:
        """Build the preload library and the programs behind the command, and keep them.

        What was kept under the same name is replaced.

        Args:
            on_step: Is told how many steps of how many are done.

        Raises:
            Failed: where the compiler fails, or the library cannot be loaded.
        """
        build, made, log = self.folder / "build", self.folder / "made", self.folder / "log"
        processors = len(os.sched_getaffinity(0))
        with _log_of_failures(log, self.kept):
            run_cmake(["--build", build, "--parallel", str(processors)], log, on_step)
            run_cmake(["--install", build, "--component", "trunkline", "--strip", "--prefix", made], log)
        shutil.copytree(CLUSTERS, made / "clusters")
        _check_loads(made / "lib" / f"libtrunkline-{self.mpi.name}.so")
        self.kept.mkdir(parents=True, exist_ok=True)
        _put(made, self.kept / self.mpi.name)


@contextmanager
def prepared_build(mpicc: str, name: str | None) -> Iterator[Build]:
    """What builds for an MPI library, for as long as the ``with`` block takes: some seconds of looking are done.

    Args:
        mpicc: The MPI library's compiler wrapper, a path or a command on PATH.
        name: What ``--mpi`` will call it; None: its family with its version.

    Raises:
        BadInput: where something is missing on this machine, or the name is another library's.
        Failed: where CMake ends badly.
    """
    wrapper = _wrapper(mpicc)
    if name is not None and not _NAME.fullmatch(name):
        raise BadInput(f"'{name}' is no name for an MPI library; give one such as mpich-4.3.1-gcc")
    _check_tools()
    kept = next((folder for folder in kept_folders() if _is_writable(folder)), None)
    if kept is None:
        raise BadInput(f"none of these folders can be written to: {', '.join(map(str, kept_folders()))}")
    with temporary_folder("library") as folder:
        build = folder / "build"
        words: list[str | Path] = ["-S", SOURCE, "-B", build, *generator_words(), "-DCMAKE_BUILD_TYPE=Release"]
        words += ["-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG"]
        # Nothing but what is kept is to stay behind, no cache of a compiler either.
        words += ["-DTRUNKLINE_PYTHON=OFF", "-DTRUNKLINE_LAB=OFF", "-DTRUNKLINE_CCACHE=OFF"]
        words += [f"-DTRUNKLINE_ONLY_MPICC={wrapper}"]
        with _log_of_failures(folder / "log", kept):
            run_cmake([*words, f"-DTRUNKLINE_ONLY_NAME={name or ''}"], folder / "log")
        mpi = Mpi(**json.loads((build / "mpis.json").read_text())[0])
        _check_free(mpi)
        yield Build(mpi, folder, kept)


@contextmanager
def _log_of_failures(log: Path, kept: Path) -> Iterator[None]:
    """Leaves the log of what fails where its message says."""
    try:
        yield
    except Failed as failed:
        left = kept / "failed-build.log"
        kept.mkdir(parents=True, exist_ok=True)
        replace_file(left, log.read_text(encoding="utf-8", errors="replace"))
        raise Failed(str(failed).replace(str(log), str(left))) from failed


def kept_libraries() -> dict[str, Path]:
    """What is kept for this version, by name, with its folder."""
    found: dict[str, Path] = {}
    for kept in kept_folders():
        for file in sorted(kept.glob("*/lib/mpis.json")):
            found.setdefault(file.parents[1].name, file.parents[1])
    return found


def remove_libraries(name: str) -> list[Path]:
    """Remove what is kept under a name, or for ``all`` everything, of other versions too.

    Gives the folders that were removed; those above them go as well where nothing else is in them.

    Raises:
        BadInput: where nothing is kept under that name, or a folder cannot be removed.
    """
    kept = kept_libraries()
    if name == "all":
        gone = [folder.parent for folder in kept_folders() if folder.parent.is_dir()]
    elif name in kept:
        gone = [kept[name]]
    else:
        raise BadInput(f"nothing is kept for '{name}'; there is something for: {', '.join(kept) or 'none'}")
    for folder in gone:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise BadInput(f"cannot remove {folder}: {error.strerror}") from error
        for above in folder.parents[:2] if name != "all" else ():
            if not any(above.iterdir()):
                above.rmdir()
    return gone


def _wrapper(mpicc: str) -> str:
    """As an absolute path that is not resolved: what a link is called may say which MPI it is."""
    file = shutil.which(mpicc)
    if Path(mpicc).is_dir():
        raise BadInput(f"{mpicc} is a folder; name the compiler wrapper in it, such as {mpicc.rstrip('/')}/bin/mpicc")
    if file is None:
        what = "no program that you may start" if Path(mpicc).exists() else "no such file"
        raise BadInput(
            f"{mpicc}: {what}; --mpicc takes the compiler wrapper of an MPI library, such as /opt/x/bin/mpicc"
        )
    return os.path.abspath(file)  # noqa: PTH100 - Path.absolute would keep "..", resolve() follow links


def _check_tools() -> None:
    """Before anything is made: whether all that a build takes is there."""
    if not SOURCE.is_dir():
        raise BadInput(f"{SOURCE} is missing, which preload libraries are built from: install Trunkline again")
    cmake_program()
    generator_words()
    for variable, names, debian in (("CXX", ("c++", "g++", "clang++"), "g++"), ("CC", ("cc", "gcc", "clang"), "gcc")):
        named = os.environ.get(variable)
        if named is None and not any(map(shutil.which, names)):
            raise BadInput(
                f"there is no compiler {names[0]} on PATH: install one (Debian: {debian}), load its module, or name it "
                f"in {variable}=/path/to/compiler"
            )


def _check_free(mpi: Mpi) -> None:
    other = find_mpis().get(mpi.name)
    if other is None or (other.mpicc == mpi.mpicc and mpi.name in kept_libraries()):
        return
    raise BadInput(
        f"{mpi.name} is served already, for {other.mpicc or other.mpiexec}; to build one for {mpi.mpicc} beside it, "
        f"give it a name: --name {mpi.name}-2"
    )


def _check_loads(library: Path) -> None:
    """The loader says nothing but what is wrong, and the library does nothing where MPI is not called."""
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(["true"], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0 or str(library) in done.stderr:
        raise Failed(f"the library was built, but a program cannot load it:\n{done.stderr.strip()}")


def _is_writable(folder: Path) -> bool:
    nearest = next(one for one in (folder, *folder.parents) if one.exists())
    return os.access(nearest, os.W_OK)


def _put(made: Path, place: Path) -> None:
    """At once: whoever starts a job meanwhile finds the whole of the old one or of the new one."""
    new, old = (place.with_name(f".{kind}-{os.getpid()}-{place.name}") for kind in ("new", "old"))
    shutil.copytree(made, new)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)
