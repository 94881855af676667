"""What every source is read into: switches, hosts and trunks, each with its place in the source."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count, groupby

from trunkline import _core
from trunkline.cluster import equal_cost_words, told_as_bad_input
from trunkline.errors import BadInput
from trunkline.sources.faults import Faults, Place, did_you_mean, name_fault
from trunkline.units import listed


@dataclass(frozen=True)
class Switch:
    """A switch of the source."""

    name: str
    at: Place


@dataclass(frozen=True)
class Host:
    """A host with its one link."""

    name: str
    switch: str
    at: Place
    rate_bps: float
    latency_s: float
    aliases: tuple[str, ...] = ()
    width: int = 1
    """Equal links side by side, each of that rate."""
    injection_s: float = 0.0
    """For so long each message that it sends keeps it busy."""
    back: tuple[float, float] | None = None
    """Bits a second and seconds from the switch to it, where that differs."""
    tcp_window_bytes: int = 0
    """So much at most one of its TCP streams has under way; 0: not said."""


@dataclass(frozen=True)
class Trunk:
    """A link between two switches."""

    a: str
    b: str
    at: Place
    rate_bps: float
    latency_s: float
    width: int = 1
    """Equal links side by side, each of that rate."""
    back: tuple[float, float] | None = None
    """Bits a second and seconds from b to a, where that differs."""


@dataclass
class Network:
    """A source, read. ``notes`` says what was assumed or left out: shown, and written above the cluster."""

    name: str
    description: str
    switches: list[Switch] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    trunks: list[Trunk] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    equal_cost: bool = False
    """Whether its switches use all shortest paths."""
    shortest: bool = False
    """Whether they use of each two switches the shortest one."""
    queue_bytes: int = 0
    """What waits at a port of each of them before it drops more; 0: not known."""


def plain_name(name: str) -> str:
    """A name that a cluster file can hold, as near as it can be: without blanks, brackets and accents."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._:/+@-]+", "-", plain).strip("-") or "node"


def as_known(told: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Names as devices have them, where a person wrote another case or what they become here; others as they stand."""
    names = {plain_name(name).lower(): name for name in known}
    exact = set(names.values())
    return tuple(name if name in exact else names.get(plain_name(name).lower(), name) for name in told)


def listed_names(text: str) -> list[str]:
    """A host list, or names between commas as devices have them, with blanks and accents.

    Raises:
        BadHostlist: where it is neither.
    """
    try:
        return _core.expand_hostlist(text)
    except _core.BadHostlist:
        names = [name.strip() for name in text.split(",")]
        if re.search(r"[\[\]]", text) or not all(names):
            raise
        return names


def _rename(network: Network) -> None:
    """Gives nodes whose names a cluster file cannot hold others that it can."""
    names = dict.fromkeys([switch.name for switch in network.switches] + [host.name for host in network.hosts])
    taken = set(names)
    renamed: dict[str, str] = {}
    for name in (name for name in names if name_fault(name) is not None):
        base = plain_name(name)
        copies = (base if number == 1 else f"{base}-{number}" for number in count(1))
        renamed[name] = next(copy for copy in copies if copy not in taken and name_fault(copy) is None)
        taken.add(renamed[name])
    if not renamed:
        return

    def known(name: str) -> str:
        return renamed.get(name, name)

    network.switches = [replace(switch, name=known(switch.name)) for switch in network.switches]
    network.hosts = [replace(host, name=known(host.name), switch=known(host.switch)) for host in network.hosts]
    network.trunks = [replace(trunk, a=known(trunk.a), b=known(trunk.b)) for trunk in network.trunks]
    pairs = ", ".join(f"{name!r} became {other}" for name, other in renamed.items())
    network.notes.append(f"Renamed, since names hold letters, digits and . _ - : / + @ only: {pairs}.")


def check_network(network: Network, whole: Place, missing: str, faults: Faults) -> None:
    """Names, ends of links, and whether it is one network; ``missing`` says how to add a link that is not there.

    Names that a cluster file cannot hold are changed, with a note.

    Args:
        network: what was read.
        whole: the source, for what has no place.
        missing: advice, as the end of a sentence.
        faults: where to report.
    """
    _rename(network)
    nodes: dict[str, tuple[str, Place]] = {}
    for kind, node in [("switch", s) for s in network.switches] + [("host", h) for h in network.hosts]:
        if node.name in nodes:
            first_kind, first = nodes[node.name]
            message = f"{kind} {node.name} is there already, as a {first_kind} (at {first}); a name stands for one node"
            faults.add_alike(f"name {node.at}", node.at, message)
        else:
            nodes[node.name] = (kind, node.at)
    switches = {switch.name for switch in network.switches}
    for host in network.hosts:
        if host.switch not in switches:
            what = "a host, not a switch" if host.switch in nodes else "not among the switches"
            faults.add(host.at, f"{host.switch} is {what}{did_you_mean(host.switch, switches)}")
    for trunk in network.trunks:
        for end in (trunk.a, trunk.b):
            if end not in switches:
                what = "a host, not a switch" if end in nodes else "not among the switches"
                faults.add(trunk.at, f"{end} is {what}{did_you_mean(end, switches)}")
        if trunk.a == trunk.b:
            faults.add(trunk.at, f"a link from {trunk.a} to itself; name two switches")
    for host in network.hosts:
        for alias in host.aliases:
            if alias in nodes:
                _, first = nodes[alias]
                message = f"{alias}, an alias of host {host.name}, stands for another node already (at {first})"
                faults.add_alike(f"name {host.at}", host.at, message)
            else:
                nodes[alias] = ("alias", host.at)
    if faults:
        return  # what follows would follow from those
    if not network.hosts:
        faults.add(whole, "there are no hosts in it; a cluster needs some")
    else:
        _check_pieces(network, missing, faults)


def _check_pieces(network: Network, missing: str, faults: Faults) -> None:
    beside: dict[str, list[str]] = defaultdict(list)
    for trunk in network.trunks:
        beside[trunk.a].append(trunk.b)
        beside[trunk.b].append(trunk.a)
    hosts: dict[str, int] = defaultdict(int)
    for host in network.hosts:
        hosts[host.switch] += 1
    places = {switch.name: switch.at for switch in network.switches}
    order = {name: number for number, name in enumerate(places)}
    pieces: list[list[str]] = []
    seen: set[str] = set()
    for start in places:
        if start in seen:
            continue
        piece, waiting = [], [start]
        seen.add(start)
        while waiting:
            here = waiting.pop()
            piece.append(here)
            for there in beside[here]:
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)
        pieces.append(sorted(piece, key=order.__getitem__))
    pieces.sort(key=lambda piece: -sum(hosts[switch] for switch in piece))
    for piece in pieces[1:]:
        count = sum(hosts[switch] for switch in piece)
        faults.add(
            places[piece[0]],
            f"the network is in {len(pieces)} pieces: no link joins {listed(piece, _MOST_LISTED)} ({count} host"
            f"{'' if count == 1 else 's'}) to the rest ({listed(pieces[0], _MOST_LISTED)}); {missing}",
        )


_MOST_LISTED = 4


def write_network(network: Network, origin: str) -> str:
    """A cluster file: what the core makes of the network, below comments that say where it is from.

    Raises:
        BadInput: where the core refuses it.
    """
    with told_as_bad_input():
        cluster = _core.parse_cluster(_yaml(network), f"the cluster made from {origin}")
    if network.queue_bytes:
        cluster = _core.with_queues(cluster, network.queue_bytes)
    if remedy := equal_cost_words(cluster):
        unused = f"{len(cluster.unused_links)} of {len(cluster.links)} links"
        network.notes.append(
            f"A spanning tree of this network leaves {unused} unused; {remedy}. --paths equal-cost does so."
        )
    network.notes = [_printable(note) for note in network.notes]
    comments = [f"From {origin}.", *network.notes]
    return "".join(f"# {' '.join(comment.split())}\n" for comment in comments) + _core.write_cluster(cluster)


def _printable(note: str) -> str:
    """Names in a note are as devices announce them, in which YAML and terminals may not bear every character."""
    return "".join(one if one.isprintable() or one.isspace() else "?" for one in note)


def _settings(host: Host) -> tuple[str, str, float, float, tuple[float, float] | None, int]:
    """What hosts of one entry have alike: switch, rate, latency, injection time, the way back, TCP's window."""
    rate = f"{host.width}x{host.rate_bps!r}bit"
    return host.switch, rate, host.latency_s, host.injection_s, host.back, host.tcp_window_bytes


def _back(back: tuple[float, float] | None) -> dict[str, str]:
    return {"rate": f"{back[0]!r}bit", "latency": f"{back[1]!r}s"} if back is not None else {}


def _yaml(network: Network) -> str:
    if (wrong := name_fault(network.name)) is not None:
        raise BadInput(f"the cluster's name: {wrong}; give one with --name")
    lines = [
        "trunkline: cluster/1",
        *(["paths: equal-cost"] if network.equal_cost else ["paths: shortest"] if network.shortest else []),
        f"name: {json.dumps(network.name)}",
        *([f"description: {json.dumps(network.description, ensure_ascii=False)}"] if network.description else []),
        f"switches: {json.dumps([switch.name for switch in network.switches])}",
        "hosts:",
    ]
    for (switch, rate, latency, injection, back, window), alike in groupby(network.hosts, key=_settings):
        group = list(alike)
        entry = {
            "hosts": _core.compress_hostlist([host.name for host in group]),
            "switch": switch,
            "rate": rate,
            "latency": f"{latency!r}s",
            "back": _back(back),
            "injection": f"{injection!r}s" if injection else "",
            "tcp_window": f"{window}B" if window else "",
            "aliases": {host.name: list(host.aliases) for host in group if host.aliases},
        }
        lines.append(f"  - {json.dumps({key: value for key, value in entry.items() if value})}")
    if network.trunks:
        lines.append("links:")
    for trunk in network.trunks:
        rate = f"{trunk.width}x{trunk.rate_bps!r}bit"
        link = {"between": [trunk.a, trunk.b], "rate": rate, "latency": f"{trunk.latency_s!r}s"}
        lines.append(f"  - {json.dumps(link | ({'back': _back(trunk.back)} if trunk.back else {}))}")
    return "\n".join(lines) + "\n"
