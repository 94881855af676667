"""The history of a monitor: a file with a line for each measurement, each a file of pairs (``pairs/1``) by itself.

A line is appended by one write, and counts once its end is there. So a monitor that is killed while it writes leaves a
history that can be read, with one measurement less.

Forecasts of a figure follow from what was measured before, as the Network Weather Service makes them. Several
predictors forecast each measurement before it is known; the one that was off by least so far makes the next forecast
(Wolski, Spring, Hayes, "The network weather service", 1999). Cost: O(predictors x window) a measurement.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean, median
from types import TracebackType

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput, Failed
from trunkline.pairs.file import CLOCKS_APART, MeasuredPair, OneWay, Pairs, parse_pairs

_WINDOWS = (5, 10, 20)
_GAINS = (0.1, 0.3, 0.6)
PREDICTORS = (
    "last value",
    "mean of all",
    *(f"mean of the last {window}" for window in _WINDOWS),
    *(f"median of the last {window}" for window in _WINDOWS),
    *(f"smoothed by {gain}" for gain in _GAINS),
)
"""Of several that were off by as much, the first one counts."""


@dataclass(frozen=True)
class Forecast:
    """What the next measurement is expected to be.

    Attributes:
        value: In the unit of the measurements.
        predictor: One of PREDICTORS.
        error: By how much it was off so far, the mean of the absolute errors; None: there was one measurement alone.
    """

    value: float
    predictor: str
    error: float | None


class Forecaster:
    """Forecasts one figure."""

    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._last: deque[float] = deque(maxlen=max(_WINDOWS))
        self._smoothed = [0.0] * len(_GAINS)
        self._errors = [0.0] * len(PREDICTORS)

    def add(self, value: float) -> None:
        """The next measurement."""
        if self._count:
            for number, predicted in enumerate(self._predictions()):
                self._errors[number] += abs(predicted - value)
        self._smoothed = [
            before + gain * (value - before) if self._count else value
            for before, gain in zip_equal(self._smoothed, _GAINS)
        ]
        self._count += 1
        self._sum += value
        self._last.append(value)

    def forecast(self) -> Forecast:
        """Of the next one; there must have been one."""
        if not self._count:
            raise ValueError("nothing was measured")
        best = min(range(len(PREDICTORS)), key=self._errors.__getitem__)
        error = self._errors[best] / (self._count - 1) if self._count > 1 else None
        return Forecast(self._predictions()[best], PREDICTORS[best], error)

    def _predictions(self) -> list[float]:
        last = list(self._last)
        return [
            last[-1],
            self._sum / self._count,
            *(fmean(last[-window:]) for window in _WINDOWS),
            *(median(last[-window:]) for window in _WINDOWS),
            *self._smoothed,
        ]


Key = tuple[int, int]

_TO_KEEP = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""The name may be known to others who write to that folder, too: a link of theirs is not followed."""
_LONGEST = 1 << 30
"""Bytes of a history: that of a thousand pairs, measured each hour, is as long after some months."""
_FAR = 1.5
"""By this factor a figure is off that shows another network, not noise."""


@dataclass(frozen=True)
class Forecasts:
    """What is expected of each pair now.

    Attributes:
        pairs: As if they had been measured; the date is that of the latest measurement.
        latencies: Their forecasts of the latency, in the order of the pairs.
    """

    pairs: Pairs
    latencies: list[Forecast]


@dataclass
class _Series:
    latency: Forecaster = field(default_factory=Forecaster)
    bandwidth: tuple[Forecaster, Forecaster] = field(default_factory=lambda: (Forecaster(), Forecaster()))
    has_bandwidth: list[bool] = field(default_factory=lambda: [False, False])
    injection: tuple[Forecaster, Forecaster] = field(default_factory=lambda: (Forecaster(), Forecaster()))
    one_way: OneWay | None = None
    """The last one: its error is stated, and that of a mean of several clocks would not be."""
    unknown: str = ""

    def add(self, pair: MeasuredPair) -> None:
        swapped = pair.hosts[0] > pair.hosts[1]
        self.latency.add(pair.latency_s)
        self.one_way = pair.one_way.back if swapped and pair.one_way else pair.one_way
        self.unknown = pair.unknown
        for way in range(2):
            of = 1 - way if swapped else way
            self.injection[way].add(pair.injection_s[of])
            if (bps := pair.bandwidth_bps[of]) is not None:
                self.bandwidth[way].add(bps)
                self.has_bandwidth[way] = True

    def _rate(self, way: int) -> float | None:
        return self.bandwidth[way].forecast().value if self.has_bandwidth[way] else None

    def forecast(self, key: Key) -> tuple[MeasuredPair, Forecast]:
        latency = self.latency.forecast()
        injection = (self.injection[0].forecast().value, self.injection[1].forecast().value)
        rates = (self._rate(0), self._rate(1))
        return MeasuredPair(key, latency.value, rates, injection, self.one_way, self.unknown), latency


class History:
    """An open history, which no other monitor writes to.

    Attributes:
        notes: What was not as it should be, for people.
    """

    def __init__(self, file: Path, cluster: _core.Cluster, now: datetime) -> None:
        """Open the file, or make it, and read what is there.

        Args:
            file: The history.
            cluster: Whose pairs it is of.
            now: By the clock that dates measurements.

        Raises:
            BadInput: where it cannot be opened, another monitor has it, or a line is wrong or from the future.
        """
        self.file = file
        self.notes: list[str] = []
        self._cluster = cluster
        self._taken: list[tuple[float, Pairs]] = []  # monotonic seconds: the clock may be set meanwhile
        try:
            self._descriptor = os.open(file, _TO_KEEP, 0o644)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise BadInput(f"{file}: is a link, which no history may be; name the file that it leads to") from None
            raise BadInput(f"cannot open the history {file}: {error.strerror}") from None
        try:
            self._lock()
            self._read(now)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> History:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def add(self, text: str, now: datetime, most: timedelta) -> list[Key]:
        """A measurement, as ``trunkline measure --pairs`` wrote it.

        Returns:
            Pairs that were far from what measurements no older than ``most`` had made expected.

        Raises:
            BadInput: where it is wrong; it is not kept then.
            Failed: where it cannot be written.
        """
        pairs = parse_pairs(text, "what was measured", self._cluster)
        taken = _taken(pairs, now, "")
        expected = self.forecasts(most)
        line = (json.dumps(json.loads(text)) + "\n").encode()
        before = os.fstat(self._descriptor).st_size
        try:
            written = os.write(self._descriptor, line)
            if written == len(line):
                os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise Failed(f"cannot write the history {self.file}: {error.strerror}") from None
        if written < len(line):
            os.ftruncate(self._descriptor, before)
            raise Failed(f"cannot write the history {self.file}: there is no room for a line")
        self._taken.append((taken, pairs))
        was = {} if expected is None else {pair.hosts: pair for pair in expected.pairs.pairs}
        series = {_key(pair): _Series() for pair in pairs.pairs}
        for pair in pairs.pairs:
            series[_key(pair)].add(pair)
        return [key for key, one in series.items() if key in was and _is_far(one.forecast(key)[0], was[key])]

    def forecasts(self, most: timedelta) -> Forecasts | None:
        """From measurements that are no older; None: there are none."""
        oldest = time.monotonic() - most.total_seconds()
        series: dict[Key, _Series] = {}
        latest: Pairs | None = None
        for taken, pairs in self._taken:
            if taken < oldest:
                continue
            latest = pairs
            for pair in pairs.pairs:
                series.setdefault(_key(pair), _Series()).add(pair)
        if latest is None:
            return None
        both = [one.forecast(key) for key, one in series.items()]
        return Forecasts(Pairs(latest.measured, latest.mpi, [pair for pair, _ in both]), [of for _, of in both])

    def count(self, most: timedelta) -> tuple[int, int]:
        """Measurements that are no older, and all."""
        oldest = time.monotonic() - most.total_seconds()
        return sum(taken >= oldest for taken, _ in self._taken), len(self._taken)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{self.file}: another monitor writes this history; give each one its own") from None

    def _contents(self) -> bytes:
        found = os.fstat(self._descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise BadInput(f"{self.file}: is not a regular file, so no history")
        if found.st_size > _LONGEST:
            raise BadInput(f"{self.file}: is larger than {_LONGEST >> 20} MiB; begin another history")
        with os.fdopen(os.dup(self._descriptor), "rb") as opened:  # it is locked, so nothing is added meanwhile
            return opened.read(_LONGEST)

    def _read(self, now: datetime) -> None:
        data = self._contents()
        whole = data.rfind(b"\n") + 1
        try:
            lines = data[:whole].decode().splitlines()
        except UnicodeDecodeError:
            raise BadInput(f"{self.file}: is no text, so no history") from None
        for number, line in enumerate(lines, 1):
            where = f"{self.file}:{number}"
            pairs = parse_pairs(line, where, self._cluster)
            self._taken.append((_taken(pairs, now, f"{where}: "), pairs))
        if whole < len(data):  # and all before it was a history
            self.notes.append(
                f"{self.file}: the last line has no end, as a monitor leaves it that was killed while it wrote; it is "
                "taken away"
            )
            os.ftruncate(self._descriptor, whole)


def _key(pair: MeasuredPair) -> Key:
    return min(pair.hosts), max(pair.hosts)


def _is_far(found: MeasuredPair, expected: MeasuredPair) -> bool:
    """Of the same two hosts in the same order."""
    figures = [(found.latency_s, expected.latency_s), *zip_equal(found.bandwidth_bps, expected.bandwidth_bps)]
    one, other = found.one_way, expected.one_way
    if one and other and abs(one.more_s - other.more_s) > one.error_s + other.error_s:
        return True
    return any(one and other and max(one / other, other / one) > _FAR for one, other in figures)


def _taken(pairs: Pairs, now: datetime, where: str) -> float:
    """When they were measured, by the clock that nobody sets."""
    age = now - pairs.measured
    if age < -CLOCKS_APART:
        raise BadInput(
            f"{where}measured at {pairs.measured.isoformat()}, which is {-age.total_seconds() / 3600:.3g} hours from "
            "now: set the clock, or begin another history"
        )
    return time.monotonic() - max(0.0, age.total_seconds())
