"""The paper's metrics of one node: latencies, waits and orders. Times in, ns; arrays out, ns."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from trunkline.compat import zip_equal
from trunkline.trace.nodes import Node, Times


@dataclass(frozen=True)
class Stats:
    """Of one stage over all calls, microseconds."""

    count: int
    mean: float
    median: float
    stdev: float
    least: float
    most: float
    p10: float
    p90: float

    def as_json(self) -> dict[str, float]:
        """Under the names of the report's JSON."""
        count, *microseconds = astuple(self)
        names = ("mean_us", "median_us", "stdev_us", "min_us", "max_us", "p10_us", "p90_us")
        return {"count": count, **dict(zip_equal(names, microseconds))}


def stats_of(ns: NDArray[np.int64] | NDArray[np.float64]) -> Stats:
    """Mean, median, standard deviation (of the sample), extremes, 10th and 90th percentile (linear between values).

    Raises:
        ValueError: where there is no value.
    """
    values = np.asarray(ns, np.float64).ravel() / 1000.0
    if len(values) == 0:
        raise ValueError("no values")
    p10, median, p90 = np.percentile(values, [10, 50, 90])
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    times = (values.mean(), median, deviation, values.min(), values.max(), p10, p90)
    return Stats(len(values), *map(float, times))


def _last(times: dict[int, Times]) -> Times:
    last: Times = np.maximum.reduce(list(times.values()))
    return last


def _first(times: dict[int, Times]) -> Times:
    first: Times = np.minimum.reduce(list(times.values()))
    return first


def down_latency(node: Node) -> Times | None:
    """t2 - t1 of the last arrival; None where nothing goes up the tree, towards the root."""
    return None if node.t2 is None or not node.t1 else node.t2 - _last(node.t1)


def up_latency(node: Node) -> Times | None:
    """t4 of the first departure - t3; None where nothing comes back."""
    return None if node.t3 is None or not node.t4 else _first(node.t4) - node.t3


def arrival_wait(node: Node, contributor: int) -> Times | None:
    """How long a contributor waits for the last one to arrive."""
    return _last(node.t1) - node.t1[contributor] if contributor in node.t1 else None


def departure_wait(node: Node, contributor: int) -> Times | None:
    """From the first departure to that of a contributor."""
    return node.t4[contributor] - _first(node.t4) if contributor in node.t4 else None


def wrapper_latency(node: Node, contributor: int) -> Times | None:
    """(t4 - t1) of a contributor - (t3 - t2): all of its time in the node."""
    if contributor not in node.t1 or contributor not in node.t4 or node.t2 is None or node.t3 is None:
        return None
    return (node.t4[contributor] - node.t1[contributor]) - (node.t3 - node.t2)


def proxy_latency(child: Node, parent: Node) -> Times | None:
    """Both ways between a node and its parent: the child's time outside less the parent's time with it.

    Their clocks may differ. None where nothing goes both ways.
    """
    if child.t2 is None or child.t3 is None or child.rank not in parent.t1 or child.rank not in parent.t4:
        return None
    return (child.t3 - child.t2) - (parent.t4[child.rank] - parent.t1[child.rank])


def _places(times: dict[int, Times], contributors: list[int]) -> NDArray[np.int64]:
    """Shape (contributors, calls times segments): how many were before it; equal times go by the list's order."""
    stacked = np.stack([times[contributor].ravel() for contributor in contributors])
    order = np.argsort(stacked, axis=0, kind="stable")
    places = np.empty_like(order)
    np.put_along_axis(places, order, np.arange(len(contributors))[:, None], axis=0)
    return places


def order_counts(times: dict[int, Times], contributors: list[int]) -> NDArray[np.int64]:
    """How often each contributor (row) was the first, the second, ... (column)."""
    places = _places(times, contributors)
    return np.stack([np.bincount(row, minlength=len(contributors)) for row in places])


def order_pairs(node: Node) -> NDArray[np.int64] | None:
    """How often the first, second, ... arrival (row) was the first, second, ... departure (column), as in table 1.

    None where there are no arrivals or no departures.
    """
    known = node.contributors
    if not node.t1 or not node.t4 or len(known) < 2:
        return None
    arrived, departed = _places(node.t1, known).ravel(), _places(node.t4, known).ravel()
    return np.bincount(arrived * len(known) + departed, minlength=len(known) ** 2).reshape(len(known), -1)
