#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs lanes of tests beside each other, since they wait most of the time, and tells in one table what became of them.

Usage: tools/beside.py NAME WHERE COMMAND... [beside NAME WHERE COMMAND...]... [then NAME WHERE COMMAND...]...

Lanes run one after another, whether they end well or not; behind "beside" stand others that run meanwhile, and behind
"then" those that wait for all before. What a command prints goes to build/log/NAME. Once it has ended, its last lines
are shown, or all of them where it has failed. A lane that has left its results in
build/log/NAME.xml (JUnit's form, which pytest and CTest write) is counted by tests, another one as one test. What a
lane's tests skipped, and lines of its log that begin with "note: ", stand below the table. The exit status is 0, or 1
where a lane failed; who is interrupted ends all of them.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

LOGS = Path("build/log")
LAST_LINES = 15
THEN, BESIDE = "then", "beside"


@dataclass
class Results:
    """What became of a lane's tests."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    """By reason."""


def results_in(file: Path) -> Results:
    """Of JUnit's form: a test that has neither failed nor been skipped has passed."""
    found = Results()
    try:
        tests = ET.parse(file).getroot().iter("testcase")
    except ET.ParseError as wrong:  # whoever wrote it was ended meanwhile
        return Results(failed=[f"{file} cannot be read: {wrong}"])
    for test in tests:
        name = f"{test.get('classname')}.{test.get('name')}"
        skipped = test.find("skipped")
        if test.find("failure") is not None or test.find("error") is not None:
            if name not in found.failed:  # a test may fail, and then its end
                found.failed.append(name)
        elif skipped is not None:
            found.skipped[skipped.get("message") or "without a reason"] += 1
        else:
            found.passed += 1
    return found


@dataclass
class Lane:
    """A command, and where it runs what it runs."""

    name: str
    where: str
    command: str
    process: subprocess.Popen[bytes] | None = None
    began: float = 0
    seconds: float = 0

    @property
    def log(self) -> Path:
        """What it prints."""
        return LOGS / self.name

    @property
    def status(self) -> int:
        """Of its end."""
        return self.process.returncode if self.process is not None else 1

    def begin(self) -> None:
        """Without the results of another time."""
        print(f"==> {self.name} begins", flush=True)
        (LOGS / f"{self.name}.xml").unlink(missing_ok=True)
        self.began = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    def has_ended(self) -> bool:
        """Looked at again and again."""
        if self.process is None or self.process.poll() is None:
            return False
        self.seconds = time.monotonic() - self.began
        return True

    def said(self) -> list[str]:
        """Lines of its log."""
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def tell(self) -> None:
        """How it ended."""
        ended = f"FAILED (status {self.status}) after" if self.status else "took"
        shown = self.said() if self.status else self.said()[-LAST_LINES:]
        print(
            f"==> {self.name} {ended} {self.seconds:.0f} s; what it printed: {self.log}", *shown, sep="\n", flush=True
        )

    def results(self) -> Results:
        """By tests, where the lane has told; its status goes over them."""
        file = LOGS / f"{self.name}.xml"
        found = results_in(file) if file.exists() else Results(passed=0 if self.status else 1)
        if self.status and not found.failed:
            found.failed.append(f"status {self.status}")
        return found


@contextlib.contextmanager
def ended_at_last(rows: list[list[Lane]]) -> Iterator[None]:
    """Whatever runs at the end is interrupted."""
    try:
        yield
    finally:
        processes = [lane.process for lanes in rows for lane in lanes if lane.process is not None]
        running = [process for process in processes if process.poll() is None]
        for process in running:
            os.killpg(process.pid, signal.SIGINT)
        for process in running:
            process.wait()


def run(rows: list[list[Lane]]) -> None:
    """Rows beside each other, and the lanes of each one after another, to their ends."""
    with ended_at_last(rows):
        left = [list(lanes) for lanes in rows]
        for lanes in left:
            lanes[0].begin()
        while left := [lanes for lanes in left if lanes]:
            time.sleep(0.2)
            for lanes in left:
                if lanes[0].has_ended():
                    lanes.pop(0).tell()
                    if lanes:
                        lanes[0].begin()


def table(lanes: list[Lane], seconds: float) -> list[str]:
    """What ran, where, how it ended, how long it took; below it what failed, what was skipped and why, and notes."""
    results = {lane.name: lane.results() for lane in lanes}
    rows = [("lane", "where", "passed", "failed", "skipped", "seconds")]
    for lane in lanes:
        one = results[lane.name]
        counts = (one.passed, len(one.failed), one.skipped.total(), round(lane.seconds))
        rows.append((lane.name, lane.where, *map(str, counts)))
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            text.rjust(width) if text.isdigit() else text.ljust(width) for text, width in zip(row, wide, strict=True)
        )
        for row in rows
    ]
    lines.append(f"all of it took {seconds:.0f} s; load of the machine now {os.getloadavg()[1]:.1f}")
    for lane in lanes:
        one = results[lane.name]
        lines += [f"FAILED  {lane.name}: {test} ({lane.log})" for test in one.failed]
    for lane in lanes:
        lines += [f"skipped {lane.name}: {count} x {why}" for why, count in results[lane.name].skipped.most_common()]
    for lane in lanes:
        lines += [f"{lane.name}: {line}" for line in lane.said() if line.startswith("note: ")]
    return lines


def parts(words: list[str], between: str) -> list[list[str]]:
    """What stands between such words."""
    return [list(part) for is_between, part in groupby(words, between.__eq__) if not is_between]


def lanes_of(words: list[str]) -> list[Lane]:
    """Of a part of the command line."""
    if len(words) % 3:
        sys.exit(f"beside: each lane is NAME WHERE COMMAND, not {' '.join(words)}")
    return [Lane(*words[at : at + 3]) for at in range(0, len(words), 3)]


def main() -> int:
    """Exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    LOGS.mkdir(parents=True, exist_ok=True)
    groups = [[lanes_of(row) for row in parts(group, BESIDE)] for group in parts(sys.argv[1:], THEN)]
    begin = time.monotonic()
    for rows in groups:
        run(rows)
    lanes = [lane for rows in groups for row in rows for lane in row]
    print("", *table(lanes, time.monotonic() - begin), sep="\n")
    return 1 if any(lane.results().failed for lane in lanes) else 0


if __name__ == "__main__":
    sys.exit(main())
