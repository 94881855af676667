"""A cluster as a SimGrid platform: hosts and routers in one zone, full-duplex links, a route for each link.

Routes lie on the spanning tree, as Ethernet's do and as plans do. What SimGrid has no word for (links left unused,
aliases) is kept in ``<prop>``, so that importing gives an equal cluster.
"""

from xml.sax.saxutils import quoteattr

from trunkline import _core
from trunkline.sources.simgrid_units import format_bandwidth, format_latency

__all__ = ["simgrid_platform"]

_HEADER = """\
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
_SPEED = "1Gf"
"""Of every host: SimGrid wants one, and cluster files say nothing of computing."""
_MOST_FOR_FLOYD = 200
"""Nodes up to which all routes are worked out at the start; the time for that grows with their cube."""


def simgrid_platform(cluster: _core.Cluster) -> str:
    """Platform XML, version 4.1."""
    nodes = len(cluster.hosts) + len(cluster.switches)
    routing = "Floyd" if nodes <= _MOST_FOR_FLOYD else "DijkstraCache"
    lines = [f"  <zone id={quoteattr(cluster.name)} routing={quoteattr(routing)}>"]
    if cluster.description:
        lines.append(f"    {_property('description', cluster.description)}")
    lines += [_host(cluster, number) for number in range(len(cluster.hosts))]
    lines += [f"    <router id={quoteattr(switch)}/>" for switch in cluster.switches]
    names = _link_names(cluster.links)
    for name, link in zip(names, cluster.links, strict=True):
        start = (
            f"    <link id={quoteattr(name)} bandwidth={quoteattr(format_bandwidth(link.rate_bps))} "
            f'latency={quoteattr(format_latency(link.latency_s))} sharing_policy="SPLITDUPLEX"'
        )
        unused = "" if link.in_tree else _property("between", f"{link.a} {link.b}")
        lines.append(f"{start}>{unused}</link>" if unused else f"{start}/>")
    for name, link in zip(names, cluster.links, strict=True):
        if link.in_tree:
            lines.append(
                f"    <route src={quoteattr(link.a)} dst={quoteattr(link.b)}>"
                f'<link_ctn id={quoteattr(name)} direction="UP"/></route>'
            )
    return _HEADER + "\n".join(lines) + "\n  </zone>\n</platform>\n"


def _property(name: str, value: str) -> str:
    return f"<prop id={quoteattr(f'trunkline.{name}')} value={quoteattr(value)}/>"


def _host(cluster: _core.Cluster, number: int) -> str:
    start = f'    <host id={quoteattr(cluster.hosts[number])} speed="{_SPEED}"'
    kept = []
    if aliases := cluster.aliases(number):
        kept.append(_property("aliases", " ".join(aliases)))
    return f"{start}>{''.join(kept)}</host>" if kept else f"{start}/>"


def _link_names(links: list[_core.Link]) -> list[str]:
    """``h0-s0``; numbered where two links join the same nodes, or names with dashes run together."""
    used: set[str] = set()
    names = []
    for link in links:
        name, number = f"{link.a}-{link.b}", 2
        while name in used:
            name, number = f"{link.a}-{link.b}.{number}", number + 1
        used.add(name)
        names.append(name)
    return names
