"""Every MPI library that this machine shows: on PATH and in modules, and why each one is served or not."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from trunkline.cmake import run_cmake
from trunkline.errors import BadInput
from trunkline.mpi import Mpi, find_mpis, preload_of
from trunkline.paths import SOURCE
from trunkline.temporary import temporary_folder

_OF_MPI = re.compile(r"mpi|mvapich", re.IGNORECASE)
"""In the name of a module."""
_MODULE_S = 20.0
"""What a module's commands may take."""
_LOOKS = """cmake_minimum_required(VERSION 3.25)
project(looks LANGUAGES NONE)
set(TRUNKLINE_LOOK_FOR_ABI ON)
include({file})
"""


@dataclass(frozen=True)
class SeenMpi:
    """An MPI library, or what calls itself one.

    Attributes:
        mpicc: Its compiler wrapper; empty: none is here any more, or it has none.
        where: How it was found: ``PATH``, ``module NAME``, or ``kept``: no more than its preload library.
        what: ``mpich 4.0.2``; empty where it is not known.
        name: What ``--mpi`` calls it; empty: it is not served.
        library: File of its preload library; empty: it is not served.
        reason: Why it is not served; empty: it is.
        can_build: Whether ``trunkline library --build`` would serve it.
    """

    mpicc: str
    where: str
    what: str = ""
    name: str = ""
    library: str = ""
    reason: str = ""
    can_build: bool = False

    def as_json(self) -> dict[str, object]:
        """An object of its attributes."""
        return asdict(self)


def search_mpis() -> list[SeenMpi]:
    """All of them: first those that are served, then the others.

    Raises:
        BadInput: where there is no CMake to look with, or no package to take the looks from.
    """
    modules = dict(_module_wrappers())
    found, left_out = _look(modules)
    served = find_mpis()
    seen = []
    for mpi in found:
        where = f"module {modules[mpi.mpicc]}" if mpi.mpicc in modules else "PATH"
        own = [one for one in served.values() if Path(one.library).resolve() == Path(mpi.library).resolve()]
        what = f"{mpi.family} {mpi.version}"
        if own:
            seen += [SeenMpi(one.mpicc, where, what, one.name, str(preload_of(one))) for one in own]
        else:
            seen.append(SeenMpi(mpi.mpicc, where, what, reason="no preload library yet", can_build=True))
    names = {one.name for one in seen}
    for mpi in served.values():
        if mpi.name not in names:
            gone = "" if Path(mpi.library).exists() else f"{mpi.library} is gone"
            kept = SeenMpi(
                mpi.mpicc, "built before", f"{mpi.family} {mpi.version}", mpi.name, str(preload_of(mpi)), gone
            )
            seen.append(kept)
    for wrapper, reason in left_out.items():
        where = f"module {modules[wrapper]}" if wrapper in modules else "PATH"
        seen.append(SeenMpi(wrapper, where, reason=reason))
    return sorted(seen, key=lambda one: (bool(one.reason), not one.can_build))


def _look(wrappers: Iterable[str]) -> tuple[list[Mpi], dict[str, str]]:
    """As the build looks: what it finds, and by wrapper why it leaves one out."""
    file = SOURCE / "cmake" / "FindMpis.cmake"
    if not file.exists():
        raise BadInput(f"{file} is missing, which looks for MPI libraries: install Trunkline again")
    with temporary_folder("looks") as folder:
        (folder / "CMakeLists.txt").write_text(_LOOKS.format(file=file))
        environment = {**os.environ, "TRUNKLINE_MPICC": ":".join(wrappers)}
        # No program is built, so nothing is asked of the one that would.
        words: list[str | Path] = ["-S", folder, "-B", folder / "build", "-G", "Unix Makefiles"]
        words += ["-DCMAKE_MAKE_PROGRAM=true"]
        run_cmake(words, folder / "log", environment=environment)
        found = [Mpi(**entry) for entry in json.loads((folder / "build" / "mpis.json").read_text())]
        left_out = json.loads((folder / "build" / "left-out.json").read_text())
    reasons = {entry["mpicc"]: entry["reason"] for entry in left_out}
    return found, reasons


def _module_wrappers() -> Iterable[tuple[str, str]]:
    """Compiler wrappers that modules bring, with the module of each; those on PATH already are left out.

    Modules that are not to be had before another one is loaded, such as a compiler's, are not seen.
    """
    on_path = {shutil.which("mpicc"), shutil.which("mpicc_abi")}
    names = [line.strip().removesuffix("(default)").strip() for line in _in_shell("module -t avail 2>&1").splitlines()]
    for name in names:
        if name.startswith("/") or name.endswith((":", "/")) or not _OF_MPI.search(name):
            continue
        script = 'module load "$1" >/dev/null 2>&1 && type -P mpicc mpicc_abi'
        for wrapper in _in_shell(script, name).split():
            if wrapper not in on_path:
                yield wrapper, name


def _in_shell(script: str, *words: str) -> str:
    """What a login shell prints, since modules are a function of it; nothing where it knows none."""
    bash = shutil.which("bash")
    if bash is None:
        return ""
    command = [bash, "-lc", f"type module >/dev/null 2>&1 || exit 0; {script}", "bash", *words]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_MODULE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout
