"""Least squares without negative numbers."""

import numpy as np
from numpy.typing import NDArray

_TINY = 1e-12


def nonnegative_least_squares(matrix: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """The x >= 0 for which |matrix x - wanted| is least, by active sets (Lawson and Hanson, 1974, chapter 23).

    It begins with all of them free, since few end at zero. Cost: a least-squares problem for each one that changes
    between free and zero.

    Args:
        matrix: Of shape (rows, columns), with as many independent rows as columns.
        wanted: Of shape (rows,).
    """
    columns = matrix.shape[1]
    x = np.full(columns, _TINY * max(1.0, float(np.abs(wanted).max(initial=0.0))))
    free = np.ones(columns, dtype=bool)
    for _ in range(10 * columns + 10):
        x = _freed(matrix, wanted, x, free)
        slope = matrix.T @ (wanted - matrix @ x)
        slope[free] = -np.inf
        if free.all() or slope.max() <= _TINY * float(np.abs(matrix.T @ wanted).max()):
            break
        free[int(slope.argmax())] = True
    return x


def _freed(
    matrix: NDArray[np.float64], wanted: NDArray[np.float64], x: NDArray[np.float64], free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Towards the best values of the free ones; those that would go below zero stay there, and are free no more."""
    while True:
        best = np.zeros_like(x)
        best[free] = np.linalg.lstsq(matrix[:, free], wanted, rcond=None)[0]
        below = free & (best <= 0)
        if not below.any():
            return best
        share = float((x[below] / (x[below] - best[below] + np.finfo(float).tiny)).min())
        x = x + min(1.0, share) * (best - x)
        stuck = below & (x <= _TINY * max(1.0, float(x.max())))
        if not stuck.any():
            stuck[np.flatnonzero(below)[int(best[below].argmin())]] = True
        free &= ~stuck
        x[~free] = 0.0
