"""Cells of peers that nobody measured, for tests of what is made of them."""

from trunkline import _core
from trunkline.cluster import fingerprint_text, load_cluster
from trunkline_papers.peers.multicast.cells import MulticastCell
from trunkline_papers.peers.multicast.study import first_hosts
from trunkline_papers.peers.results import PeerCell, place_of


def peer_cell(mpi="mpich", algorithm="native", size=1 << 20, over=10.0, cluster="cyclic", setting="default", **more):
    limit = size * 8 / 2e7
    values = {
        "collective": "bcast",
        "cluster": load_cluster(cluster).name,
        "cluster_fingerprint": place_of(load_cluster(cluster), 2e7)[1],
        "rate_bps": 2e7,
        "hosts": 32,
        "ranks": 32,
        "mpi": mpi,
        "mpi_version": "4.0.2",
        "algorithm": algorithm,
        "ran": "two-tree" if algorithm == "auto" else algorithm,
        "segment_bytes": 0,
        "message_bytes": size,
        "seconds_median": over * limit,
        "seconds_low": over * limit,
        "seconds_high": over * limit,
        "repetitions": 1,
        "limit_seconds": limit,
        "stopped_by": "limit",
        "trunkline_version": "0",
        "seconds": [over * limit],
        "setting": setting,
        "rounds": 1,
        "limits": [limit],
    }
    return PeerCell(**values | more)


MULTICAST_RATE = 20e6
MULTICAST_SIZES = (1000, 1_000_000)


def multicast_cell(mpi="mpich", algorithm="native", size=1_000_000, over=2.0, receivers=2, loss="0"):
    bound = size * 8 / MULTICAST_RATE
    network = first_hosts(_core.scaled(load_cluster("paper-4"), MULTICAST_RATE), receivers + 1)
    return MulticastCell(
        collective="bcast",
        cluster="paper-4",
        cluster_fingerprint=fingerprint_text(network),
        rate_bps=MULTICAST_RATE,
        hosts=receivers + 1,
        ranks=receivers + 1,
        mpi=mpi,
        mpi_version="4.0.2",
        algorithm=algorithm,
        ran=algorithm,
        segment_bytes=0,
        message_bytes=size,
        seconds_median=over * bound,
        seconds_low=over * bound,
        seconds_high=over * bound,
        repetitions=3,
        limit_seconds=1.1 * bound,
        stopped_by="limit",
        trunkline_version="0",
        seconds=[over * bound] * 3,
        impairments="" if loss == "0" else f"loss {loss}",
        receivers=receivers,
        loss=loss,
        bound_seconds=bound,
        library=f"{mpi} 1.0",
    )


CONTESTANTS = (("mpich", "native", 3.0), ("mpich", "multicast", 1.1), ("pvm", "native", 9.0), ("uftp", "paced", 1.3))


def multicast_cells(sizes=MULTICAST_SIZES):
    """Of two numbers of receivers, with loss and without."""
    few = [
        multicast_cell(mpi, algorithm, size, over * (1 if loss == "0" else 2), receivers, loss)
        for loss in ("0", "1%")
        for receivers in (2, 7)
        for mpi, algorithm, over in CONTESTANTS
        for size in sizes
    ]
    return [*few, multicast_cell("udpcast", "paced", over=1.5), multicast_cell("udpcast", "fec", over=1.4)]
