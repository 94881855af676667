#!/usr/bin/env python3
"""Runs clang-tidy on C++ sources, each once and each again only when something changed. Usage: tools/tidy.py [FILE...].

Without files: everything but the tests. run-clang-tidy would read a source of the preload library once for each pair of
MPI libraries; what differs between those is not ours. A header given as a file stands for the source beside it.

What was clean is remembered in the user's cache folder, by the contents of the source and of all headers of ours that
it reads. So clones share it, and a header that changes concerns those alone who read it.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "tidy"
CLEAN = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trunkline" / "tidy"
FOLDERS = ("core", "runtime", "fabric", "copy", "measure", "simulate")
INCLUDED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
"""Headers of ours; those of others stand in angle brackets."""


def configured() -> dict[Path, dict[str, str]]:
    """How each source is compiled by itself: the first of its commands."""
    words = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DTRUNKLINE_UNITY=OFF", "-DTRUNKLINE_WERROR=ON"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}\ntidy: {BUILD} could not be configured")
    commands: dict[Path, dict[str, str]] = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        if file.suffix == ".cpp" and file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in FOLDERS:
            commands.setdefault(file, entry)
    (BUILD / "each").mkdir(exist_ok=True)
    (BUILD / "each" / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    return commands


def how_all_are_checked() -> bytes:
    """Digest of the checks and of the program that makes them."""
    version = subprocess.run(["clang-tidy-14", "--version"], capture_output=True, check=True).stdout
    return hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + version).digest()


@cache
def includes(file: Path) -> tuple[str, ...]:
    """What a file of ours includes, as it is spelt there."""
    return tuple(INCLUDED.findall(file.read_text()))


def read_by(file: Path, folders: list[Path]) -> list[Path]:
    """A source and all headers of ours that it reads, also those that headers read."""
    found: dict[Path, None] = {}
    waiting = [file]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found[one] = None
        for name in includes(one):
            waiting += [
                path.resolve() for path in (folder / name for folder in (one.parent, *folders)) if path.is_file()
            ]
    return sorted(found)


def key_of(file: Path, entry: dict[str, str], common: bytes) -> str:
    """Equal where clang-tidy reads the same: in another clone too."""
    digest = hashlib.sha256(common + entry["command"].replace(str(ROOT), ".").encode())
    folders = [Path(word[2:]) for word in entry["command"].split() if word.startswith("-I")]
    for path in read_by(file, folders):
        digest.update(os.path.relpath(path, ROOT).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def tidy(file: Path, entry: dict[str, str], common: bytes) -> str:
    """What clang-tidy says of a file; nothing where it is clean, which is remembered."""
    clean = CLEAN / key_of(file, entry, common)
    if clean.exists():
        clean.touch()
        return ""
    words = ["clang-tidy-14", "--quiet", "-p", str(BUILD / "each"), str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode or done.stdout:
        return done.stdout + (done.stderr if done.returncode else "") or f"{file}: exit status {done.returncode}\n"
    clean.parent.mkdir(parents=True, exist_ok=True)
    clean.touch()
    return ""


def main() -> None:
    """Checks the files given, or all; exit status 1 where something is wrong."""
    commands = configured()
    named = [Path(word).resolve().with_suffix(".cpp") for word in sys.argv[1:]]
    files = [file for file in (dict.fromkeys(named) if named else sorted(commands)) if file in commands]
    common = how_all_are_checked()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        running = {pool.submit(tidy, file, commands[file], common): file for file in files}
        for count, done in enumerate(concurrent.futures.as_completed(running), 1):
            said = done.result()
            failed += bool(said)
            print(
                f"[{count}/{len(files)}] {running[done].relative_to(ROOT)}{': see below' if said else ''}", flush=True
            )
            if said:
                print(said, flush=True)
    if failed:
        sys.exit(f"tidy: {failed} of {len(files)} files are not clean")


if __name__ == "__main__":
    main()
