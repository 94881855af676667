"""What predicts the time of an algorithm, whichever kind it is."""

from collections.abc import Sequence

from trunkline import _core
from trunkline.errors import BadInput

__all__ = ["costs_of", "measured_knowledge"]


def measured_knowledge(
    cluster: _core.Cluster,
    measured: _core.Measurement,
    host_costs: str = "",
    *,
    native: _core.NativeLibrary | None = None,
) -> _core.Knowledge:
    """What ranks know that were told of these tables, under the library and version they were measured with.

    Args:
        cluster: What the tables were measured on.
        measured: Tables of ``trunkline measure``.
        host_costs: Name of what tables do not say: a rendezvous, copies within a host; empty: the library's.
        native: Whose own algorithms there are; None: those of the tables' library.

    Raises:
        BadInput: where the tables are about another cluster, or their figures do not fit it.
    """
    if native is None:
        native = _core.NativeLibrary.openmpi if measured.mpi == "openmpi" else _core.NativeLibrary.mpich
    knowledge = _core.Knowledge(cluster, native, measured.mpi, measured.mpi_version, host_costs=host_costs)
    try:
        knowledge.take_measurement(measured, "measured tables")
    except ValueError as error:
        raise BadInput(str(error)) from None
    return knowledge


def costs_of(
    collective: str,
    name: str,
    cluster: _core.Cluster,
    placement: Sequence[int],
    root: int,
    measured: _core.Measurement | None,
    host_costs: str = "mpich",
) -> _core.Costs:
    """The cluster's rates or, where given, measured tables, for an algorithm of the registry but for ``native``.

    ``host_costs`` names what messages cost their hosts, beside the cluster's rates.

    Raises:
        BadInput: as :func:`measured_knowledge` does.
    """
    plan = _core.lay(collective, name, cluster, placement, root)
    if measured is None:
        return _core.costs_of(cluster, placement, plan, collective, host_costs)
    return measured_knowledge(cluster, measured).costs_of(placement, plan, collective)
