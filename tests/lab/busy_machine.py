"""Tests of how well something was measured say nothing where other work takes the processors meanwhile."""

import functools
import time
from pathlib import Path

import pytest

ATTEMPTS = 3
MOST_OF_OTHERS = 0.15
"""Part of all processors that other work may use."""
PATIENCE_S = 600
"""For what ends by itself: a busy machine is slow, not wrong."""


REFUSED = "where 2 = CompletedProcess("
"""Of a command that had to end well: it takes no such words, however quiet the machine."""


def busy_share(seconds=1.0):
    """Part of all processors in use over the next seconds; to be asked when nothing of ours runs."""

    def read():
        ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(ticks), ticks[3] + ticks[4]  # idle, and waiting for a disk

    whole, idle = read()
    time.sleep(seconds)
    whole_then, idle_then = read()
    return 1.0 - (idle_then - idle) / max(1, whole_then - whole)


def measures(test):
    """Try a test up to three times; where other work was seen each time that it failed, skip it with the reason."""
    return pytest.mark.measures(_several_times(test, skips=True))


def compares(test):
    """Try a test up to three times that compares two times measured one after the other, beside other work too."""
    return _several_times(test, skips=False)


def _several_times(test, skips):
    @functools.wraps(test)
    def several_times(*args, **kwargs):
        shares = []
        for attempt in range(ATTEMPTS):
            try:
                test(*args, **kwargs)
                break
            except AssertionError as failure:
                if REFUSED in str(failure):
                    raise
                shares.append(busy_share())
                if attempt + 1 < ATTEMPTS:
                    continue
                if not skips or min(shares) < MOST_OF_OTHERS:
                    raise
                seen = ", ".join(f"{share:.0%}" for share in shares)
                pytest.skip(f"other work used {seen} of the processors: {str(failure).splitlines()[0]}")

    return several_times
