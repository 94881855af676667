"""What a shell completes behind options: names that are known here. Where none fits, it completes files."""

from collections.abc import Callable, Iterable

from trunkline import _core
from trunkline.cluster import bundled_clusters
from trunkline.mpi import find_mpis


def _names(known: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What completes one of these names, or the last one of several with commas between."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in known() if name.startswith(last)]

    return complete


cluster_names = _names(bundled_clusters)
collective_names = _names(_core.collectives)
mpi_names = _names(find_mpis)
algorithm_names = _names(lambda: ["auto", *dict.fromkeys(algorithm.name for algorithm in _core.algorithms())])
