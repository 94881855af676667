"""How true a lab is: plain sockets on it against theory."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from trunkline.compat import zip_equal
from trunkline.errors import Failed
from trunkline.lab.places import FOLDER
from trunkline.lab.session import Lab
from trunkline.paths import NATIVE
from trunkline.units import format_bytes

PROBE = NATIVE / "libexec" / "trunkline-probe"
SIZES = tuple(1 << power for power in range(10, 23, 2))
"""Messages of the ping-pong: 1 KiB to 4 MiB."""
SEGMENTS = (2896, 5792)
"""Segments of the relay: two full frames and four. Smaller ones need more work than any library gives a network."""
RELAY_BYTES = 1 << 20
PING_PONG_TOLERANCE = 0.05
RELAY_TOLERANCE = 0.10
MOST_BUSY = 1 / 3
"""Part of all processors that the network and plain sockets may use in the relay.

What an MPI library does on top of plain sockets has to fit into the rest, with room to spare: it doubles what the hosts
do, and a rank that has to wait for a processor holds up the whole line.
"""


@dataclass(frozen=True)
class PingPong:
    """Half a ping-pong between the first two hosts of the contention-free line."""

    message_bytes: int
    seconds: float
    """Median."""
    wire_seconds: float
    """On the wire, by theory."""
    error: float
    """Against the time on the wire plus the start-up, as a part of it."""


@dataclass(frozen=True)
class Relay:
    """A message down the contention-free line through all hosts."""

    segment_bytes: int
    seconds: float
    """Median."""
    theory_seconds: float
    error: float
    """As a part of theory."""
    busy: float
    """Part of all processors that the network and the hosts used."""


@dataclass(frozen=True)
class Accuracy:
    """What was measured on one lab at one rate."""

    cluster: str
    rate_bps: float
    processors: int
    priority: str
    start_up_seconds: float
    """What a message takes besides the wire; 0 where no ping-pong was measured."""
    ping_pong: list[PingPong]
    relay: list[Relay]
    network: dict[str, Any]
    """What the network counted meanwhile."""

    def reasons(self) -> list[str]:
        """Why the lab is not true at this rate; none where it is."""
        found = []
        if self.ping_pong and self.start_up_seconds <= 0:
            found.append("messages arrive sooner than the wire allows")
        found += [
            f"T({format_bytes(row.message_bytes)}) is {row.error:+.1%} off, more than {PING_PONG_TOLERANCE:.0%}"
            for row in self.ping_pong
            if abs(row.error) > PING_PONG_TOLERANCE
        ]
        for row in self.relay:
            if abs(row.error) > RELAY_TOLERANCE:
                segments = format_bytes(row.segment_bytes)
                found.append(
                    f"the relay in segments of {segments} is {row.error:+.1%} off, more than {RELAY_TOLERANCE:.0%}"
                )
            if row.busy > MOST_BUSY:
                found.append(f"it keeps {row.busy:.0%} of the processors busy, more than {MOST_BUSY:.0%}")
        lost = {name: self.network[name] for name in ("overruns", "oversized", "undeliverable") if self.network[name]}
        if lost:
            found.append("the network lost frames: " + ", ".join(f"{count} {name}" for name, count in lost.items()))
        return found

    def as_json(self) -> dict[str, object]:
        """All of it, with the verdict."""
        reasons = self.reasons()
        return {**asdict(self), "holds": not reasons, "reasons": reasons}


def fit_start_up(times: Sequence[tuple[float, float]]) -> float:
    """The constant that, added to the wire's times, comes closest to the measured ones in parts of each.

    Args:
        times: Seconds measured and seconds on the wire.
    """
    weights = [1 / measured**2 for measured, _ in times]
    return sum(w * (measured - wire) for w, (measured, wire) in zip_equal(weights, times)) / sum(weights)


def measure_accuracy(
    lab: Lab,
    *,
    sizes: Sequence[int] = SIZES,
    segments: Sequence[int] = SEGMENTS,
    repetitions: int = 5,
    on_step: Callable[[str], None] = lambda _: None,
) -> Accuracy:
    """Measure a lab that is up and otherwise idle.

    Args:
        lab: The lab.
        sizes: Messages of the ping-pong, bytes; may be empty.
        segments: Segments of the relay, bytes; may be empty.
        repetitions: Of each measurement.
        on_step: Told what is measured next.

    Raises:
        Failed: where the probe fails.
    """
    processors = len(os.sched_getaffinity(0))
    lab.reset_stats()
    relays = []
    for segment in segments:
        on_step(f"relay through all hosts, segments of {format_bytes(segment)}")
        before = lab.stats()
        row = _probe(lab, "relay", segment, repetitions)
        after = lab.stats()
        network_s = after["busy"] * after["seconds"] - before["busy"] * before["seconds"]
        seconds = median(row["seconds"])
        relays.append(
            Relay(
                segment,
                seconds,
                row["theory_s"],
                seconds / row["theory_s"] - 1,
                (row["cpu_s"] + network_s) / (processors * (after["seconds"] - before["seconds"])),
            )
        )
    times = []
    for size in sizes:
        on_step(f"ping-pong of {format_bytes(size)}")
        row = _probe(lab, "ping-pong", size, max(repetitions, 9) if size <= 1 << 16 else repetitions)
        times.append((median(row["seconds"]), float(row["theory_s"])))
    start_up = fit_start_up(times) if times else 0.0
    rows = [
        PingPong(size, seconds, wire, seconds / (wire + start_up) - 1)
        for size, (seconds, wire) in zip_equal(sizes, times)
    ]
    counted = {name: value for name, value in lab.stats().items() if name != "channels"}
    return Accuracy(lab.cluster.name, lab.rate_bps, processors, lab.priority, start_up, rows, relays, counted)


def _probe(lab: Lab, what: str, size: int, repetitions: int) -> dict[str, Any]:
    words = [str(PROBE), what, lab.cluster_file, "--hosts", str(FOLDER / "hosts"), "--rate", str(round(lab.rate_bps))]
    done = lab.run([*words, "--repeat", str(repetitions), "--bytes", str(RELAY_BYTES), str(size)], capture=True)
    if done.returncode != 0:
        raise Failed(f"the lab could not be measured: {done.stderr.strip()}")
    row: dict[str, Any] = json.loads(done.stdout)
    return row
