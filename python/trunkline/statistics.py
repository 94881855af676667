"""The median and its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median

NOISY = 0.15
"""Width of an interval, as a part of its median, beyond which what it overlaps with is not told apart from it."""

LEAST_FOR_INTERVAL = 6
"""Fewer values have no two among them that enclose their median with 95 %."""


@dataclass(frozen=True)
class Median:
    """A median with its 95 % interval, in the unit of the values."""

    value: float
    low: float
    high: float
    count: int

    @property
    def width(self) -> float:
        """Of the interval, as a part of the median."""
        return (self.high - self.low) / self.value

    def may_equal(self, other: "Median") -> bool:
        """Whether the intervals overlap: either may be the smaller one."""
        return self.low <= other.high and other.low <= self.high

    def is_known_within(self, width: float) -> bool:
        """Whether there is an interval, and it is narrower than this part of the median."""
        return self.count >= LEAST_FOR_INTERVAL and self.high - self.low < width * self.value


def median_with_interval(values: Sequence[float], confidence: float = 0.95) -> Median:
    """The median of one or more values and its distribution-free interval.

    The interval is spanned by the two order statistics, symmetric about the middle and as close as possible, that
    enclose the median with at least the confidence asked for, by the binomial distribution of how many of ``n``
    values fall below it. Below six values no two do; then it is the smallest and the largest value.

    Raises:
        ValueError: where there is no value.
    """
    if len(values) == 0:
        raise ValueError("no values")
    ordered = sorted(map(float, values))
    n = len(ordered)
    low = 0
    outside = 0.0
    for candidate in range(n // 2):
        outside += comb(n, candidate) / 2**n
        if 1 - 2 * outside < confidence:
            break
        low = candidate
    return Median(median(ordered), ordered[low], ordered[n - 1 - low], n)
