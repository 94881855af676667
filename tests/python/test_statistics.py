from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trunkline.statistics import median_with_interval


@given(st.lists(st.floats(min_value=1e-9, max_value=1e3), min_size=1, max_size=60))
def test_the_interval_holds_the_median_and_is_made_of_values(values):
    result = median_with_interval(values)
    assert result.low <= result.value <= result.high
    assert {result.low, result.high} <= set(values)
    assert result.value == np.median(values)


@pytest.mark.parametrize("n", range(1, 80))
def test_the_interval_is_the_narrowest_that_covers_95_percent(n):
    result = median_with_interval([float(k) for k in range(n)])
    low = int(result.low)

    def coverage(k):  # probability that the median lies between the order statistics k and n - 1 - k
        return 1 - 2 * sum(comb(n, j) for j in range(k + 1)) / 2**n

    assert low == 0 or coverage(low) >= 0.95
    assert low + 1 >= n - 1 - (low + 1) or coverage(low + 1) < 0.95


def test_covers_the_true_median_as_often_as_it_says():
    random = np.random.default_rng(7)
    hits = sum(r.low <= 0.0 <= r.high for r in (median_with_interval(random.normal(size=15)) for _ in range(2000)))
    assert hits / 2000 > 0.94


def test_nothing_has_no_median():
    with pytest.raises(ValueError, match="no values"):
        median_with_interval([])


def test_what_is_known_within_a_width_has_an_interval():
    assert median_with_interval([1.0] * 6).is_known_within(0.01)
    assert not median_with_interval([1.0] * 5).is_known_within(0.01)
    assert not median_with_interval([1.0, 1.0, 1.0, 1.0, 1.0, 1.02]).is_known_within(0.01)
