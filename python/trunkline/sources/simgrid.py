"""SimGrid platforms (XML, versions 4 and 4.1) as networks: every pair of neighbours and the link between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from trunkline.sources.faults import Faults, Place, did_you_mean
from trunkline.sources.network import Host, Network, Trunk, check_network
from trunkline.sources.simgrid_platform import Join, Platform, Wire, read_platform
from trunkline.sources.simgrid_units import sum_of_seconds
from trunkline.sources.simgrid_xml import parse_xml

_MISSING = "add a route of one link between a router of each"


@dataclass(frozen=True)
class _Cable:
    """A link and the two nodes it joins."""

    a: str
    b: str
    wire: Wire
    latency_s: float
    at: Place
    back: tuple[float, float] | None = None
    """Rate and latency from b to a, where they differ."""


def read_simgrid(text: str, file: str, name: str | None, faults: Faults) -> Network:
    """The network of a platform; its name is that of the outermost zone where none is given."""
    root = parse_xml(text, file, faults)
    if root is None:
        return Network("", "")
    platform = read_platform(root, faults)
    zone = next((child for child in root.children if child.tag in ("zone", "AS", "cluster")), None)
    own_name = zone.attributes.get("id", "") if zone else ""
    about = zone.properties().get("trunkline.description") if zone else None
    network = Network(name or own_name, about or "")
    network.shortest = zone is not None and zone.properties().get("trunkline.paths") == "shortest"
    network.notes = platform.notes
    network.switches = platform.routers
    if root.tag == "platform" and not root.children:
        faults.add(root.at, "the platform is empty; it needs a <zone>")
    if faults:
        return network
    routers = {router.name for router in platform.routers}
    trunks: list[tuple[int, Trunk]] = []
    links_of: dict[str, list[_Cable]] = {host: [] for host in platform.lone_hosts}
    for cable in _cables(platform, faults):
        hosts = [end for end in (cable.a, cable.b) if end not in routers]
        unknown = [end for end in hosts if end not in links_of and end not in platform.placed_hosts]
        if unknown:
            known = [*routers, *links_of, *platform.placed_hosts]
            faults.add(cable.at, f"there is no host or router {unknown[0]}{did_you_mean(unknown[0], known)}")
        elif len(hosts) == 2:
            message = f"{cable.a} and {cable.b} are both hosts; hosts hang on a switch, so put a <router> between"
            faults.add_alike("two hosts", cable.at, message)
        elif hosts:
            links_of.setdefault(hosts[0], []).append(cable)
        else:
            figures = (cable.wire.rate_bps, cable.latency_s, cable.wire.width, cable.back)
            trunk = Trunk(cable.a, cable.b, cable.at, *figures)
            trunks.append((cable.wire.order, trunk))
    sound = not faults
    network.trunks = [trunk for _, trunk in sorted(trunks, key=lambda pair: pair[0])]
    network.hosts = [host for name in platform.host_order if (host := _host(name, platform, links_of, sound, faults))]
    if not faults:
        check_network(network, Place(file), _MISSING, faults)
    return network


def _cables(platform: Platform, faults: Faults) -> list[_Cable]:
    """Both directions of each pair together; every link joins one pair, or it is no cable."""
    pairs: dict[tuple[str, str], dict[bool, tuple[str, Place, str]]] = {}
    joined: dict[str, tuple[str, str]] = {}
    refused: set[Place] = set()
    for join in platform.joins:
        named = _wire_of(join, platform, faults)
        if named is None or join.at in refused:  # a symmetrical route is two joins at one place
            continue
        wire, direction = named
        pair = (min(join.source, join.target), max(join.source, join.target))
        forward = join.source == pair[0]
        if joined.setdefault(wire, pair) != pair:
            other = " and ".join(joined[wire])
            message = (
                f"link {wire} joins {other} already; a cable joins two nodes, so give {pair[0]} and {pair[1]} their own"
            )
            faults.add_alike(f"shared {wire}", join.at, message)
            refused.add(join.at)
        elif forward in pairs.setdefault(pair, {}):
            message = (
                f"a second route from {join.source} to {join.target} (first at {pairs[pair][forward][1]}); keep one"
            )
            faults.add(join.at, message)
            refused.add(join.at)
        else:
            pairs[pair][forward] = (wire, join.at, direction)
    cables = []
    one_direction = []
    for (low, high), ways in pairs.items():
        forward, (wire, at, direction) = next(iter(ways.items()))
        a, b = (low, high) if forward else (high, low)
        inner = [platform.inner_latency_s.get(end, 0.0) for end in (a, b)]
        there = platform.wires[wire]
        if len(ways) == 1 and there.back is not None:
            cables.append(_Cable(a, b, there, sum_of_seconds(there.latency_s, *inner), at, there.back))
            continue
        if len(ways) == 1:
            faults.add(at, f'a route from {a} to {b} but none back; leave out symmetrical="NO"')
            continue
        wire_back, _, direction_back = ways[not forward]
        back = platform.wires[wire_back]
        if (wire, direction) == (wire_back, direction_back) and (there.is_split or direction != "NONE") and direction:
            how = "under one name" if direction == "NONE" else f"in the direction {direction}"
            one_direction.append(f"Link {wire} is taken {how} both ways")
        differs = (there.rate_bps, there.latency_s) != (back.rate_bps, back.latency_s)
        way_back = (back.rate_bps, sum_of_seconds(back.latency_s, *inner)) if differs else None
        cables.append(_Cable(a, b, there, sum_of_seconds(there.latency_s, *inner), at, way_back))
    if one_direction:
        more = f", as did {len(one_direction) - 1} more like it" if len(one_direction) > 1 else ""
        platform.note(
            f"{one_direction[0]}, which share its rate then; it became full duplex{more}. "
            "Write the way back with the other direction, or say SHARED."
        )
    cables += [
        _Cable(*unused.between, unused, unused.latency_s, unused.at, unused.back)
        for unused in platform.wires.values()
        if unused.between is not None
    ]
    return cables


def _wire_of(join: Join, platform: Platform, faults: Faults) -> tuple[str, str] | None:
    """The link's own name, and the direction: of a split-duplex link, ``_UP`` and ``_DOWN`` name them too."""
    if join.wire in platform.wires:
        return join.wire, join.direction
    wire, _, direction = join.wire.rpartition("_")
    if direction in ("UP", "DOWN") and wire in platform.wires:
        return wire, direction
    faults.add(join.at, f"there is no link {join.wire}{did_you_mean(join.wire, platform.wires)}")
    return None


def _host(name: str, platform: Platform, links_of: dict[str, list[_Cable]], sound: bool, faults: Faults) -> Host | None:
    placed = platform.placed_hosts.get(name)
    links = links_of.get(name, [])
    if placed is not None:
        if links:
            message = f"host {name} of a cluster has a second link here; lead the route to its router {placed.switch}"
            faults.add(links[0].at, message)
        return placed
    at, properties = platform.lone_hosts[name]
    if not links and not sound:
        return None  # its link may be one that was refused
    if len(links) != 1:
        message = (
            f"host {name} has no link; give a route of one link to a router"
            if not links
            else f"host {name} has {len(links)} links; a host has one, so make a <router> of it if it forwards"
        )
        faults.add_alike("no link" if not links else "several links", at, message)
        return None
    cable = links[0]
    switch = cable.b if cable.a == name else cable.a
    aliases = tuple(properties.get("trunkline.aliases", "").split())
    injection_s = _injection_s(properties.get("trunkline.injection", "0"), name, at, faults)
    sends, receives = (cable.wire.rate_bps, cable.latency_s), cable.back
    if receives is not None and cable.b == name:
        sends, receives = receives, sends
    window = _tcp_window_bytes(properties.get("trunkline.tcp_window", "0"), name, at, faults)
    return Host(name, switch, at, *sends, aliases, cable.wire.width, injection_s, receives, window)


def _injection_s(text: str, name: str, at: Place, faults: Faults) -> float:
    """Seconds of a property; a fault where it is no such time."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds < inf:
        faults.add(at, f"host {name}: trunkline.injection is '{text}'; write seconds, such as 5e-05, or leave it out")
        return 0.0
    return seconds


def _tcp_window_bytes(text: str, name: str, at: Place, faults: Faults) -> int:
    """Bytes of a property; a fault where they are no such number."""
    if text.isascii() and text.isdigit():
        return int(text)
    faults.add(at, f"host {name}: trunkline.tcp_window is '{text}'; write bytes, such as 3145728, or leave it out")
    return 0
