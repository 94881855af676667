"""CMake, as the installed package needs it: to look at MPI libraries, and to build a preload library."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from trunkline.errors import BadInput, Failed

_OLDEST = (3, 25)
_PIP = "'pip install cmake ninja' brings both into a virtual environment (Debian: apt-get install cmake ninja-build)"
_STEP = re.compile(r"^\[ *(\d+)(?:/(\d+)|%)\]")
_COMPLAINT = re.compile(r"\b(error|undefined|sorry|cannot)\b", re.IGNORECASE)
_LONGEST = 400
"""Letters of a line; a compiler's own command is longer."""
_LAST_LINES = 25


def cmake_program() -> str:
    """Path of a CMake that is new enough: on PATH, or beside this Python.

    Raises:
        BadInput: where there is none.
    """
    seen = []
    for file in (shutil.which("cmake"), _beside_python("cmake")):
        if file is None:
            continue
        said = subprocess.run([file, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.search(r"version (\d+)\.(\d+)", said)
        if version is not None and (int(version[1]), int(version[2])) >= _OLDEST:
            return file
        seen.append(f"{file} is {version[0] if version else 'of no version'}")
    oldest = ".".join(map(str, _OLDEST))
    raise BadInput(f"this needs CMake {oldest} or newer ({'; '.join(seen) or 'there is none on PATH'}): {_PIP}")


def generator_words() -> list[str]:
    """What tells CMake to build with Ninja or, where there is none, with make.

    Raises:
        BadInput: where neither is there.
    """
    ninja = shutil.which("ninja") or shutil.which("ninja-build") or _beside_python("ninja")
    if ninja is not None:
        return ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    if shutil.which("make") is None:
        raise BadInput(f"this needs Ninja or make, and neither is on PATH: {_PIP}")
    return ["-G", "Unix Makefiles"]


def _beside_python(name: str) -> str | None:
    return shutil.which(name, path=str(Path(sys.executable).parent))


def run_cmake(
    words: Sequence[str | Path],
    log: Path,
    on_step: Callable[[int, int], None] = lambda *_: None,
    *,
    environment: dict[str, str] | None = None,
) -> None:
    """Run CMake, with all that it says in a log.

    Args:
        words: Behind ``cmake``.
        log: A file that its output is added to.
        on_step: Is told how many steps of how many a build has done.
        environment: Its own; None: ours.

    Raises:
        BadInput: where a file of CMake's reports an error; the message is what it reports.
        Failed: where a build ends badly; the message has its last lines, or those about errors.
    """
    said: list[str] = []
    with (
        log.open("a", encoding="utf-8", errors="replace") as file,
        subprocess.Popen(
            [cmake_program(), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        ) as process,
    ):
        for line in process.stdout or []:
            file.write(line)
            said.append(line.rstrip())
            if step := _STEP.match(line):
                on_step(int(step[1]), int(step[2] or 100))
    if process.returncode == 0:
        return
    if reported := _reported(said):
        raise BadInput(reported)
    wrong = [line for line in said if _COMPLAINT.search(line) and len(line) <= _LONGEST] or said
    raise Failed("\n".join([*wrong[-_LAST_LINES:], f"CMake ended with status {process.returncode}; all of it: {log}"]))


def _reported(said: Sequence[str]) -> str:
    """The text of the first error that a file of CMake's reports, on one line; empty: there is none."""
    start = next((i for i, line in enumerate(said) if line.startswith("CMake Error")), None)
    if start is None:
        return ""
    words = [said[start].partition("):")[2].strip()]
    for line in said[start + 1 :]:
        if line and not line.startswith(" "):
            break
        if line.strip() == "" and any(words):
            break
        words.append(line.strip())
    return " ".join(filter(None, words))
