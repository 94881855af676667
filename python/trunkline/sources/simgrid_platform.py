"""A SimGrid platform, read zone by zone: hosts, routers, links, and which link joins whom.

A network of switches has hosts and routers, and links of which each joins two of them: routes of one link between
neighbours. What SimGrid can say beyond that (media that several pairs share, links without contention, other routing)
has no place in a cluster file and is a fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trunkline.sources.faults import Faults, Place, did_you_mean
from trunkline.sources.network import Host, Switch
from trunkline.sources.simgrid_units import parse_bandwidth, parse_latency, sum_of_seconds
from trunkline.sources.simgrid_xml import Element
from trunkline.units import WIDEST_LINK


@dataclass(frozen=True)
class Wire:
    """A ``<link>``."""

    at: Place
    rate_bps: float
    latency_s: float
    order: int
    between: tuple[str, str] | None
    """Of a link that no route of its own tells, its two ends; only platforms that Trunkline wrote say it."""
    width: int = 1
    """Links side by side that it stands for, by the same."""
    beside: bool = False
    """It is one of them, or the way back of one, and another stands for it."""
    back: tuple[float, float] | None = None
    """Rate and latency of the way back, where the same say that it differs."""
    is_split: bool = False
    """Its two directions do not share its rate, as it says itself."""


@dataclass(frozen=True)
class Join:
    """A link from one node to another, in this direction."""

    source: str
    target: str
    wire: str
    at: Place
    direction: str = ""
    """``UP`` or ``DOWN``, where it says so beside the link's name; ``NONE``, where it should and does not."""


@dataclass
class Platform:
    """Everything that was read; hosts of ``<cluster>`` come with their links."""

    routers: list[Switch] = field(default_factory=list)
    lone_hosts: dict[str, tuple[Place, dict[str, str]]] = field(default_factory=dict)
    """Hosts whose link comes from a route: place and properties."""
    host_order: list[str] = field(default_factory=list)
    placed_hosts: dict[str, Host] = field(default_factory=dict)
    wires: dict[str, Wire] = field(default_factory=dict)
    joins: list[Join] = field(default_factory=list)
    inner_latency_s: dict[str, float] = field(default_factory=dict)
    """By router of a cluster with a backbone: half of the backbone's latency, for links that leave the cluster."""
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Something that was left out or changed; said once."""
        if text not in self.notes:
            self.notes.append(text)


_ROUTINGS = ("Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "None")
_OF_NO_MATTER = {"prop", "config", "disk", "storage", "storage_type", "mount", "mstorage", "model_prop", "random"}
_OF_NO_MATTER |= {"actor", "process", "argument", "trace", "trace_connect"}
_IN_ZONES = (
    "zone",
    "cluster",
    "cabinet",
    "host",
    "router",
    "link",
    "route",
    "zoneRoute",
    "host_link",
    "backbone",
    "prop",
)
_SPLIT = ("SPLITDUPLEX", "FULLDUPLEX")
_MOST_HOSTS = 1_000_000


def read_platform(root: Element, faults: Faults) -> Platform:
    """Everything below ``<platform>``."""
    platform = Platform()
    if root.tag != "platform":
        faults.add(root.at, f'<{root.tag}> is not a platform; SimGrid\'s begin with <platform version="4.1">')
        return platform
    if root.attributes.get("version") not in ("4", "4.1"):
        version = root.attributes.get("version", "without a version")
        faults.add(root.at, f"platform {version}: versions 4 and 4.1 are read; simgrid_update_xml renews older ones")
        return platform
    for child in root.children:
        _Zone(platform, faults, root).read(child)
    return platform


class _Zone:
    """Reads the children of one zone."""

    def __init__(self, platform: Platform, faults: Faults, zone: Element) -> None:
        self.platform = platform
        self.faults = faults
        self.zone = zone
        self.routing = zone.attributes.get("routing", "None")

    def read(self, element: Element) -> None:
        tag = {"AS": "zone", "ASroute": "zoneRoute"}.get(element.tag, element.tag)
        if tag in _OF_NO_MATTER:
            return
        if tag == "zone":
            self._inner(element)
        elif tag in ("route", "zoneRoute"):
            self._route(element, tag == "zoneRoute")
        elif tag in ("host", "router", "link", "cluster", "cabinet"):
            name = self._needed(element, "id")
            if name is not None:
                getattr(self, f"_{tag}")(element, name)
        elif tag in ("bypassRoute", "bypassZoneRoute", "bypassASroute"):
            self._alike(element, "exceptions from routing have no place in a cluster file; take them out")
        elif tag in ("peer",):
            self._alike(element, "a <peer> has no switch; write a <host>, a <router> and a <link>")
        elif tag not in ("host_link", "backbone"):  # those two are read with their zone
            known = ", ".join(f"<{name}>" for name in _IN_ZONES)
            self.faults.add(
                element.at, f"unknown element <{tag}>{did_you_mean(tag, _IN_ZONES)}; known here are {known}"
            )

    def _inner(self, element: Element) -> None:
        routing = element.attributes.get("routing", "None")
        if routing not in _ROUTINGS:
            message = f"routing {routing} is not one of a network of switches{did_you_mean(routing, _ROUTINGS)}"
            self.faults.add(element.at, f"{message}; known here are {', '.join(_ROUTINGS)}")
            return
        zone = _Zone(self.platform, self.faults, element)
        for child in element.children:
            zone.read(child)
        if routing == "Cluster":
            zone.hang_hosts()

    def _host(self, element: Element, name: str) -> None:
        if name in self.platform.lone_hosts or name in self.platform.placed_hosts:
            self.faults.add(element.at, f"host {name} is there already; a name stands for one node")
            return
        self.platform.lone_hosts[name] = (element.at, element.properties())
        self.platform.host_order.append(name)

    def _router(self, element: Element, name: str) -> None:
        self.platform.routers.append(Switch(name, element.at))

    def _link(self, element: Element, name: str) -> None:
        if name in self.platform.wires:
            self.faults.add(element.at, f"link {name} is there already (at {self.platform.wires[name].at})")
            return
        rate, latency = self._rates(element, "bandwidth", "latency", "sharing_policy")
        if any(key.endswith("_file") for key in element.attributes):
            self.platform.note("Profiles of links (bandwidth_file, latency_file, state_file) are left out.")
        ends = element.properties().get("trunkline.between", "").split()
        between = (ends[0], ends[1]) if len(ends) == 2 else None
        width = element.properties().get("trunkline.width", "1")
        if not (width.isascii() and width.isdigit() and 1 <= int(width) <= WIDEST_LINK):
            self.faults.add(element.at, f"trunkline.width {width} is no whole number from 1 to {WIDEST_LINK}")
            width = "1"
        beside = "trunkline.beside" in element.properties()
        order = len(self.platform.wires)
        back = self._back(element)
        is_split = element.attributes.get("sharing_policy") in _SPLIT
        self.platform.wires[name] = Wire(element.at, rate, latency, order, between, int(width), beside, back, is_split)

    def _back(self, element: Element) -> tuple[float, float] | None:
        """What ``trunkline.back`` says: bits a second, seconds."""
        if (stated := element.properties().get("trunkline.back")) is None:
            return None
        try:
            rate, latency = (float(word) for word in stated.split())
            if not (0.0 < rate < float("inf") and 0.0 <= latency < float("inf")):
                raise ValueError
        except ValueError:
            self.faults.add(
                element.at, f"trunkline.back {stated!r} is no rate above zero and latency, in bits a second and seconds"
            )
            return None
        return rate, latency

    def _rates(self, element: Element, bandwidth: str, latency: str, policy: str) -> tuple[float, float]:
        """Rate and latency of attributes; 1 where they are faulty, since nothing is made of a faulty file."""
        rate, seconds = 1.0, 0.0
        try:
            rate = parse_bandwidth(self._needed(element, bandwidth) or "1bps")
            seconds = parse_latency(element.attributes.get(latency, "0"))
        except ValueError as error:
            self.faults.add(element.at, str(error))
        sharing = element.attributes.get(policy, "SPLITDUPLEX")
        if element.tag == "link" and policy not in element.attributes:
            self.platform.note("Links without sharing_policy, shared or not by version of SimGrid, became full duplex.")
        if sharing == "SHARED":
            self.platform.note("SHARED links, of which both directions share the rate, became full duplex.")
        elif sharing not in _SPLIT:
            self._alike(
                element, f"{policy} {sharing} is not of an Ethernet link; write SPLITDUPLEX and the rate it has"
            )
        return rate, seconds

    def _route(self, element: Element, between_zones: bool) -> None:
        source = self._needed(element, "gw_src" if between_zones else "src")
        target = self._needed(element, "gw_dst" if between_zones else "dst")
        links = [child for child in element.children if child.tag in ("link_ctn", "link:ctn")]
        if source is None or target is None:
            return
        if source == target:
            if links:
                self._alike(element, f"a route from {source} to itself; it has no place in a cluster file")
            return
        over = [self.platform.wires.get(link.attributes.get("id", "")) for link in links]
        if over and all(wire is not None and (wire.between or wire.beside) for wire in over):
            return  # of two hosts, over links that say themselves whom they join
        if len(links) != 1:
            self._alike(
                element,
                f"the route {source} - {target} is of {len(links)} links and does not say which switches are between "
                'them; write routers, routes of one link between neighbours, and routing="Floyd"',
            )
            return
        wire = self._needed(links[0], "id")
        if wire is None:
            return
        direction = links[0].attributes.get("direction", "NONE").upper()
        there, back = {"UP": ("UP", "DOWN"), "DOWN": ("DOWN", "UP")}.get(direction, ("", ""))
        self.platform.joins.append(Join(source, target, wire, links[0].at, there))
        if element.attributes.get("symmetrical", "YES").upper() != "NO":
            self.platform.joins.append(Join(target, source, wire, links[0].at, back))

    def _cluster(self, element: Element, name: str) -> None:
        topology = element.attributes.get("topology", "FLAT")
        if topology != "FLAT":
            self._alike(element, f"a {topology} cluster does not name its switches; write them as routers and links")
            return
        prefix, suffix = element.attributes.get("prefix", ""), element.attributes.get("suffix", "")
        router = element.attributes.get("router_id") or f"{prefix}{name}_router{suffix}"
        self.platform.routers.append(Switch(router, element.at))
        inner = self._backbone(element, router, "bb_bw", "bb_lat") if "bb_bw" in element.attributes else 0.0
        if element.attributes.get("limiter_link"):
            self.platform.note("Limiter links of clusters are left out.")
        self._cabinet(element, name, router, inner)

    def _backbone(self, element: Element, router: str, bandwidth: str, latency: str) -> float:
        """Half the latency of a backbone: every path inside crosses it between two hosts' links."""
        rate, seconds = self._rates(element, bandwidth, latency, "")
        own = self._rates(element, "bw", "lat", "")[0] if bandwidth == "bb_bw" else 0.0
        if rate < own:
            self.faults.add(element.at, f"the backbone of {router} is slower than its hosts' links; a switch is not")
        self.platform.note(
            "Backbones of clusters became switches without a limit of their own; their latency is half on each link."
        )
        self.platform.inner_latency_s[router] = seconds / 2
        return seconds / 2

    def _cabinet(self, element: Element, name: str, router: str | None = None, inner_s: float = 0.0) -> None:
        if router is None:
            router, inner_s = self.cluster_router()
        rate, latency = self._rates(element, "bw", "lat", "sharing_policy")
        radical = self._needed(element, "radical")
        if radical is None:
            return
        prefix, suffix = element.attributes.get("prefix", ""), element.attributes.get("suffix", "")
        for number in self._numbers(element, radical):
            host = f"{prefix}{number}{suffix}"
            if host in self.platform.placed_hosts or host in self.platform.lone_hosts:
                self._alike(element, f"host {host} of {name} is there already; a name stands for one node")
                continue
            self.platform.host_order.append(host)
            self.platform.placed_hosts[host] = Host(host, router, element.at, rate, sum_of_seconds(latency, inner_s))

    def _numbers(self, element: Element, radical: str) -> list[int]:
        numbers: list[int] = []
        for part in radical.replace(";", ",").split(","):
            low, dash, high = part.strip().partition("-")
            if not (low.isdecimal() and (high.isdecimal() or not dash)) or int(high or low) < int(low):
                self.faults.add(element.at, f"radical {radical} is not numbers and ranges, such as 0-15")
                return []
            if int(high or low) - int(low) + len(numbers) >= _MOST_HOSTS:
                self.faults.add(
                    element.at, f"radical {radical} is more than {_MOST_HOSTS} hosts; is a number mistyped?"
                )
                return []
            numbers += range(int(low), int(high or low) + 1)
        return numbers

    def cluster_router(self) -> tuple[str, float]:
        """The switch of a zone with routing Cluster, and half the latency of its backbone."""
        routers = [child for child in self.zone.children if child.tag == "router"]
        name = (routers[0] if routers else self.zone).attributes.get("id", "")
        backbones = [child for child in self.zone.children if child.tag == "backbone"]
        if backbones and name not in self.platform.inner_latency_s:
            self._backbone(backbones[0], name, "bandwidth", "latency")
        return name, self.platform.inner_latency_s.get(name, 0.0)

    def hang_hosts(self) -> None:
        """The ``<host_link>`` of a zone with routing Cluster."""
        router, inner = self.cluster_router()
        if not any(child.tag == "router" for child in self.zone.children):
            self.platform.routers.append(Switch(router, self.zone.at))
        for element in self.zone.children:
            if element.tag != "host_link":
                continue
            ends = [self._needed(element, key) for key in ("id", "up", "down")]
            host, up, down = ends
            if host is None or up is None or down is None:
                continue
            if host not in self.platform.lone_hosts:
                self.faults.add(element.at, f"there is no host {host} in the platform above")
                continue
            self.platform.joins += [
                Join(source, target, wire, element.at, "NONE")
                for source, target, wire in ((host, router, up), (router, host, down))
            ]
        if inner:
            self.platform.inner_latency_s[router] = inner

    def _needed(self, element: Element, key: str) -> str | None:
        value = element.attributes.get(key)
        if not value:
            self.faults.add(element.at, f"<{element.tag}> has no {key}")
            return None
        return value

    def _alike(self, element: Element, message: str) -> None:
        """Alike in one zone: said once."""
        kind = f"{id(self.zone)} {element.tag} {message.split(';')[-1]}"
        self.faults.add_alike(kind, element.at, message)
