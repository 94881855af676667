#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands beside each other, each with a log of its own: tests that wait most of the time.

Usage: tools/beside.py NAME COMMAND [NAME COMMAND]...

What a command printed goes to build/log/NAME. Once it has ended, its last lines are shown, or all of them where it has
failed. The exit status is 0 or 1; who is interrupted ends all of them.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LOGS = Path("build/log")
LAST_LINES = 15


@dataclass
class Beside:
    """A command that runs."""

    name: str
    process: subprocess.Popen[bytes]

    def tell(self, seconds: float) -> None:
        """How it ended."""
        lines = (LOGS / self.name).read_text(errors="replace").splitlines()
        ended = "took" if self.process.returncode == 0 else f"FAILED (status {self.process.returncode}) after"
        shown = lines[-LAST_LINES:] if self.process.returncode == 0 else lines
        print(f"==> {self.name} {ended} {seconds:.0f} s; what it printed: {LOGS / self.name}", *shown, sep="\n")
        sys.stdout.flush()


@contextlib.contextmanager
def started(words: list[str]) -> Iterator[list[Beside]]:
    """All commands; whatever is left of them at the end is ended."""
    LOGS.mkdir(parents=True, exist_ok=True)
    running = []
    try:
        for name, command in zip(words[::2], words[1::2], strict=True):
            print(f"==> {name} begins", flush=True)
            with (LOGS / name).open("wb") as log:
                process = subprocess.Popen(
                    ["bash", "-c", command],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    process_group=0,
                )
            running.append(Beside(name, process))
        yield running
    finally:
        for one in running:
            if one.process.poll() is None:
                os.killpg(one.process.pid, signal.SIGINT)
        for one in running:
            one.process.wait()


def main() -> int:
    """Exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    begin = time.monotonic()
    with started(sys.argv[1:]) as running:
        left = list(running)
        while left:
            time.sleep(0.2)
            for one in [one for one in left if one.process.poll() is not None]:
                left.remove(one)
                one.tell(time.monotonic() - begin)
        return 1 if any(one.process.returncode for one in running) else 0


if __name__ == "__main__":
    sys.exit(main())
