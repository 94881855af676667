"""Which rank sits on which host."""

from __future__ import annotations

from collections.abc import Sequence

from trunkline import _core
from trunkline.cluster import nearest_first
from trunkline.errors import BadInput

MOST_RANKS = 1_000_000


def bounded_placement(cluster: _core.Cluster, ranks_per_host: int) -> list[int]:
    """The host of each rank, that many ranks on every host.

    Raises:
        BadInput: where there would be none or too many of them.
    """
    most = MOST_RANKS // len(cluster.hosts)
    if not 1 <= ranks_per_host <= most:
        raise BadInput(f"--ranks-per-host must be from 1 to {most} on {len(cluster.hosts)} hosts, not {ranks_per_host}")
    return _core.block_placement(cluster, ranks_per_host)


def hosts_used(cluster: _core.Cluster, count: int | None) -> list[str]:
    """The first hosts of the cluster; all, where no number is given.

    Raises:
        BadInput: where there are not so many, or fewer than two: no network would be measured.
    """
    if len(cluster.hosts) < 2:
        raise BadInput(f"{cluster.name} has one host: there is no network to measure between fewer than two")
    if count is None:
        return list(cluster.hosts)
    if not 2 <= count <= len(cluster.hosts):
        raise BadInput(f"--hosts must be from 2 to {len(cluster.hosts)}, the hosts of {cluster.name}, not {count}")
    return list(cluster.hosts)[:count]


def placement_on(cluster: _core.Cluster, ranks_per_host: int, hosts: int | None = None) -> list[int]:
    """The host of each rank on the cluster's first hosts, or on all.

    Raises:
        BadInput: as :func:`hosts_used` does.
    """
    return _core.block_placement(cluster, ranks_per_host)[: len(hosts_used(cluster, hosts)) * ranks_per_host]


def placement_of_names(cluster: _core.Cluster, hosts: str, ranks_per_host: int) -> list[int]:
    """The host of each rank on named hosts, in the order in which they are named; one may be named again.

    Raises:
        BadInput: where the list cannot be read, or names a host that is not there.
    """
    try:
        names = _core.expand_hostlist(hosts, MOST_RANKS // ranks_per_host)
    except _core.BadHostlist as error:
        raise BadInput(f"--hosts: {error}") from None
    return [index for name in names for index in [_host(cluster, name)] * ranks_per_host]


def _host(cluster: _core.Cluster, name: str) -> int:
    found = cluster.find_host(name)
    if found is None:
        near = ", ".join(nearest_first(name, cluster.hosts[:10_000])[:3])
        raise BadInput(f"--hosts: there is no host '{name}' in {cluster.name}; near to it are: {near}")
    return found


def root_rank(cluster: _core.Cluster, placement: Sequence[int], root: str) -> int:
    """The rank of this number, or the first one on the host of this name.

    Raises:
        BadInput: where there is none.
    """
    if root.isascii() and root.isdigit():
        if int(root) >= len(placement):
            raise BadInput(f"there is no rank {root}; the ranks are 0 to {len(placement) - 1}")
        return int(root)
    host = cluster.find_host(root)
    if host is None:
        near = ", ".join(nearest_first(root, cluster.hosts[:10_000])[:3])
        raise BadInput(
            f"there is no host '{root}' in {cluster.name}; near to it are: {near} "
            f"(or give a rank, 0 to {len(placement) - 1})"
        )
    if host not in placement:
        raise BadInput(f"no rank sits on {root}; name a host that takes part, or a rank, 0 to {len(placement) - 1}")
    return placement.index(host)
