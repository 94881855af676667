"""The papers' model of pipelined broadcasts, with the papers' own parameters (their table 2): figure 8 and table 3."""

from collections.abc import Mapping

from rich.table import Table

from trunkline import _core
from trunkline.cluster import load_cluster
from trunkline.terminal import titled_table
from trunkline.units import format_bytes
from trunkline_papers.peers.figures import Figure, parameters

__all__ = ["best_segment", "first_segment", "model_table", "segments_table", "tree_seconds"]

RATES = (1e8, 1e9)


def first_segment(tree: _core.Tree, gap: float, latency: float) -> tuple[int, int]:
    """A and B of the papers' formula: the first segment reaches the last rank after A L(m) + B g(m).

    A rank's k-th child gets a segment L(m) + k g(m) after the rank had it.

    Args:
        tree: Over one rank a host.
        gap: g(m) in seconds.
        latency: L(m) in seconds.
    """
    children = tree.children
    latest = (0, 0)
    stack = [(tree.root, 0, 0)]
    while stack:
        rank, a, b = stack.pop()
        latest = max(latest, (a, b), key=lambda terms: terms[0] * latency + terms[1] * gap)
        stack += [(child, a + 1, b + k) for k, child in enumerate(children[rank], start=1)]
    return latest


def tree_seconds(tree: _core.Tree, message_bytes: int, segment_bytes: int, gap: float, latency: float) -> float:
    """Seconds of a pipelined broadcast: A L(m) + B g(m) + D (X - 1) g(m), for a line (P - 1)(L + g) + (X - 1) g."""
    a, b = first_segment(tree, gap, latency)
    segments = -(-message_bytes // segment_bytes)
    return a * latency + b * gap + tree.max_degree * (segments - 1) * gap


def best_segment(tree: _core.Tree, message_bytes: int, table: Mapping[int, tuple[float, float]]) -> int:
    """Of the segments in the table of g and L, the one with the least predicted time."""
    fitting = [m for m in table if m <= message_bytes]
    return min(fitting, key=lambda m: tree_seconds(tree, message_bytes, m, *table[m]))


def _tree(cluster: _core.Cluster, shape: str) -> _core.Tree:
    return _core.lay_trees("bcast", shape, cluster, _core.block_placement(cluster, 1), 0)[0]


def model_table(figure: Figure) -> Table:
    """Figure 8: what the formula becomes for the contention-free binary tree of each cluster."""
    title = f"{figure.name}: {figure.title}; segments of 1 KiB, 1 MiB in all, their L(m) and g(m)"
    table = titled_table(title, "cluster", "height", "A", "B", "time at 100 Mbit/s", left=["cluster"])
    gap, latency = parameters(1e8)[1024]
    for name in figure.clusters:
        tree = _tree(load_cluster(name), "binary")
        a, b = first_segment(tree, gap, latency)
        seconds = tree_seconds(tree, 1 << 20, 1024, gap, latency)
        formula = f"{a} L + {b} g + 2 (X - 1) g = {seconds * 1e3:.1f} ms"
        table.add_row(name, str(tree.height), str(a), str(b), formula)
    return table


def segments_table(figure: Figure) -> Table:
    """Table 3: the best segments by the model over our trees, beside the papers' (by their model / measured)."""
    cluster = load_cluster(figure.clusters[0])
    trees = [_tree(cluster, shape) for shape in ("linear", "binary")]
    title = f"{figure.name}: {figure.title}; bytes: ours by the model | theirs by the model, measured"
    series = [f"{shape}, {rate / 1e6:.0f} Mbit/s" for rate in RATES for shape in ("linear", "binary")]
    table = titled_table(title, "message", *series, wrap=series)
    for size, theirs in figure.rows.items():
        row = [format_bytes(size)]
        for number, rate in enumerate(RATES):
            for place, tree in enumerate(trees):
                own = best_segment(tree, size, parameters(rate))
                column = 4 * number + 2 * place
                row.append(f"{own} | {theirs[column]:g}, {theirs[column + 1]:g}")
        table.add_row(*row)
    return table
