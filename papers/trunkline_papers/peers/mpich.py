"""MPICH: its algorithms, tree types, chunk sizes, and trees from a coordinates file where it has them."""

from pathlib import Path

from trunkline import _core
from trunkline.peers.algorithms import own_algorithms
from trunkline.peers.rules.mpich_json import coordinates
from trunkline_papers.peers.driver import DEFAULT, LARGEST, PreloadDriver, Setting, setting_of

__all__ = ["MpichDriver"]

CHUNKS = (2816, 8192, 1024, 4096, 16384, 65536)
"""Bytes, likely winners first; 8192 is its default. 2816 fills two frames beside its header."""
ORDER = (*CHUNKS[:2], 0, *CHUNKS[2:])
"""In which settings are tried: those in one piece, with 0, after the best of the others."""


class MpichDriver(PreloadDriver):
    """Debian's MPICH and current ones."""

    def settings(self, collective: str, cluster: _core.Cluster, folder: Path) -> list[Setting]:
        """See :meth:`trunkline_papers.peers.driver.Driver.settings`."""
        found = own_algorithms(self.mpi, collective, LARGEST, len(cluster.hosts), CHUNKS)
        file = folder / "coordinates"
        if any(one.needs_coordinates for one in found):
            file.write_text(coordinates(cluster, _core.block_placement(cluster, 1)), encoding="utf-8")
        by_chunk = sorted(found, key=lambda one: ORDER.index(one.segment_bytes))
        return [
            DEFAULT,
            *(
                setting_of(one, {"MPIR_CVAR_COORDINATES_FILE": str(file)} if one.needs_coordinates else {})
                for one in by_chunk
            ),
        ]
