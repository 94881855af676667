"""Where mutations are built and run: a copy of this checkout with a build and an environment of its own.

It lies in build/mutate and is kept, so that the next time builds what has changed alone. Nothing here writes to the
checkout's sources, build or environment.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PROGRAM = re.compile('"(runtime-[a-z-]+)"')
"""Of tests/runtime, as a test names it."""
NOTHING_SELECTED = 5
"""pytest's exit status."""


class CannotRun(Exception):
    """What keeps the tool from telling anything; the text says it to people."""


@dataclass(frozen=True)
class Run:
    """A command that fails where a mutation is caught, and what it needs to be built for it."""

    tier: str
    name: str
    command: tuple[str, ...]
    targets: tuple[str, ...] = ()
    """Empty: everything."""


@dataclass(frozen=True)
class Ended:
    """How a command ended: the first test that failed, or what else it ended by; empty where all passed."""

    failed: str = ""
    said: str = ""
    selected: bool = True


def processes_below(root: int) -> list[int]:
    """Children of a process and theirs, the process among them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            after = entry.read_text().rsplit(")")[-1].split()
            children.setdefault(int(after[1]), []).append(int(entry.parent.name))
    found = [root]
    for one in found:
        found += children.get(one, [])
    return found


def end(process: "subprocess.Popen[str]") -> None:
    """With all that it has started: launchers and ranks may have sessions of their own."""
    started = processes_below(process.pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for one in started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)
        time.sleep(1)
    process.wait()


def run(words: Sequence[str], folder: Path, environment: dict[str, str], seconds: float, log: Path) -> "int | None":
    """The exit status; none where it took longer, or was still there when the tool was interrupted."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as said:
        process = subprocess.Popen(
            list(words), cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said, text=True
        )
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                end(process)


def first_failure(file: Path) -> str:
    """Of JUnit's form, which pytest and CTest write; empty where there is none."""
    try:
        tests = list(ET.parse(file).getroot().iter("testcase"))
    except (OSError, ET.ParseError):
        return ""
    failed = [one for one in tests if one.find("failure") is not None or one.find("error") is not None]
    if not failed:
        return ""
    name = str(failed[0].get("name")).partition("  # ")[0]  # behind it CTest has a parameter's bytes
    owner = failed[0].get("classname")
    return f"{owner}.{name}" if owner and not name.startswith(owner) else name


class Tree:
    """The copy."""

    def __init__(self, checkout: Path, jobs: int) -> None:
        self.checkout = checkout
        self.home = checkout / "build" / "mutate"
        self.root = self.home / "tree"
        self.build_folder = self.root / "build" / "dev"
        self.python = self.home / "env" / "bin" / "python"
        self.jobs = jobs

    @cached_property
    def environment(self) -> dict[str, str]:
        """Of all commands. What runs by turns has the turn of the checkout's commit; what is mutated is touched."""
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=self.checkout, capture_output=True, text=True, check=True
        ).stdout.strip()
        path = f"{self.python.parent}:{self.checkout}/.venv/bin:{os.environ['PATH']}"
        own = {"PATH": path, "VIRTUAL_ENV": str(self.home / "env"), "TURN": head, "BASE": "HEAD"}
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        return kept | own | {"CMAKE_BUILD_PARALLEL_LEVEL": str(self.jobs)}

    def must(self, what: str, words: Sequence[str], seconds: float = 7200) -> None:
        """Runs what cannot be done without."""
        print(f"==> {what}", flush=True)
        log = self.home / "log" / "prepare"
        if run(words, self.root, self.environment, seconds, log) != 0:
            raise CannotRun(f"{what} has failed; what it printed: {log}\n{tail(log)}")

    def prepare(self) -> None:
        """The checkout as it is now, with what is not committed; built, with its tests."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.copy()
        self.make_environment()
        if not (self.build_folder / "build.ninja").exists() or not self.is_installed():
            self.must(
                "The first build of the copy, and its Python package (minutes; ccache has most of it)", self.install()
            )
        self.must("Configuring with tests", ["cmake", "-S", ".", "-B", "build/dev", "-DTRUNKLINE_TESTS=ON"])
        self.must("Building what has changed in the copy", ["cmake", "--build", "build/dev"])
        self.use_what_is_built()

    def copy(self) -> None:
        """Files that have changed alone, so that their times stand; each mutation is a change since a commit there."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.checkout,
            capture_output=True,
            check=True,
        ).stdout.decode()
        wanted = {name for name in listed.split("\0") if name and (self.checkout / name).is_file()}
        for name in wanted:
            source, copy = self.checkout / name, self.root / name
            if copy.is_file() and not copy.is_symlink() and copy.read_bytes() == source.read_bytes():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
        if not (self.root / ".git").exists():
            self.git("init", "--quiet")
            self.git("config", "gc.auto", "0")
        for name in self.git("ls-files", "-z").split("\0"):
            if name and name not in wanted:
                (self.root / name).unlink(missing_ok=True)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "The checkout")
        if (self.checkout / ".mpi").exists() and not (self.root / ".mpi").exists():
            (self.root / ".mpi").symlink_to(self.checkout / ".mpi")

    def git(self, *words: str) -> str:
        """In the copy's own repository."""
        who = ["-c", "user.name=mutate", "-c", "user.email=mutate@localhost"]
        return subprocess.run(["git", *who, *words], cwd=self.root, capture_output=True, text=True, check=True).stdout

    def make_environment(self) -> None:
        """All packages of the checkout's but ours, which is the copy's."""
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.home / "env"], check=True)
        for source in (self.checkout / ".venv").glob("lib/python*/site-packages/*"):
            own = self.packages / source.name
            if "trunkline" not in source.name and not own.exists():
                own.symlink_to(source)

    @property
    def packages(self) -> Path:
        """Where the environment has them."""
        return next((self.home / "env").glob("lib/python*/site-packages"))

    def is_installed(self) -> bool:
        """Whether our package is there."""
        return (self.packages / "trunkline").is_dir()

    def install(self) -> list[str]:
        """As the Makefile does."""
        settings = {
            "build-dir": "build/dev",
            "cmake.define.TRUNKLINE_WERROR": "ON",
            "install.strip": "false",
            "cmake.define.TRUNKLINE_EXTRAS": "ON",
        }
        words = [str(self.python), "-m", "pip", "install", "--verbose", "--disable-pip-version-check"]
        words += ["--no-build-isolation", "--no-deps", "--editable", "."]
        return words + [word for name, value in settings.items() for word in ("--config-settings", f"{name}={value}")]

    def use_what_is_built(self) -> None:
        """In the package: what was installed there becomes a link to what is built, which a mutation changes."""
        package = self.packages / "trunkline"
        built = {
            one.name: one
            for one in self.build_folder.rglob("*")
            if one.is_file() and not one.is_symlink() and "tests" not in one.relative_to(self.build_folder).parts
        }
        compiled = [*package.glob("_core*.so"), *package.glob("lib/*.so"), *package.glob("libexec/*")]
        for one in compiled:
            if one.is_file() and not one.is_symlink():
                if one.name not in built:
                    raise CannotRun(f"{one} was installed, and nothing of this name is in {self.build_folder}")
                one.unlink()
                one.symlink_to(built[one.name])

    def build(self, targets: Sequence[str]) -> str:
        """What is wrong; empty where it could be built."""
        log = self.home / "log" / "build"
        words = ["cmake", "--build", "build/dev", *(["--target", *targets] if targets else [])]
        return "" if run(words, self.root, self.environment, 3600, log) == 0 else tail(log)

    def run(self, one: Run, seconds: float) -> Ended:
        """To its first failure."""
        log = self.home / "log" / one.name.replace("/", "-")[:100]
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.xml"
            words = [word.replace("RESULTS", str(results)) for word in one.command]
            status = run(words, self.root, self.environment, seconds, log)
            if status == 0:
                return Ended()
            if status is None:
                return Ended(f"{one.name}: not done after {seconds:.0f} s", tail(log))
            if status == NOTHING_SELECTED and "pytest" in one.command:
                return Ended(selected=False)
            return Ended(first_failure(results) or f"{one.name}: status {status}", tail(log))

    def expected(self, test: str, mpi: str) -> list[Run]:
        """How a test of a row runs: in the first tier, or where that has it not, in the other one."""
        kind, _, rest = test.partition(" ")
        if kind == "core":
            return [Run("make test", test, self.ctest("-R", rest), self.targets_of_ctest(rest))]
        file = test.partition("::")[0]
        if not (self.root / file).is_file():
            raise CannotRun(f"a test is 'core REGEX' or a pytest node below tests, and not '{test}'")
        own = ["--mpi", mpi] if file.startswith("tests/runtime/") else []
        targets = self.targets_of_pytest(test, mpi)
        return [
            Run("make test", test, self.pytest(1, "--tier", "change", *own, test), targets),
            Run("make test-all", test, self.pytest(1, *own, test), targets),
        ]

    def ctest(self, *more: str) -> tuple[str, ...]:
        """The command; RESULTS stands for the file of its results."""
        words = ("ctest", "--test-dir", "build/dev", "--output-on-failure", "--stop-on-failure", "--no-tests=error")
        return (*words, "--parallel", str(self.jobs), "--output-junit", "RESULTS", *more)

    def pytest(self, jobs: int, *more: str) -> tuple[str, ...]:
        """The command; RESULTS stands for the file of its results."""
        several = ("-n", str(jobs), "--dist", "worksteal") if jobs > 1 else ("-n", "0")
        words = (str(self.python), "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--junit-xml=RESULTS")
        return (*words, *several, *more)

    def targets_of_ctest(self, regex: str) -> tuple[str, ...]:
        """Of the programs of those tests."""
        words = ["ctest", "--test-dir", "build/dev", "--show-only=json-v1", "-R", regex]
        shown = subprocess.run(words, cwd=self.root, env=self.environment, capture_output=True, text=True, check=True)
        commands = [one.get("command") for one in json.loads(shown.stdout)["tests"]]
        if not commands or None in commands:
            raise CannotRun(f"no test of CTest that is built matches '{regex}'")
        return tuple(sorted({Path(command[0]).name for command in commands}))

    def targets_of_pytest(self, test: str, mpi: str) -> tuple[str, ...]:
        """Of one of the runtime's: the programs that it names, the library, and Python's core; of the lab's all."""
        file, _, name = test.partition("::")
        if not file.startswith("tests/runtime/"):
            return ("_core",) if file.startswith("tests/python/") else ()
        whole = (self.root / file).read_text()
        own = f"def {name}(" + whole.partition(f"def {name}(")[2].partition("\ndef ")[0] if name else whole
        programs = re.findall(PROGRAM, own)
        if not programs:  # it leaves that to what others call, too
            programs = re.findall(PROGRAM, whole + (self.root / "tests/runtime/conftest.py").read_text())
        by_itself = own.count("preload=None") == len(re.findall(r"\.(?:run|suites?)\(", own)) > 0
        wanted = {f"{program}-{mpi}" for program in programs} | (
            {"_core"} if by_itself else {f"trunkline-runtime-{mpi}", "_core"}
        )
        return tuple(sorted(wanted & {*self.all_targets}))

    @cached_property
    def all_targets(self) -> list[str]:
        """What Ninja can make."""
        shown = subprocess.run(
            ["ninja", "-C", "build/dev", "-t", "targets", "all"],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return [line.partition(":")[0] for line in shown.stdout.splitlines()]

    def lanes(self) -> Iterator[Run]:
        """All that runs in each tier, the quick ones first."""
        change = ("--tier", "change")
        yield Run("make test", "core", self.ctest())
        yield Run("make test", "python", self.pytest(self.jobs, *change, "tests/python"))
        by_turn = (*change, "--mpi", "by-turn", "tests/runtime", "--ignore=tests/runtime/test_sanitized.py")
        yield Run("make test", "runtime", self.pytest(self.jobs + 2, *by_turn))
        yield Run("make test", "lab", self.pytest(self.jobs, *change, "tests/lab"))
        under_all = ("--mpi", "all", "tests/runtime", "--ignore=tests/runtime/test_sanitized.py")
        yield Run("make test-all", "runtime under all", self.pytest(self.jobs + 2, *under_all))
        yield Run("make test-all", "whole python", self.pytest(self.jobs, "tests/python"))
        yield Run("make test-all", "whole lab", self.pytest(self.jobs, "tests/lab"))
        sanitize = (
            "cmake --preset sanitize && cmake --build --preset sanitize && ctest --preset sanitize --stop-on-failure"
        )
        yield Run("make test-all", "sanitize", ("bash", "-c", f"{sanitize} --output-junit RESULTS"))


def tail(log: Path, lines: int = 25) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""
