"""Runs programs under every MPI library found, with the preload library that was built for it."""

import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from chosen import ALL, Case, Choice, choice_of, of_a_change, runs_under_the_one
from explained import events
from jobs import AS_ROOT, BUILD, ROOT, run_job
from starts import Starts

ON_OWN_HOST = Path(__file__).with_name("on_own_host.sh")
IN_WHOLE_LINES = Path(__file__).with_name("in_whole_lines.sh")
WITH_NETWORK = Path(__file__).with_name("with_network.sh")
SECONDS = 240
_TEMPORARY = tempfile.TemporaryDirectory(prefix="rt-")
"""Of this process of pytest's: Open MPI's jobs share a folder there, which one may remove while another makes it."""


def _clean_environment(temporary: str) -> dict[str, str]:
    """Ours, without settings of Trunkline, and with a folder for temporary files."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRUNKLINE_")}
    kept.pop("LD_PRELOAD", None)
    return kept | AS_ROOT | {"TMPDIR": temporary}


@dataclass(frozen=True)
class Outcome:
    """What a job left behind."""

    status: int
    out: str
    err: str

    def lines(self, start: str) -> list[str]:
        """Lines of standard error that begin so."""
        return [line for line in self.err.splitlines() if line.startswith(start)]

    def warnings(self) -> list[str]:
        """In whichever form the job spoke."""
        return [*self.lines("trunkline: warning"), *(one["message"] for one in events(self.err, "warning"))]

    def last_words(self) -> list[str]:
        """Our lines of a job that one rank has ended, each once.

        On a busy machine the launcher takes its time to end the others, which say the same after a second.
        """
        return list(dict.fromkeys(self.lines("trunkline: ")))


Part = tuple[Sequence[str], Sequence[str]]
"""Groups of cases, and choices of algorithms that they run under."""


@dataclass(frozen=True)
class Mpi:
    """One MPI library: how to launch, and what was built for it."""

    name: str
    launcher: tuple[str, ...]

    @property
    def library(self) -> Path:
        return BUILD / "lib" / f"libtrunkline-{self.name}.so"

    @property
    def yields(self) -> str:
        """What makes its ranks yield while they wait, where no setting does, and sleep when they wait for long."""
        needed = ["rest"] * (self.name == "mpich") + ["yield"] * (self.family == "mpich") + ["nap"]
        return ":".join(str(BUILD / "tests" / "runtime" / f"libruntime-{name}.so") for name in needed)

    @property
    def family(self) -> str:
        return self.name.partition("-")[0]

    def program(self, name: str) -> Path:
        """A program of this folder, built for this MPI."""
        return BUILD / "tests" / "runtime" / f"{name}-{self.name}"

    def run(
        self,
        ranks: int,
        *command: str | Path,
        settings: Mapping[str, str] | None = None,
        preload: Path | str | None = "own",
        per_rank: Sequence[str | Path] = (),
        status: int | None = 0,
        seconds: int = SECONDS,
        around: Sequence[str | Path] = (),
    ) -> Outcome:
        """Runs a job; `per_rank` are words put in front of each rank's command; `status` is checked unless None.

        `around` are words put in front of the launcher.
        """
        library = self.library if preload == "own" else preload
        variables = dict(settings or {})
        if "TRUNKLINE_LEARN" in variables:  # else a test would begin with what another one has found
            variables.setdefault("TRUNKLINE_LEARNED", "0")
        preloads = [os.environ.get("TRUNKLINE_TEST_PRELOAD", ""), self.yields, str(library or "")]
        variables["LD_PRELOAD"] = ":".join(one for one in preloads if one)
        with tempfile.TemporaryDirectory(dir=_TEMPORARY.name, ignore_cleanup_errors=True) as folder:
            said = Path(folder, "said")
            whole_lines = (IN_WHOLE_LINES, said) if "TRUNKLINE_EXPLAIN" in variables else ()
            assigned = (f"{name}={value}" for name, value in variables.items())
            before = (*around, *self.launcher, "-n", ranks, *whole_lines, "env", *assigned, *per_rank)
            words = [str(word) for word in (*before, *command)]
            again = status == 0 and self.name == "openmpi"
            # Launchers of Open MPI 4 that begin and end at once are in each other's way in a folder that both use.
            done = run_job(words, again=again, said=said, env=_clean_environment(folder), timeout=seconds)
            outcome = Outcome(done.returncode, done.stdout, done.stderr)
        if status is not None:
            assert outcome.status == status, f"{shlex.join(words)}\n{outcome.out}\n{outcome.err}"
        return outcome

    def suite(self, ranks: int, groups: Sequence[str], choices: Sequence[str], **options: object) -> None:
        """Runs groups of cases of the program that checks itself; on hosts h0, h1, ... where a cluster is set."""
        self.suites(ranks, [(groups, choices)], **options)

    def suites(self, ranks: int, parts: Sequence[Part], **options: object) -> None:
        """Several groups in one job, each under choices of its own."""
        settings = options.get("settings") or {}
        hosts = [ON_OWN_HOST] if "TRUNKLINE_CLUSTER" in settings else []
        words: list[str] = []
        for groups, choices in parts:
            words += ["--groups", ",".join(groups), "--choices", ",".join(choices)]
        command = [self.program("runtime-test"), "--require", *words]
        done = self.run(ranks, *command, per_rank=hosts, seconds=SECONDS * len(parts), **options)
        assert "FAILED" not in done.err, done.err
        assert " passed, 0 failed" in done.out, done.out + done.err


def address_sanitizer_options(mpi: str, *more: str) -> str:
    """For ``ASAN_OPTIONS``: leaks are looked for under MPICH alone.

    In ranks of Open MPI the tracer of LeakSanitizer crashed by itself, on some days in every run
    (https://github.com/google/sanitizers/issues/1353); programs and routines are the same under both.
    """
    return ":".join((*more, *(["detect_leaks=0"] if mpi.startswith("openmpi") else [])))


def _launcher(name: str) -> tuple[str, ...] | None:
    """How to start ranks on this machine; None where the MPI is not installed here any more."""
    family, _, version = name.partition("-")
    folder = ROOT / ".mpi" / name / "bin"
    program = str(folder / "mpiexec") if version else shutil.which(f"mpiexec.{family}")
    if program is None or not Path(program).exists():
        return None
    if family == "mpich":
        return (program,)
    # Polling ranks that never yield starve each other where there are more of them than processors.
    yielding = ("--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
    # What it takes on one host anyway. To try all other transports first takes most of the time of a short job.
    transport = ("--mca", "pml", "ob1", "--mca", "btl", "self,sm" if version else "self,vader")
    return (program, *yielding, *transport)


def installed() -> list[Mpi]:
    found = []
    for library in sorted((BUILD / "lib").glob("libtrunkline-*.so")):
        name = library.stem.removeprefix("libtrunkline-")
        launcher = _launcher(name) if name != "idle" else None
        if launcher is not None:
            found.append(Mpi(name, launcher))
    return found


def share(count: int, mpi: Mpi) -> tuple[str, str]:
    """A library's part of so many random cases, which are the same under each, and a seed of its own."""
    libraries = installed()
    return str(-(-count // len(libraries))), str(1 + libraries.index(mpi))


ONE_VERSION = pytest.mark.one_version
"""Of rows that differ from others in ranks, segments and the like: a library's other versions run the rest."""


CHOICE = pytest.StashKey[Choice]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("MPI libraries")
    group.addoption("--mpi", default=ALL, help="all, by-turn (by the commit), or the name of one")
    group.addoption("--most-starts", type=int, help="fail where mpiexec is started more often")


def pytest_configure(config: pytest.Config) -> None:
    names = [mpi.name for mpi in installed()]
    if not names:
        pytest.exit(f"no preload library in {BUILD / 'lib'}: cmake --preset dev && cmake --build --preset dev", 2)
    try:
        config.stash[CHOICE] = choice_of(config.option.mpi, names)
    except ValueError as wrong:
        raise pytest.UsageError(f"--mpi: {wrong}") from None
    config.pluginmanager.register(Starts(config.option.most_starts), "starts")


def _case(item: pytest.Item, number: int) -> Case:
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    fixture, mpi = next(((name, one) for name, one in given.items() if isinstance(one, Mpi)), ("", None))
    any_version = fixture == "mpi" or item.get_closest_marker("one_version") is not None
    return Case(item.path.name, item.name.partition("[")[0], number, mpi and mpi.name, any_version)


def _served_elsewhere(item: pytest.Item, case: Case) -> bool:
    """``ONE_VERSION`` runs under a library's version that the system has."""
    family = (case.library or "").partition("-")[0]
    once = item.get_closest_marker("one_version") is not None
    return once and case.library != family and any(mpi.name == family for mpi in installed())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what other versions of a library serve, and what is not for this change."""
    choice = config.stash[CHOICE]
    cases = {item: _case(item, number) for number, item in enumerate(items)}
    left = {item: case for item, case in cases.items() if not _served_elsewhere(item, case)}
    if config.option.tier == "change":
        chosen = of_a_change(list(left.values()), choice)
    else:
        chosen = {case for case in left.values() if runs_under_the_one(case, choice)}
    kept = [item for item, case in left.items() if case in chosen]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    found = installed()
    system = [mpi for mpi in found if mpi.name == mpi.family]
    if "any_mpi" in metafunc.fixturenames:
        metafunc.parametrize("any_mpi", found, ids=lambda mpi: mpi.name)
    if "mpi" in metafunc.fixturenames:
        metafunc.parametrize("mpi", system, ids=lambda mpi: mpi.name)
    if "other_mpi" in metafunc.fixturenames:
        others = [mpi for mpi in found if mpi.name != mpi.family]
        metafunc.parametrize("other_mpi", others, ids=lambda mpi: mpi.name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.write_line(f"note: {config.stash[CHOICE].why}")
