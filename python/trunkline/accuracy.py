"""How far predicted times were off, in the words of all commands; ``tools/accuracy_table.py`` makes the table."""

from trunkline import _core


def accuracy_over(cluster: _core.Cluster, library: _core.NativeLibrary, ranks_per_host: int) -> _core.Accuracy:
    """Of predictions for a network.

    Args:
        cluster: The network.
        library: Whose own calls are predicted beside ours.
        ranks_per_host: The most that a host has.
    """
    return _core.accuracy_of(library, ranks_per_host, fastest_host_bps(cluster))


def fastest_host_bps(cluster: _core.Cluster) -> float:
    """Of the hosts' links the fastest, those side by side together: by it rows of the table are told apart."""
    hosts = set(cluster.hosts)
    return max(link.width * link.least_bps for link in cluster.links if link.a in hosts or link.b in hosts)


def slowest_host_bps(cluster: _core.Cluster) -> float:
    """Of the hosts' links the slowest, those side by side together."""
    hosts = set(cluster.hosts)
    return min(link.width * link.least_bps for link in cluster.links if link.a in hosts or link.b in hosts)


def own_words(found: _core.Accuracy) -> str:
    """Of our own times."""
    return f"19 of 20 of ours were within {100 * found.ours:.0f} % of the true time"


def library_words(found: _core.Accuracy, library: str) -> str:
    """Of the library's own calls."""
    return (
        f"19 of 20 of {library}'s own calls took {found.library_least:g} to {found.library_most:g} times as long as "
        "predicted"
    )
