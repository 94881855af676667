"""Files of ``trunkline measure --pairs``. They come from other machines, so nothing in them is trusted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from trunkline import _core
from trunkline.errors import BadInput, faulty_input
from trunkline.files import read_text

FORMAT = "pairs/1"
CLOCKS_APART = timedelta(minutes=5)
"""By which the clock of who measured may be ahead of ours."""
SLOWEST_S = 3600.0
_LONGEST_REASON = 200
MOST_NAMED = 20
"""Faults told; a file of which more is wrong is another file."""


@dataclass(frozen=True)
class OneWay:
    """How long messages take there and back, each by the clocks of both hosts.

    Attributes:
        seconds: There and back; by clocks that are apart one may be below zero.
        error_s: Each is off by no more.
    """

    seconds: tuple[float, float]
    error_s: float

    @property
    def more_s(self) -> float:
        """There takes so much longer than half of a round trip."""
        return (self.seconds[0] - self.seconds[1]) / 2

    @property
    def back(self) -> OneWay:
        """Seen from the other host."""
        return OneWay(self.seconds[::-1], self.error_s)


@dataclass(frozen=True)
class MeasuredPair:
    """What was measured between two hosts.

    Attributes:
        hosts: Their indices.
        latency_s: Half of the round trip of an empty message, seconds.
        bandwidth_bps: Of a stream there and back, bits of messages a second; None: not known.
        injection_s: A short message keeps its sender busy, there and back.
        one_way: By their clocks; None: not known.
        unknown: Why it is not; empty: the file does not say.
    """

    hosts: tuple[int, int]
    latency_s: float
    bandwidth_bps: tuple[float | None, float | None]
    injection_s: tuple[float, float]
    one_way: OneWay | None = None
    unknown: str = ""


@dataclass(frozen=True)
class Pairs:
    """All pairs of a file."""

    measured: datetime
    mpi: str
    pairs: list[MeasuredPair]

    @property
    def hosts(self) -> list[int]:
        """Indices of those that took part, in order."""
        return sorted({host for pair in self.pairs for host in pair.hosts})


def load_pairs(file: str, cluster: _core.Cluster) -> Pairs:
    """What was measured on the cluster, whatever its rates and latencies were.

    Raises:
        BadInput: with everything that is wrong with the file.
    """
    return parse_pairs(read_text(file), file, cluster)


def parse_pairs(text: str, file: str, cluster: _core.Cluster) -> Pairs:
    """The same from a text; ``file`` is for messages."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: no JSON: {error}") from None
    if not isinstance(content, dict) or content.get("trunkline") != FORMAT:
        raise BadInput(f'{file}: no file of measured pairs, which says "trunkline": "{FORMAT}"')
    fingerprint = f"{cluster.topology_fingerprint:016x}"
    if content.get("topology_fingerprint") != fingerprint:
        raise BadInput(
            f"{file}: measured on {content.get('cluster')}, with other hosts or switches than {cluster.name}: its "
            f"topology is {content.get('topology_fingerprint')}, not {fingerprint}; measure again"
        )
    return _pairs_of(content, file, cluster.hosts)


def pairs_without_cluster(content: dict[str, Any], file: str) -> tuple[list[str], Pairs]:
    """Names of the hosts of a file, by index, and its pairs: whatever lies between them.

    Args:
        content: Of the file, which says that it has pairs. Hosts are in the order of their names, numbers in these by
            their value, as most clusters number their ranks.
        file: For messages.

    Raises:
        BadInput: with everything that is wrong with the file.
    """
    entries = content.get("pairs")
    hosts = [entry.get("hosts") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    names = {host for ends in hosts if isinstance(ends, list) for host in ends if isinstance(host, str)}
    in_order = sorted(names, key=_by_numbers)
    return in_order, _pairs_of(content, file, in_order)


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """``node2`` before ``node10``."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _pairs_of(content: dict[str, Any], file: str, hosts: Sequence[str]) -> Pairs:
    try:
        measured = datetime.fromisoformat(str(content.get("date")))
    except ValueError:
        raise BadInput(f"{file}: date: '{content.get('date')}' is no time such as 2026-01-31T12:00:00+00:00") from None
    entries = content.get("pairs")
    if not isinstance(entries, list) or not entries:
        raise BadInput(f"{file}: pairs: there are none")
    faults: list[str] = []
    pairs = []
    seen: set[tuple[int, int]] = set()
    places = {name: index for index, name in enumerate(hosts)}
    for number, entry in enumerate(entries, 1):
        try:
            pair = _pair(entry, places)
            if (key := (min(pair.hosts), max(pair.hosts))) in seen:
                raise ValueError("they are here a second time")
            seen.add(key)
            pairs.append(pair)
        except ValueError as error:
            faults.append(f"{file}: pair {number}{_named(entry)}: {error}")
    if faults:
        more = [f"{file}: and {len(faults) - MOST_NAMED} more"] if len(faults) > MOST_NAMED else []
        raise faulty_input(faults[:MOST_NAMED] + more)
    return Pairs(measured if measured.tzinfo else measured.replace(tzinfo=timezone.utc), str(content.get("mpi")), pairs)


def check_age(pairs: Pairs, file: str, most: timedelta, now: datetime) -> timedelta:
    """How old the pairs are.

    Raises:
        BadInput: where they are older than ``most``, or from the future.
    """
    age = now - pairs.measured
    if age > most:
        raise BadInput(
            f"{file}: measured {age.total_seconds() / 3600:.3g} hours ago, at {pairs.measured.isoformat()}, and at "
            f"most {most.total_seconds() / 3600:.3g} are accepted; measure again, or accept more with --max-age"
        )
    if age < -CLOCKS_APART:
        raise BadInput(
            f"{file}: measured at {pairs.measured.isoformat()}, which is {-age.total_seconds() / 3600:.3g} hours from "
            "now: set the clocks of both machines, or measure again"
        )
    return max(age, timedelta(0))


def _named(entry: object) -> str:
    hosts = entry.get("hosts") if isinstance(entry, dict) else None
    if isinstance(hosts, list) and all(isinstance(host, str) for host in hosts):
        return " (" + " - ".join(hosts) + ")"
    return ""


def _pair(entry: object, places: dict[str, int]) -> MeasuredPair:
    if not isinstance(entry, dict):
        raise ValueError("it is no object")
    hosts = entry.get("hosts")
    if not isinstance(hosts, list) or len(hosts) != 2 or not all(isinstance(host, str) for host in hosts):
        raise ValueError('hosts must be two names, such as ["h0", "h1"]')
    for host in hosts:
        if host not in places:
            raise ValueError(f"there is no host {host}")
    if hosts[0] == hosts[1]:
        raise ValueError("it is one host, not two")
    there, back = _both(entry, "bandwidth_Bps", _positive_or_unknown)
    return MeasuredPair(
        (places[hosts[0]], places[hosts[1]]),
        _time(entry.get("latency_s"), "latency_s"),
        (there, back),
        _both(entry, "injection_s", _time),
        _one_way(entry),
        _reason(entry),
    )


def _one_way(entry: dict[str, Any]) -> OneWay | None:
    if "one_way_s" not in entry:
        return None
    one_way = OneWay(_both(entry, "one_way_s", _signed), _time(entry.get("one_way_error_s"), "one_way_error_s"))
    if min(one_way.seconds) < -one_way.error_s:
        raise ValueError("one_way_s is below zero by more than one_way_error_s, which nothing takes")
    return one_way


def _reason(entry: dict[str, Any]) -> str:
    reason = entry.get("one_way_unknown", "")
    if not isinstance(reason, str) or not reason.isprintable() or len(reason) > _LONGEST_REASON:
        raise ValueError("one_way_unknown is no line of text")
    return reason


Value = TypeVar("Value")


def _both(entry: dict[str, Any], key: str, read: Callable[[object, str], Value]) -> tuple[Value, Value]:
    values = entry.get(key)
    if not isinstance(values, list) or len(values) != 2:
        raise ValueError(f"{key} must be two numbers, there and back")
    return read(values[0], key), read(values[1], key)


def _finite(value: object, key: str) -> float:
    if value is None:
        raise ValueError(f"{key} is missing")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{key} is no number")
    if not math.isfinite(value):
        raise ValueError(f"{key} is {value}")
    return float(value)


def _number(value: object, key: str) -> float:
    number = _finite(value, key)
    if number < 0:
        raise ValueError(f"{key} is negative: {number:g}")
    return number


def _signed(value: object, key: str) -> float:
    seconds = _finite(value, key)
    if abs(seconds) > SLOWEST_S:
        raise ValueError(f"{key} is {seconds:g}, longer than an hour")
    return seconds


def _time(value: object, key: str) -> float:
    seconds = _number(value, key)
    if seconds > SLOWEST_S:
        raise ValueError(f"{key} is {seconds:g}, longer than an hour")
    if seconds == 0 and key == "latency_s":
        raise ValueError(f"{key} is 0, which nothing takes")
    return seconds


def _positive_or_unknown(value: object, key: str) -> float | None:
    """Bits a second; 0 bytes: the stream was too short to tell."""
    return 8 * _number(value, key) or None
