"""A cluster as a SimGrid platform: hosts and routers in one zone, full-duplex links, a route for each link.

Routes lie on the spanning tree, as Ethernet's do and as plans do, or are the shortest where the cluster says so: every
two hosts have a route of their own then. What SimGrid has no word for (links left unused,
aliases) is kept in ``<prop>``, so that importing gives an equal cluster.

A link that differs by direction is two links, one a direction: the way back has ``.back`` behind its name.

Links side by side are as many links, and every two hosts have a route over those that the hash of the two picks.

For a simulation, each rank of a host that has several is a host of its own, behind the one link of theirs: SimGrid then
tells their messages apart, and what they keep busy. A large cluster has a zone for each switch: in one zone for all,
SimGrid would search all of the network once for each host, and keep what it found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import quoteattr

from trunkline import _core
from trunkline.cluster import wide_links
from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.sources.simgrid_units import format_bandwidth, format_latency

_HEADER = """\
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
_SPEED = "1Gf"
"""Of every host: SimGrid wants one, and cluster files say nothing of computing."""
_MOST_FOR_FLOYD = 200
"""Nodes up to which all routes are worked out at the start; the time for that grows with their cube."""


_MOST_FOR_PAIRS = 400
"""Hosts up to which every two of them get a route of their own; that is some 300 bytes for each."""


_BACK = ".back"
"""Behind the name of a link: its way back, where that is a link by itself. simulate/network.cpp knows it, too."""

_OWN_LINK = 'bandwidth="1e13Bps" latency="1us" sharing_policy="FATPIPE"'
"""Between a rank and the link of its host: what memory takes, simulate/network.cpp says."""


def rank_host(host: str, place: int, ranks: int) -> str:
    """The host's name in a platform, for its rank at that place among so many."""
    return host if ranks == 1 else f"{host}#{place}"


def simgrid_platform(cluster: _core.Cluster, ranks: Sequence[int] = ()) -> str:
    """Platform XML, version 4.1.

    Args:
        cluster: What it is to have.
        ranks: How many each host has, by host, where each rank is to be a host; see :func:`rank_host`. Empty: hosts are
            hosts.

    Raises:
        BadInput: where there are links side by side or shortest paths, and more hosts than can have own routes.
    """
    wide = wide_links(cluster)
    if cluster.is_routed and len(cluster.hosts) > _MOST_FOR_PAIRS:
        raise BadInput(
            f"{cluster.name} has {len(cluster.hosts)} hosts and shortest paths: SimGrid then needs a route for "
            f"every two hosts, which is done for up to {_MOST_FOR_PAIRS} hosts"
        )
    if wide and len(cluster.hosts) > _MOST_FOR_PAIRS:
        raise BadInput(
            f"{cluster.name} has {len(cluster.hosts)} hosts and links side by side, such as {wide[0].a} - {wide[0].b}: "
            f"SimGrid then needs a route for every two hosts, which is done for up to {_MOST_FOR_PAIRS} hosts"
        )
    nodes = len(cluster.hosts) + len(cluster.switches) + sum(many for many in ranks if many > 1)
    by_pairs = bool(wide) or cluster.is_routed
    routing = "Full" if by_pairs else _search(nodes)
    if ranks and routing == "DijkstraCache" and (zones := _ranks_of_switches(cluster, ranks)):
        return _by_switches(cluster, zones)
    lines = [f"  <zone id={quoteattr(cluster.name)} routing={quoteattr(routing)}>"]
    if cluster.description:
        lines.append(f"    {_property('description', cluster.description)}")
    if cluster.is_routed:
        lines.append(f"    {_property('paths', 'shortest')}")
    shared = any(many > 1 for many in ranks)
    hosts = cluster.hosts  # a copy each time
    alone = [number for number in range(len(hosts)) if not shared or (ranks[number] < 2 and not by_pairs)]
    known = set(alone)
    behind = [_Ranks(cluster, number, host, ranks[number]) for number, host in enumerate(hosts) if number not in known]
    lines += [_host(cluster, number, hosts[number]) for number in alone]
    lines += [line for one in behind for line in ([one.zone()] if by_pairs else one.hosts)]
    lines += [line for one in behind if not by_pairs for line in one.routers]
    if not (behind and by_pairs):  # a zone of zones has no routers, and its routes need none
        lines += [f"    <router id={quoteattr(switch)}/>" for switch in cluster.switches]
    lines += [line for one in behind if not by_pairs for line in one.links]
    names = _link_names(cluster.links)
    lines += _links(cluster.links, names, by_pairs)
    lines += [line for one in behind if not by_pairs for line in one.routes]
    lines += _routes_of_pairs(cluster, names, shared) if by_pairs else _routes_of_links(zip_equal(cluster.links, names))
    return _HEADER + "\n".join(lines) + "\n  </zone>\n</platform>\n"


def _ranks_of_switches(cluster: _core.Cluster, ranks: Sequence[int]) -> dict[str, list[_Ranks]]:
    """What hangs on each switch, where it can be a zone.

    Empty where some host has more links than one, or hangs on another one; and where a switch has too many: of
    Dijkstra's routes in inner zones SimGrid 3.32 mixes up the links' order.
    """
    hosts = {host: number for number, host in enumerate(cluster.hosts)}
    zones: dict[str, list[_Ranks]] = {switch: [] for switch in cluster.switches}
    found = set()
    for link in cluster.links:
        for host, other in ((link.a, link.b), (link.b, link.a)):
            if not link.in_tree or host not in hosts:
                continue
            if host in found or other not in zones:
                return {}
            found.add(host)
            zones[other].append(_Ranks(cluster, hosts[host], host, ranks[hosts[host]]))
    fit = all(1 + sum(one.nodes for one in behind) <= _MOST_FOR_FLOYD for behind in zones.values())
    return zones if fit and len(found) == len(hosts) else {}


def _by_switches(cluster: _core.Cluster, zones: Mapping[str, list[_Ranks]]) -> str:
    """A zone for each switch with what hangs on it, and routes between these over the links of switches."""
    switch_of = {one.host: switch for switch, behind in zones.items() for one in behind}
    own: dict[str, list[tuple[_core.Link, list[str]]]] = {switch: [] for switch in zones}
    between: list[tuple[_core.Link, list[str]]] = []
    for link, names in zip_equal(cluster.links, _link_names(cluster.links)):
        home = (switch_of.get(link.a) or switch_of.get(link.b)) if link.in_tree else None
        (between if home is None else own[home]).append((link, names))
    lines = [f'  <zone id={quoteattr(cluster.name)} routing="{_search(len(zones))}">']
    for switch, behind in zones.items():
        lines.append(f'  <zone id={quoteattr(_zone(switch))} routing="Floyd">')
        lines += [line for one in behind for line in one.hosts]
        lines += [line for one in behind for line in one.routers]
        lines.append(f"    <router id={quoteattr(switch)}/>")
        lines += [line for one in behind for line in one.links]
        lines += _links(*_unzipped(own[switch]), by_pairs=False)
        lines += [line for one in behind for line in one.routes]
        lines += _routes_of_links(own[switch])
        lines.append("  </zone>")
    lines += _links(*_unzipped(between), by_pairs=False)
    lines += _routes_of_links(between, between_zones=True)
    return _HEADER + "\n".join(lines) + "\n  </zone>\n</platform>\n"


def _search(nodes: int) -> str:
    """How SimGrid finds routes in a zone of so many."""
    return "Floyd" if nodes <= _MOST_FOR_FLOYD else "DijkstraCache"


def _unzipped(pairs: Sequence[tuple[_core.Link, list[str]]]) -> tuple[list[_core.Link], list[list[str]]]:
    return [link for link, _ in pairs], [names for _, names in pairs]


def _links(links: Sequence[_core.Link], names: Sequence[list[str]], by_pairs: bool) -> Iterator[str]:
    for (name, *beside), link in zip_equal(names, links):
        kept = _property("between", f"{link.a} {link.b}") if by_pairs or not link.used else ""
        kept += _property("width", str(link.width)) if link.width > 1 else ""
        kept += _property("back", f"{link.back_rate_bps!r} {link.back_latency_s!r}") if _differs(link) else ""
        yield _link(name, link.rate_bps, link.latency_s, kept)
        own = _property("beside", name)
        yield from (_link(further, link.rate_bps, link.latency_s, own) for further in beside)
        if _differs(link) and link.used:
            back = (link.back_rate_bps, link.back_latency_s)
            yield from (_link(f"{one}{_BACK}", *back, own) for one in (name, *beside))


def _routes_of_links(links: Iterable[tuple[_core.Link, Sequence[str]]], between_zones: bool = False) -> Iterator[str]:
    for link, (name, *_) in links:
        if not link.in_tree:
            continue
        one_way = ' symmetrical="NO"' if _differs(link) else ""
        yield _route(link.a, link.b, name, one_way, between_zones)
        if one_way:
            yield _route(link.b, link.a, f"{name}{_BACK}", one_way, between_zones)


def _route(source: str, target: str, link: str, one_way: str, between_zones: bool) -> str:
    word, ends = "route", f"src={quoteattr(source)} dst={quoteattr(target)}"
    if between_zones:
        word = "zoneRoute"
        gates = f"gw_src={quoteattr(source)} gw_dst={quoteattr(target)}"
        ends = f"src={quoteattr(_zone(source))} dst={quoteattr(_zone(target))} {gates}"
    return f'    <{word} {ends}{one_way}><link_ctn id={quoteattr(link)} direction="UP"/></{word}>'


def _differs(link: _core.Link) -> bool:
    """By direction."""
    return (link.rate_bps, link.latency_s) != (link.back_rate_bps, link.back_latency_s)


def _routes_of_pairs(cluster: _core.Cluster, names: list[list[str]], shared: bool) -> Iterator[str]:
    word = "zoneRoute" if shared else "route"
    for source, a in enumerate(cluster.hosts):
        for target, b in enumerate(cluster.hosts):
            if source == target:
                continue
            over = []
            for channel in cluster.path(a, b):
                beside = names[channel // 2]
                name = beside[_core.link_taken(source, target, len(beside))]
                goes_back = channel % 2 == 1
                if goes_back and _differs(cluster.links[channel // 2]):
                    name, goes_back = f"{name}{_BACK}", False
                over.append(f'<link_ctn id={quoteattr(name)} direction="{"DOWN" if goes_back else "UP"}"/>')
            ends = f"src={quoteattr(a)} dst={quoteattr(b)}"
            if shared:
                gates = f"gw_src={quoteattr(a)} gw_dst={quoteattr(b)}"
                ends = f"src={quoteattr(_zone(a))} dst={quoteattr(_zone(b))} {gates}"
            yield f'    <{word} {ends} symmetrical="NO">{"".join(over)}</{word}>'


def _link(name: str, rate_bps: float, latency_s: float, kept: str) -> str:
    start = (
        f"    <link id={quoteattr(name)} bandwidth={quoteattr(format_bandwidth(rate_bps))} "
        f'latency={quoteattr(format_latency(latency_s))} sharing_policy="SPLITDUPLEX"'
    )
    return f"{start}>{kept}</link>" if kept else f"{start}/>"


def _property(name: str, value: str) -> str:
    return f"<prop id={quoteattr(f'trunkline.{name}')} value={quoteattr(value)}/>"


def _zone(node: str) -> str:
    return f"ranks of {node}"


class _Ranks:
    """A host for each rank of one host, behind a router that has the name and the link of theirs."""

    def __init__(self, cluster: _core.Cluster, number: int, host: str, ranks: int) -> None:
        self.host = host
        names = [rank_host(host, place, ranks) for place in range(ranks)] if ranks > 1 else []
        self.hosts = [_host(cluster, number, name) for name in names] or [_host(cluster, number, host)]
        self.routers = [f"    <router id={quoteattr(host)}/>"] if names else []
        self.links = [f"    <link id={quoteattr(f'{name}/own')} {_OWN_LINK}/>" for name in names]
        self.routes = [
            f"    <route src={quoteattr(name)} dst={quoteattr(host)}><link_ctn id={quoteattr(f'{name}/own')}/></route>"
            for name in names
        ]

    @property
    def nodes(self) -> int:
        return len(self.hosts) + len(self.routers)

    def zone(self) -> str:
        """All of it by itself: where every two hosts have a route of their own, these go to its router."""
        lines = [f'    <zone id={quoteattr(_zone(self.host))} routing="Floyd">']
        return "\n".join([*lines, *self.hosts, *self.routers, *self.links, *self.routes, "    </zone>"])


def _host(cluster: _core.Cluster, number: int, name: str) -> str:
    start = f'    <host id={quoteattr(name)} speed="{_SPEED}"'
    kept = []
    if aliases := cluster.aliases(number):
        kept.append(_property("aliases", " ".join(aliases)))
    if injection_s := cluster.injection_s(number):
        kept.append(_property("injection", repr(injection_s)))
    if window := cluster.tcp_window_bytes(number):
        kept.append(_property("tcp_window", str(window)))
    return f"{start}>{''.join(kept)}</host>" if kept else f"{start}/>"


def _link_names(links: list[_core.Link]) -> list[list[str]]:
    """``h0-s0``; numbered where two links join the same nodes, or names with dashes run together.

    Of each link one name, or as many as it has links side by side where messages cross them.
    """
    used: set[str] = set()
    names: list[list[str]] = []
    for link in links:
        beside: list[str] = []
        for _ in range(link.width if link.used else 1):
            name, number = f"{link.a}-{link.b}", 2
            while name in used:
                name, number = f"{link.a}-{link.b}.{number}", number + 1
            used |= {name, f"{name}{_BACK}"}
            beside.append(name)
        names.append(beside)
    return names
