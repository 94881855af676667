"""Where one winner's reign ends and the next one's begins."""

import math


def first_size_of_next(before: int, after: int) -> int:
    """The least size at or above the geometric mean of two: above ``before`` also where they are neighbours."""
    return math.isqrt(before * after - 1) + 1
