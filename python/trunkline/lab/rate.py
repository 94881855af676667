"""The highest rate at which this machine emulates a cluster truly, measured once and kept."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trunkline import _core
from trunkline.cluster import fingerprint_text
from trunkline.errors import BadInput, Failed
from trunkline.files import LARGEST_TEXT, read_regular_text, replace_file
from trunkline.lab.accuracy import Accuracy, measure_accuracy
from trunkline.lab.session import Lab
from trunkline.units import format_rate, format_seconds, parse_rate

LADDER = tuple(rate * 1e6 for rate in (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200))
"""Rates tried, bits per second. Rungs, so that results from two days or two machines can be compared."""
QUICK_SIZES = (1 << 10, 1 << 13, 1 << 16, 1 << 18)
"""Messages of the ping-pong while looking for a rate; the longest ones take seconds and hold where these do."""
QUICK_SEGMENTS = (2896,)


MANY_TIMES = 10
"""From which on the slowest link is worth a warning, as a part of the fastest one's rate."""


def lab_rate(cluster: _core.Cluster, rate: str, on_step: Callable[[str], None] = lambda _: None) -> float:
    """The rate of the fastest link, bits per second: as given (``20Mbit``), or found where it is ``auto``.

    Warns where some link is much slower than the fastest one, before anything is started.

    Raises:
        BadInput: where the text is no rate.
        Failed: where not even the lowest rate holds.
    """
    given = None if rate == "auto" else parse_rate(rate)
    warn_of_slow_links(cluster, given)
    return auto_rate(cluster, on_step) if given is None else given


def warn_of_slow_links(cluster: _core.Cluster, rate_bps: float | None) -> None:
    """Say on standard error what :func:`slow_link` finds; None: no rate is known yet."""
    if warning := slow_link(cluster, rate_bps):
        print(f"trunkline: warning: {warning}", file=sys.stderr)


def slow_link(cluster: _core.Cluster, rate_bps: float | None) -> str | None:
    """How slow the slowest link makes a lab, where links are very different; its rates keep their proportions.

    Args:
        cluster: What is emulated.
        rate_bps: Of its fastest link; None: the highest that is tried.
    """
    slowest = min(cluster.links, key=lambda link: link.least_bps)
    fastest_bps = max(link.most_bps for link in cluster.links)
    if slowest.least_bps * MANY_TIMES > fastest_bps:
        return None
    bps = rate_bps or LADDER[-1]
    wire_bits = (1 << 20) * 8 * _core.frame_wire_bytes / _core.frame_payload_bytes
    seconds = wire_bits / (slowest.least_bps / fastest_bps * bps)
    most = "" if rate_bps else ", the most that is tried"
    return (
        f"links of {cluster.name} have from {format_rate(slowest.least_bps)} to {format_rate(fastest_bps)}, and the "
        f"lab keeps the proportions: with the fastest at {format_rate(bps)}{most}, 1 MiB takes "
        f"{format_seconds(seconds)} over {slowest.a} - {slowest.b} alone. --rate sets the fastest link; a copy of the "
        "file can bring others nearer to it"
    )


def auto_rate(cluster: _core.Cluster, on_step: Callable[[str], None] = lambda _: None) -> float:
    """The highest rate of the ladder that holds for this cluster here: from the cache, else measured.

    Raises:
        Failed: where not even the lowest rate holds.
    """
    kept = _read_cache().get(_key(cluster))
    if isinstance(kept, (int, float)) and kept in LADDER:
        return float(kept)
    rate = find_rate(cluster, on_step)
    remember_rate(cluster, rate)
    return rate


def find_rate(cluster: _core.Cluster, on_step: Callable[[str], None] = lambda _: None) -> float:
    """Measure the highest rate of the ladder that holds, on one lab.

    Raises:
        Failed: where not even the lowest rate holds, with the reasons.
    """
    seen: dict[float, Accuracy] = {}

    def holds(rate: float) -> bool:
        lab.set_rate(rate)

        def step(what: str) -> None:
            on_step(f"{format_rate(rate)}: {what}")

        for _ in range(2):  # once more where it fails: something else may have run just then
            seen[rate] = measure_accuracy(lab, sizes=QUICK_SIZES, segments=QUICK_SEGMENTS, repetitions=3, on_step=step)
            if not seen[rate].reasons():
                return True
        return False

    with Lab(_core.unimpaired(cluster), LADDER[0]) as lab:
        rate = highest(LADDER, holds)
    if rate is None:
        load = os.getloadavg()[0]
        raise Failed(
            f"{cluster.name} cannot be emulated truly on this machine even at {format_rate(LADDER[0])}: "
            f"{'; '.join(seen[LADDER[0]].reasons())}. {len(os.sched_getaffinity(0))} processors, load {load:.1f}: try "
            "again when nothing else runs, or name a rate (--rate 10Mbit) and judge its results with care"
        )
    return rate


def highest(ladder: tuple[float, ...], holds: Callable[[float], bool]) -> float | None:
    """The highest rung that holds, by bisection: whatever holds at a rung holds below it. None where none does."""
    low, high = 0, len(ladder)
    while low < high:
        middle = (low + high) // 2
        if holds(ladder[middle]):
            low = middle + 1
        else:
            high = middle
    return ladder[low - 1] if low else None


def remember_rate(cluster: _core.Cluster, rate: float) -> None:
    """Keep a rate for this cluster on this machine; where that fails, say so: it will have to be measured again."""
    file = cache_file()
    content = {**_read_cache(), _key(cluster): rate}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(content, indent=1) + "\n")
    except OSError as error:
        print(f"trunkline: cannot keep the rate of {cluster.name} in {file}: {error.strerror}", file=sys.stderr)
    except BadInput as error:
        print(f"trunkline: cannot keep the rate of {cluster.name}: {error}", file=sys.stderr)


def cache_file() -> Path:
    """Where rates are kept."""
    folder = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(folder) if folder else Path.home() / ".cache") / "trunkline" / "lab-rates.json"


def _read_cache() -> dict[str, Any]:
    try:
        content = json.loads(read_regular_text(cache_file(), LARGEST_TEXT))
    except (BadInput, ValueError, RecursionError):
        return {}  # nothing kept, or nothing that can be used: it is measured again
    return content if isinstance(content, dict) else {}


def _key(cluster: _core.Cluster) -> str:
    """The same only where the same answer can be expected: network, processors, kernel, privileges, version."""
    processor = ""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
            break
    privileges = "root" if os.geteuid() == 0 else "user"
    machine = (processor, str(len(os.sched_getaffinity(0))), platform.release(), privileges, _core.__version__)
    return " | ".join((fingerprint_text(cluster), *machine))
