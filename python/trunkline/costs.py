"""What predicts the time of an algorithm, whichever kind it is."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.errors import BadInput

__all__ = ["costs_of"]


def costs_of(
    collective: str,
    name: str,
    cluster: _core.Cluster,
    placement: Sequence[int],
    root: int,
    measured: _core.Measurement | None,
    host_costs: str = "mpich",
) -> _core.Costs | _core.MeasuredTrees:
    """The cluster's rates or, where given, measured tables, for an algorithm of the registry but for ``native``.

    ``host_costs`` names what messages cost their hosts, beside the cluster's rates.

    Raises:
        BadInput: for an algorithm that is no tree, or a reduction, of which measured tables know nothing.
    """
    plan = _core.lay(collective, name, cluster, placement, root)
    if measured is None:
        return _core.costs_of(cluster, placement, plan, collective, host_costs)
    if collective != "bcast":
        raise BadInput(f"measured tables predict broadcasts alone: leave --measured out for {collective}")
    if plan.trees is None:
        raise BadInput(f"{name} is no tree, and measured tables predict trees alone: leave it out")
    return _core.MeasuredTrees(measured, cluster, placement, plan.trees)
