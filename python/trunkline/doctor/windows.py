"""Whether TCP's windows on this machine hold what its longest ways carry.

A stream has at most a window of bytes under way, which a round trip takes to be acknowledged. So it is no faster than
window / round trip, whatever the links have. Linux lets windows grow up to the third number of ``net.ipv4.tcp_rmem`` at
the receiver and of ``net.ipv4.tcp_wmem`` at the sender, and counts what it needs besides the bytes, some half of it.

Several streams between two hosts have a window each. MPI libraries open one between two ranks, and so a plan of which
several ranks of a host drive its link by turns has as many streams as lanes (docs/wide-area.md, "Several streams").

MPI libraries may be told to give their sockets buffers of a length. Such buffers do not grow, and Linux holds twice as
much, so a window as long as the setting says; no more than ``net.core.rmem_max`` and ``wmem_max`` allow. Where those
allow more than buffers may grow to, such a setting is a cure that needs no privilege.

What a cluster file says of it (``tcp_window``) predictions count; a file that says nothing lets them think windows hold
all that is under way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from trunkline import _core
from trunkline.doctor.finding import Finding, note, ok, wrong
from trunkline.units import format_bytes, format_rate, format_seconds

TCP = Path("/proc/sys/net/ipv4")
_LANES = (2, 4, 8)
"""Of the lane algorithms: ranks of a host that drive its link by turns."""
_HELD = 0.5
"""Of a buffer: what a window takes of it, beside what the kernel keeps for each frame."""
_SETTINGS = {
    "OMPI_MCA_btl_tcp_sndbuf": "wmem_max",
    "OMPI_MCA_btl_tcp_rcvbuf": "rmem_max",
    "UCX_TCP_SNDBUF": "wmem_max",
    "UCX_TCP_RCVBUF": "rmem_max",
}
"""Of Open MPI, and of UCX, by which MPICH 4 goes: what sets buffers to a length, and the kernel's limit of it."""
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_ALIKE = 0.25
"""By such a part a stated window may be off: nobody knows it better."""


def window_findings(
    cluster: _core.Cluster | None, folder: Path, host: str, environment: Mapping[str, str] = os.environ
) -> Iterator[Finding]:
    """Sends and receives of this machine over its ways to one host of each switch, beside its buffers.

    Args:
        cluster: None: not known.
        folder: ``/proc/sys/net/ipv4``.
        host: This machine's name.
        environment: Of jobs, as far as it is that of this command.
    """
    own = cluster.find_host(host) if cluster is not None else None
    if cluster is None or own is None:
        return
    windows = {way: _HELD * most for way, most in _buffers(folder).items()}
    windows |= _set_buffers(folder.parent / "core", environment)
    if not windows:
        yield note("TCP windows", f"{folder} does not say how far they may grow")
        return
    name = cluster.hosts[own]
    others = {cluster.switch_of(other): cluster.hosts[other] for other in range(len(cluster.hosts)) if other != own}
    ways = [_Way(cluster, name, other) for other in others.values()]
    most = max(ways, key=lambda way: way.held_bytes, default=None)
    if most is None:
        return
    least = min(windows, key=lambda way: windows[way])
    window = windows[least]
    held = (
        f"from {name} to {most.to}, {format_rate(most.rate_bps)} x {format_seconds(most.round_trip_s)} there and back"
    )
    under_way = f"{held}, {format_bytes(round(most.held_bytes))} are under way"
    if stated := cluster.tcp_window_bytes(own):
        yield from _stated_finding(name, stated, window)
    if most.held_bytes <= window:
        yield ok("TCP windows", f"they hold some {format_bytes(round(window))}; {under_way} at most")
        return
    needs = round(most.held_bytes / _HELD)
    told = "" if stated else f"write tcp_window: {_as_key(window)} beside the hosts in the cluster file, and "
    text = (
        f"{least} lets one hold some {format_bytes(round(window))}; {under_way}: a stream gets "
        f"{window / most.held_bytes:.0%} of the rate"
    )
    if least in _SETTINGS:
        yield wrong("TCP windows", text, f"leave {least} out: buffers that are set to a length do not grow")
        return
    yield wrong(
        "TCP windows",
        text,
        f"let buffers grow on all hosts, as with: sysctl -w 'net.ipv4.tcp_rmem=4096 131072 {needs}' "
        f"'net.ipv4.tcp_wmem=4096 16384 {needs}'; or, where they cannot: "
        f"{_set_words(folder, window, most.held_bytes)}{told}{_lanes_words(most.held_bytes / window)}",
    )


def _set_words(folder: Path, window: float, held_bytes: float) -> str:
    """Settings of MPI libraries that have longer windows than buffers grow to; empty where there are none."""
    limits = [_limit(folder.parent / "core" / name) for name in sorted(set(_SETTINGS.values()))]
    length = round(min(held_bytes, *limits))
    if max(limits) == float("inf") or length <= (1 + _ALIKE) * window:
        return ""
    set_all = {
        family: " ".join(f"{name}={length}" for name in _SETTINGS if name.startswith(start))
        for family, start in (("Open MPI", "OMPI"), ("MPICH 4", "UCX"))
    }
    words = ", ".join(f"{text} ({family})" for family, text in set_all.items())
    return f"give sockets buffers of a length, which have {length / held_bytes:.0%} of the rate: {words}; or "


def _limit(file: Path) -> float:
    """Bytes; infinity where the system does not say."""
    try:
        return float(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return float("inf")


def _stated_finding(name: str, stated: int, window: float) -> Iterator[Finding]:
    """What the cluster file says of it beside what this machine has, where they are far apart."""
    if abs(stated / window - 1) <= _ALIKE:
        return
    yield wrong(
        "TCP windows",
        f"the cluster file says that {name} has windows of {format_bytes(stated)}, and here they hold some "
        f"{format_bytes(round(window))}",
        f"write tcp_window: {_as_key(window)} there, or let buffers grow",
    )


def _as_key(window: float) -> str:
    """As a cluster file has it."""
    return f"{round(window / 1024)}KiB"


def _lanes_words(streams: float) -> str:
    """What has so many streams between two hosts, as far as lanes go."""
    lanes = next((lanes for lanes in _LANES if lanes >= streams), _LANES[-1])
    share = "" if lanes >= streams else f" ({lanes / streams:.0%} of the rate)"
    return (
        f"start {lanes} ranks a host or more and set TRUNKLINE_BCAST={lanes}-lane-two-tree:14440, which has {lanes} "
        f"streams between two hosts{share}"
    )


def _buffers(folder: Path) -> Mapping[str, int]:
    """The greatest of each setting that can be read, in bytes."""
    most = {}
    for name in ("tcp_rmem", "tcp_wmem"):
        try:
            words = (folder / name).read_text(encoding="ascii").split()
        except OSError:
            continue  # another system
        if len(words) == 3 and words[2].isdigit():
            most[name] = int(words[2])
    return most


def _set_buffers(folder: Path, environment: Mapping[str, str]) -> Mapping[str, float]:
    """Windows of buffers that settings of MPI libraries give a length, in bytes.

    Args:
        folder: ``/proc/sys/net/core``.
        environment: Where the settings are.
    """
    windows = {}
    for name, limit in _SETTINGS.items():
        said = re.fullmatch(r"([1-9][0-9]*)([kmg]?)b?", environment.get(name, "").lower())
        if said is None:
            continue  # not set, or left to the kernel: 0, auto
        windows[name] = min(float(said[1]) * _UNITS[said[2]], _limit(folder / limit))
    return windows


class _Way:
    """What a stream between two hosts has to have under way to be as fast as the slowest link between them."""

    def __init__(self, cluster: _core.Cluster, name: str, other: str) -> None:
        there, back = cluster.path(name, other), cluster.path(other, name)
        links = [cluster.links[channel // 2] for channel in there]
        self.to = other
        self.rate_bps = max(min(map(cluster.channel_bps, way)) for way in (there, back))
        self.round_trip_s = sum(2 * link.mean_latency_s for link in links)
        self.held_bytes = self.rate_bps / 8 * self.round_trip_s
