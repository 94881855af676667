"""What predicts the time of an algorithm, whichever kind it is."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.errors import BadInput

__all__ = ["costs_of", "goes_by_blocks"]


def goes_by_blocks(name: str) -> bool:
    """Whether it is no tree: blocks reach each rank from several others."""
    return any(a.by_blocks for a in _core.algorithms() if a.collective == "bcast" and a.name == name)


def costs_of(
    name: str, cluster: _core.Cluster, placement: Sequence[int], root: int, measured: _core.Measurement | None
) -> _core.TreeCosts | _core.BlockCosts | _core.MeasuredTrees:
    """The cluster's rates or, where given, measured tables, for a broadcast of the registry but for ``native``.

    Raises:
        BadInput: for an algorithm that is no tree, of which measured tables know nothing.
    """
    if goes_by_blocks(name):
        if measured is not None:
            raise BadInput(f"{name} is no tree, and measured tables predict trees alone: leave it out")
        return _core.block_costs(name, cluster, placement, root)
    trees = _core.lay_all("bcast", name, cluster, placement, root)
    if measured is not None:
        return _core.MeasuredTrees(measured, cluster, placement, trees)
    return _core.tree_costs(cluster, placement, trees)
