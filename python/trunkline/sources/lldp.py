"""A cluster from LLDP: every host hears the switch at the other end of its cable.

Hosts cannot hear what is between switches. Those links come from files of the switches themselves, or from options;
where neither says how two parts are joined, that is a fault, never a guess.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.sources.faults import Faults, Place, did_you_mean
from trunkline.sources.lldp_json import Heard, Speaker
from trunkline.sources.lldp_rates import LinkRates
from trunkline.sources.network import Host, Network, Switch, Trunk, as_known, check_network
from trunkline.sources.rates import Rates
from trunkline.units import listed

_MISSING = (
    "hosts do not hear links between switches: add what a switch prints, --trunk A-B for each link, "
    "or --core NAME for one switch above all"
)


@dataclass(frozen=True)
class Hints:
    """What the person knows and LLDP does not."""

    switches: tuple[str, ...] = ()
    """Names of the switches; empty: whoever announces itself as bridge or router is one."""
    trunks: tuple[str, ...] = ()
    core: str | None = None
    interface: str | None = None
    """The hosts' interface that carries MPI, where they have several."""
    left_out: tuple[str, ...] = ()
    """Names of neighbours that are neither hosts nor switches of the network."""


_WITH_SERIAL = re.compile(r"(.+)\([0-9A-Z]{6,}\)", re.ASCII)
"""As CDP names a device: ``sw1(SSI154300AA)``."""


class _Names:
    """One name for each chassis: ``node1`` and ``node1.lab`` are one where no other long form is about.

    So are ``sw1`` and ``sw1(SSI154300AA)``, as CDP has it, where no other serial number is about.
    """

    def __init__(self, names: list[str]) -> None:
        longer: dict[str, set[str]] = defaultdict(set)
        for name in names:
            if with_serial := _WITH_SERIAL.fullmatch(name):
                longer[with_serial[1]].add(name)
            elif "." in name and ":" not in name:
                longer[name.split(".")[0]].add(name)
        self._short = {
            long: short for short, all_of_them in longer.items() if len(all_of_them) == 1 for long in all_of_them
        }
        self._known = set(names)
        self.aliases: dict[str, tuple[str, ...]] = {}

    def of(self, name: str) -> str:
        short = self._short.get(name)
        if short is None or short not in self._known:
            return name
        self.aliases[short] = (name,)
        return short


def network_heard(
    heard: list[Heard],
    owners: list[tuple[Speaker, Place]],
    hints: Hints,
    name: str,
    rates: Rates,
    faults: Faults,
) -> Network:
    """The network of all announcements.

    Args:
        heard: who heard whom.
        owners: whose files there are, also of those that heard nobody; one at least.
        hints: what LLDP does not tell.
        name: the cluster's.
        rates: as given with options; what a person told counts more than what ports announce.
        faults: where to report.
    """
    speakers = [speaker for item in heard for speaker in (item.owner, item.neighbour)] + [owner for owner, _ in owners]
    heard_names = [speaker.name for speaker in speakers]
    switches_told, left_out = as_known(hints.switches, heard_names), as_known(hints.left_out, heard_names)
    core = as_known([hints.core], heard_names)[0] if hints.core is not None else None
    hints = replace(hints, switches=switches_told, left_out=left_out, core=core)
    names = _Names([*heard_names, *hints.switches, *hints.left_out])
    if hints.switches:
        switches = {names.of(switch) for switch in hints.switches}
    else:
        switches = {names.of(speaker.name) for speaker in speakers if speaker.forwards}
    no_part = {names.of(one) for one in hints.left_out}
    for one in no_part - {names.of(speaker.name) for speaker in speakers}:
        near = did_you_mean(one, (speaker.name for speaker in speakers))
        faults.add(Place("--leave-out"), f"no file names {one}{near}")
    own_files = {names.of(owner.name): at for owner, at in owners if names.of(owner.name) not in no_part}
    ends = [(names.of(item.owner.name), names.of(item.neighbour.name)) for item in heard]
    beside = {b for a, b in ends if hints.switches and switches.isdisjoint((a, b)) and b not in own_files}
    cables = _Cables({owner: {} for owner in own_files if owner not in switches}, beside)
    for item in heard:
        if no_part.isdisjoint((names.of(item.owner.name), names.of(item.neighbour.name))):
            cables.add(item, names, switches, own_files, hints, faults)

    network = Network(name, "from LLDP")
    chosen = LinkRates(rates, cables.fastest_by_switch())
    network.switches = [Switch(switch, at) for switch, at in cables.found.items()]
    for host, over in cables.homes.items():
        _add_host(network, host, over, own_files, names, hints, chosen, rates.latency_s, faults)
    for a, b in cables.trunks:
        for at, announced, count in cables.links_between(a, b):
            bps, width = chosen.trunk(a, b, announced), chosen.trunk_width(count)
            network.trunks.append(Trunk(a, b, at, bps, rates.latency_s, width))
    if lower := list(dict.fromkeys(f"{item.owner.name} - {item.neighbour.name}" for item in heard if item.is_lower)):
        network.notes.append(f"Ports that announce another rate each way have the lower one: {listed(lower)}.")
    network.notes += _several_ids(speakers, names, cables.found)
    if not hints.switches and cables.found:
        network.notes.append(f"Taken for switches: {_core.compress_hostlist(list(cables.found))}.")
    if cables.left_out:
        network.notes.append(
            f"Left out, since --switches does not name them and they have no file of their own: "
            f"{', '.join(cables.left_out)}."
        )
    if cables.bridging:
        network.notes.append(
            f"Taken for hosts, although they announce themselves as bridge or router, as hosts of containers do: "
            f"{_core.compress_hostlist(list(cables.bridging))}. Leave out those that are no hosts: --leave-out NAMES."
        )
    _add_told(network, hints, chosen, rates.latency_s)
    network.notes = [*chosen.notes(), *network.notes]
    for switch in sorted(switches - cables.found.keys()):
        if switch in own_files:
            faults.add(
                own_files[switch], f"the switch {switch} hears no neighbour; leave its file out, or print it again"
            )
        elif hints.switches:
            near = did_you_mean(switch, cables.found)
            faults.add(Place("--switches"), f"nobody hears {switch}{near}; leave it out")
    check_network(network, Place(owners[0][1].file), _MISSING, faults)
    return network


def _several_ids(speakers: Iterable[Speaker], names: _Names, switches: Iterable[str]) -> list[str]:
    """A note on each switch whose name several devices announce."""
    macs: dict[str, set[str]] = defaultdict(set)
    for speaker in speakers:
        if speaker.mac is not None:
            macs[names.of(speaker.name)].add(speaker.mac)
    return [
        f"{switch} has {len(macs[switch])} chassis ids ({listed(sorted(macs[switch]))}) and is taken for one switch: "
        "right of a stack; switches that share a name need names of their own."
        for switch in switches
        if len(macs[switch]) > 1
    ]


@dataclass
class _Cables:
    """Who hangs on whom, as far as it was heard."""

    homes: dict[str, dict[str, list[Heard]]]
    """By host: each switch that it hears, or that hears it, with what was heard from both sides."""
    beside: set[str]
    """What hosts hear beside the switches that are named, and has no file: bridges of other networks, no hosts."""
    trunks: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of switches, each once."""
    seen: defaultdict[tuple[str, str], list[Heard]] = field(default_factory=lambda: defaultdict(list))
    """Links between two switches, from each side."""
    found: dict[str, Place] = field(default_factory=dict)
    """Switches at an end of any of these."""
    bridging: dict[str, None] = field(default_factory=dict)
    """Neighbours of switches that are taken for hosts and forward frames: containers' hosts do, and so do switches."""
    left_out: dict[str, None] = field(default_factory=dict)
    """Neighbours that are no switches as named, and no hosts: bridges, telephones, what has no file beside hosts."""

    def add(
        self,
        item: Heard,
        names: _Names,
        switches: set[str],
        own_files: dict[str, Place],
        hints: Hints,
        faults: Faults,
    ) -> None:
        interface, is_told = hints.interface, bool(hints.switches)
        # Who names the hosts' interface prints their files: others that a switch hears are no hosts.
        has_all_files = interface is not None and any(owner not in switches for owner in own_files)
        a, b = names.of(item.owner.name), names.of(item.neighbour.name)
        if a in switches and b in switches:
            self.seen[a, b].append(item)
            if (min(a, b), max(a, b)) not in self.trunks:
                self.trunks.append((min(a, b), max(a, b)))
            self.found.setdefault(a, item.at)
            self.found.setdefault(b, item.at)
        elif b in switches:
            if interface in (None, item.interface):
                self.homes[a].setdefault(b, []).append(item)
                self.found.setdefault(b, item.at)
        elif a in switches:
            if is_told and b not in own_files and (item.neighbour.is_device or has_all_files or b in self.beside):
                self.left_out.setdefault(b, None)
            elif not (interface and b in own_files):  # the host's own file knows its interface
                self.homes.setdefault(b, {}).setdefault(a, []).append(item)
                self.found.setdefault(a, item.at)
                if item.neighbour.forwards and b not in own_files:
                    self.bridging.setdefault(b, None)
        elif is_told:
            self.left_out.setdefault(b, None)
        else:
            message = (
                f"{a} hears {b} on {item.interface}, and neither announces itself as bridge or router; "
                "name the switches with --switches"
            )
            faults.add_alike(f"neighbour {b}", item.at, message)

    def links_between(self, a: str, b: str) -> list[tuple[Place, float | None, int]]:
        """Each link of two switches: where it was heard, its rate where a port announces one, of how many cables it is.

        Rates are in bits per second. Cables that are aggregated, and of one rate, are one link.

        From the side that knows of more cables or, of as many, announces more rates and aggregates; what it does not
        announce is what the others announce, where they agree.
        """
        sides = (self.seen[a, b], self.seen[b, a])

        def known(items: list[Heard]) -> tuple[int, int]:
            return len(items), sum((item.rate_bps is not None) + (item.aggregate is not None) for item in items)

        common = _common_rate([item for items in sides for item in items])
        links: dict[object, tuple[Place, float | None, int]] = {}
        for item in max(sides, key=known):
            bps = item.rate_bps or common
            one = (item.aggregate, bps) if item.aggregate is not None else item.at
            at, _, count = links.get(one, (item.at, bps, 0))
            links[one] = (at, bps, count + 1)
        return list(links.values())

    def fastest_by_switch(self) -> dict[str, float]:
        """Of the links of each switch, the highest rate that a port announces, bits per second."""
        heard = [(switch, items) for over in self.homes.values() for switch, items in over.items()]
        heard += [(switch, items) for ends, items in self.seen.items() for switch in ends]
        fastest: dict[str, float] = {}
        for switch, items in heard:
            for bps in (item.rate_bps for item in items if item.rate_bps is not None):
                fastest[switch] = max(bps, fastest.get(switch, bps))
        return fastest


def _common_rate(items: list[Heard]) -> float | None:
    """What all that announce a rate announce, bits per second."""
    announced = {item.rate_bps for item in items if item.rate_bps is not None}
    return announced.pop() if len(announced) == 1 else None


def _add_host(
    network: Network,
    host: str,
    over: dict[str, list[Heard]],
    own_files: dict[str, Place],
    names: _Names,
    hints: Hints,
    rates: LinkRates,
    latency_s: float,
    faults: Faults,
) -> None:
    if not over:
        on = f" on {hints.interface}" if hints.interface else ""
        faults.add(own_files[host], f"{host} hears no switch{on}; does the switch speak LLDP to it?")
        return
    (switch, items), *more = over.items()
    if more:
        wires = ", ".join(f"{switch} on {items[0].interface}" for switch, items in over.items())
        message = f"{host} hears several switches ({wires}); a host has one link, so name its --interface"
        faults.add(more[0][1][0].at, message)
    for owner in {item.owner: None for item in items}:  # the cable is heard from both ends, by different names
        ports = {item.interface: item.at for item in items if item.owner == owner}
        aggregates = {item.aggregate for item in items if item.owner == owner}
        if len(ports) > 1 and (len(aggregates) > 1 or None in aggregates):  # else they are one link, side by side
            message = (
                f"{host} has several cables to {switch} ({', '.join(ports)} of {owner.name}) that are not all "
                "announced as one aggregate; a host has one link, so name its --interface, beside a file of the host's "
                "own"
            )
            faults.add(list(ports.values())[1], message)
    announced = _common_rate(items) or items[0].rate_bps
    bps = rates.host(host, announced)
    cables: dict[Speaker, set[str]] = defaultdict(set)
    for item in items:
        cables[item.owner].add(item.interface)
    width = rates.host_width(max(map(len, cables.values())))
    network.hosts.append(Host(host, switch, items[0].at, bps, latency_s, names.aliases.get(host, ()), width))


def _add_told(network: Network, hints: Hints, rates: LinkRates, latency_s: float) -> None:
    """Links that the person told: --trunk, --core."""
    known = {switch.name for switch in network.switches} | ({hints.core} if hints.core else set())
    joined = {frozenset((trunk.a, trunk.b)) for trunk in network.trunks}
    for told in hints.trunks:
        a, b = _ends(told, known)
        if frozenset((a, b)) not in joined:
            joined.add(frozenset((a, b)))
            bps, width = rates.trunk(a, b, None), rates.trunk_width(1)
            network.trunks.append(Trunk(a, b, Place("--trunk"), bps, latency_s, width))
    if hints.core is None:
        return
    lonely = [switch.name for switch in network.switches if not any(switch.name in ends for ends in joined)]
    if hints.core not in {switch.name for switch in network.switches}:
        network.switches.insert(0, Switch(hints.core, Place("--core")))
    network.trunks += [
        Trunk(
            hints.core, switch, Place("--core"), rates.trunk(hints.core, switch, None), latency_s, rates.trunk_width(1)
        )
        for switch in lonely
        if switch != hints.core
    ]


def _ends(told: str, known: set[str]) -> tuple[str, str]:
    """The two switches of ``A-B``; names may hold dashes themselves, so it is cut where both sides are known.

    Raises:
        BadInput: where that is at no place, or at several.
    """
    words = told.split("-")
    cuts = [as_known(("-".join(words[:cut]), "-".join(words[cut:])), known) for cut in range(1, len(words))]
    fits = [(a, b) for a, b in cuts if a in known and b in known and a != b]
    if len(fits) != 1:
        why = "fits several pairs of them" if fits else "is not A-B with two of them"
        raise BadInput(f"--trunk {told}: switches are {', '.join(sorted(known))}; this {why}")
    return fits[0]
