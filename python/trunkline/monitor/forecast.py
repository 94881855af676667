"""Forecasts of one figure from what was measured before, as the Network Weather Service makes them.

Several predictors forecast each measurement before it is known; the one that was off by least so far makes the next
forecast (Wolski, Spring, Hayes, "The network weather service", 1999). Cost: O(predictors x window) a measurement.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import fmean, median

from trunkline.compat import zip_equal

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
