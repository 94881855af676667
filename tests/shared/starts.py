"""How often tests start mpiexec. A job takes as long as hundreds of calls, so a run may be given a most."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

LAUNCHERS = ("mpiexec", "mpirun")
STARTED = "starts of mpiexec"

_started = 0
"""Since the end of the test before."""


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    """Of each process that is started, by whatever; a launcher may stand behind other words."""
    global _started
    if event == "subprocess.Popen" and isinstance(arguments[1], Sequence):
        _started += any(Path(os.fsdecode(word)).name.startswith(LAUNCHERS) for word in arguments[1])


sys.addaudithook(_hear)


class Starts:
    """Each worker reports the starts of a test with its end; where the reports come together they are counted."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.by_file: Counter[str] = Counter()

    @property
    def are_too_many(self) -> bool:
        return self.most is not None and self.by_file.total() > self.most

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        global _started
        yield
        item.user_properties.append((STARTED, _started))
        _started = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self.by_file[Path(report.nodeid.partition("::")[0]).name] += dict(report.user_properties).get(STARTED, 0)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.are_too_many:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        most = "" if self.most is None else f" (at most {self.most})"
        files = ", ".join(f"{file} {count}" for file, count in self.by_file.most_common(5))
        terminalreporter.write_line(f"note: {self.by_file.total()} {STARTED}{most}, most of them by {files}")
        if self.are_too_many:
            terminalreporter.write_line(f"FAILED: too many {STARTED}: let cases share jobs, or move some to test-all")
