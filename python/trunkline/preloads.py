"""What is preloaded into a job's ranks besides Trunkline: libraries that the command names, and a sanitizer's own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.files import open_regular

_SANITIZER = re.compile(r"lib(clang_rt\.)?[a-z]*(asan|tsan|lsan|msan)\b.*\.so")
_FILES_OF_PROGRAMS = ("configfile", "app")
_FILES_OF_SETTINGS = ("tune", "am")
_LISTS = ("mca_base_env_list",)
_SHELLS = re.compile(r"(ba|da|k|z)?sh")
_PART = 1 << 20
_LONGEST_SCRIPT = 1 << 16
_KEPT = "LD_PRELOAD=LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}"
_DROPS = re.compile(
    r"""\bunset\s+(-v\s+)?([A-Za-z_]\w*\s+)*LD_PRELOAD\b
    | \benv\s+([^;|&]*\s)?(-i|-|--ignore-environment|-u\s*LD_PRELOAD|--unset=LD_PRELOAD)(?=\s|$)
    | (?<![\w$])LD_PRELOAD=(?!\S*\$\{?LD_PRELOAD\b)("[^"]*"|'[^']*'|\S)*""",
    re.VERBOSE,
)
"""In a shell's line: what leaves the programs behind it without what was preloaded before."""


def preload_order(ours: str, others: str, sanitizers: Sequence[str] = ()) -> str:
    """A value of ``LD_PRELOAD``: sanitizers, which end programs where they do not come first; ours; all others.

    Args:
        ours: The preload library.
        others: What the caller or the command preloads: paths, with colons or blanks between them.
        sanitizers: Libraries of those that the job's programs are built with.
    """
    given = [path for path in re.split(r"[:\s]+", others) if path]
    first = [path for path in given if _SANITIZER.search(Path(path).name)]
    missing = [path for path in sanitizers if Path(path).name not in {Path(one).name for one in first}]
    rest = [path for path in given if path not in first and path != ours]
    return ":".join([*first, *missing, ours, *rest])


def with_preloads(
    words: Sequence[str], environment: Mapping[str, str], ordered: Callable[[str], str]
) -> tuple[list[str], bool]:
    """A command's words where every ``LD_PRELOAD`` that they name has ours in it, and whether one is for all ranks.

    Args:
        words: Behind the launcher, of one program with its options.
        environment: The launcher's.
        ordered: Makes a value from what is preloaded besides.
    """
    merged, is_for_all = list(words), False
    for at, word in enumerate(words):
        option = words[at - 1].lstrip("-") if at > 0 and words[at - 1].startswith("-") else ""
        name, equals, value = word.partition("=")
        if name != "LD_PRELOAD":
            if word.startswith("--export="):
                merged[at] = _exported(word, ordered)
            continue
        if option in ("genv", "env") and not equals and at + 1 < len(words):
            merged[at + 1] = ordered(words[at + 1])
            is_for_all = is_for_all or option == "genv"
        elif option == "x":
            merged[at] = f"LD_PRELOAD={ordered(value if equals else environment.get('LD_PRELOAD', ''))}"
            is_for_all = True
        elif equals:  # of env, before the program
            merged[at] = f"LD_PRELOAD={ordered(value)}"
    return merged, is_for_all


def _exported(word: str, ordered: Callable[[str], str]) -> str:
    """``srun --export=ALL,LD_PRELOAD=PATH``."""
    option, _, names = word.partition("=")
    parts = [part.partition("=") for part in names.split(",")]
    told = [
        f"{name}={ordered(value)}" if name == "LD_PRELOAD" and eq else name + eq + value for name, eq, value in parts
    ]
    return f"{option}={','.join(told)}"


def refuse_what_drops_preloads(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Looks for what would leave ranks without the library.

    Raises:
        BadInput: for files of programs and of settings, lists of variables beside ``-x``, and before a program for what
            takes the library from it: ``env -i``, ``env -u LD_PRELOAD``, words of a shell that set or unset it.
    """
    is_launchers = True  # up to the first program of each part: what follows is the program's own
    for at, word in enumerate(words):
        behind = words[at + 1] if at + 1 < len(words) else ""
        is_launchers = word == ":" or is_launchers
        option = word.lstrip("-").partition("=")[0] if word.startswith("-") else ""
        if is_launchers and option in _FILES_OF_PROGRAMS:
            raise BadInput(
                f"'{word} {behind}': programs from a file are started without the library; write them on the command "
                "line, with ' : ' between them"
            )
        if is_launchers and option in _FILES_OF_SETTINGS:
            raise BadInput(
                f"'{word} {behind}': variables in that file are lost beside -x, which tells ranks of the library; "
                "write it on the command line, each variable with -x NAME=VALUE"
            )
        if is_launchers and word in _LISTS:
            raise BadInput(
                f"Open MPI takes variables by '{word}' or by -x, not by both: write '-x NAME=VALUE' for each"
            )
        if Path(word).name == "env":
            _refuse_env(word, words[at + 1 :])
        if (text := _told_to_shell(words, at)) is not None and (dropped := _dropped_by(text)):
            raise BadInput(
                f"'{word}' is told '{dropped[1]}', which takes the library from the ranks: preload before it, as in "
                f"-- mpiexec ... env LD_PRELOAD=LIBRARY {word} ..., or keep what is there: {_KEPT}"
            )
        if is_launchers or (at > 0 and _SHELLS.fullmatch(Path(words[at - 1]).name)):
            _refuse_script(word, environment)
        if is_launchers and shutil.which(word, path=environment.get("PATH", os.defpath)) is not None:
            is_launchers = False
    for name in _LISTS:
        if f"OMPI_MCA_{name}" in environment:
            raise BadInput(f"Open MPI takes variables by OMPI_MCA_{name} or by -x, not by both: unset it")


def _told_to_shell(words: Sequence[str], at: int) -> str | None:
    """What stands behind ``sh -c``, where the word is such a shell."""
    is_told = at + 2 < len(words) and _SHELLS.fullmatch(Path(words[at]).name) and re.fullmatch(r"-\w*c", words[at + 1])
    return words[at + 2] if is_told else None


def _dropped_by(text: str) -> tuple[int, str] | None:
    """The first line of a shell's text that takes what is preloaded from what it starts, by number, and its words."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _DROPS.search(line.partition(" #")[0] if not line.lstrip().startswith("#") else ""):
            return number, found.group().strip()
    return None


def _refuse_script(word: str, environment: Mapping[str, str]) -> None:
    """For a shell's script that takes the library from what it starts, as far as its own lines say.

    Raises:
        BadInput: with the line.
    """
    file = shutil.which(word, path=environment.get("PATH", os.defpath)) or word
    try:
        with open_regular(Path(file)) as opened:
            start = opened.read(_LONGEST_SCRIPT)
    except (OSError, BadInput):
        return  # the launcher says what is wrong with it
    if not re.match(rb"#!.*\b(ba|da|k|z)?sh\b", start):
        return
    if dropped := _dropped_by(start.decode(errors="replace")):
        number, words = dropped
        raise BadInput(
            f"{file}:{number}: '{words}' takes the library from the ranks; keep what is there: {_KEPT}, or preload "
            f"before it, as in -- mpiexec ... env LD_PRELOAD=LIBRARY {word} ..."
        )


def _refuse_env(env: str, behind: Sequence[str]) -> None:
    """For options of ``env`` that take the library from what it starts."""
    words = list(behind)
    while words and (words[0].startswith("-") or "=" in words[0]):
        word = words.pop(0)
        name = words.pop(0) if word in ("-u", "--unset") and words else word.removeprefix("-u").removeprefix("--unset=")
        is_emptied = re.match(r"-[0v]*i|-$", word) or (len(word) > 2 and "--ignore-environment".startswith(word))
        if is_emptied or (name == "LD_PRELOAD" and word != name):
            raise BadInput(
                f"'{env} {' '.join(behind[:2])}' takes the library from the ranks, or its settings: leave other "
                "variables out with 'env -u NAME' instead"
            )
        if word.startswith(("-S", "--split-string")):
            raise BadInput(f"'{env} {word}': write its words one by one, so that they can be looked at")


def programs_among(words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The binaries among a command's words, and those that a shell is told: programs, and what stands before them."""
    told = (text for at in range(len(words)) if (text := _told_to_shell(words, at)) is not None)
    among = (*words, *(word for text in told for word in re.split(r"[\s;|&()'\"]+", text) if word))
    files = (shutil.which(word, path=environment.get("PATH", os.defpath)) for word in among)
    return [file for file in files if file is not None and is_binary(file)]


def is_binary(file: str) -> bool:
    """Whether a file is a program for the loader, and no script."""
    try:
        with open_regular(Path(file)) as opened:
            return opened.read(4) == b"\x7fELF"
    except (OSError, BadInput):
        return False  # what cannot be read is no program of the job's user


def has_inside(file: str, word: bytes) -> bool:
    """Whether a program holds these bytes; it is read in parts, since programs may be longer than memory.

    Raises:
        BadInput: where it is no regular file.
        OSError: where it cannot be read.
    """
    with open_regular(Path(file)) as opened:
        seen = b""
        while part := opened.read(_PART):
            seen = seen[-len(word) + 1 :] + part
            if word in seen:
                return True
    return False


def libraries_of(file: str, environment: Mapping[str, str]) -> dict[str, str]:
    """What the loader finds for a program: by name, its path."""
    plain = frozenset((name, value) for name, value in environment.items() if name != "LD_PRELOAD")
    try:
        now = Path(file).stat()
    except OSError:
        return {}
    return _found_by_loader(file, (now.st_dev, now.st_ino, now.st_mtime_ns), plain)


@lru_cache(maxsize=64)
def _found_by_loader(file: str, version: tuple[int, ...], environment: frozenset[tuple[str, str]]) -> dict[str, str]:  # noqa: ARG001
    """Asked once for a program, which several ask about; ``version`` tells it from one that was there before."""
    said = subprocess.run(["ldd", file], capture_output=True, text=True, check=False, env=dict(environment)).stdout
    pairs = (line.strip().split(" => ") for line in said.splitlines() if " => /" in line)
    return {name: place.split(" (")[0] for name, place in pairs}


def sanitizers_of(programs: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The libraries of sanitizers that programs are linked to."""
    found = (libraries_of(program, environment) for program in programs)
    return list(dict.fromkeys(path for one in found for name, path in one.items() if _SANITIZER.search(name)))
