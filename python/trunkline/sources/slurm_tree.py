"""Slurm's lines of switches, from either of its two files, become a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trunkline import _core
from trunkline.sources.faults import Faults, Place, did_you_mean
from trunkline.sources.network import Host, Network, Switch, Trunk, as_known, check_network, listed_names
from trunkline.sources.rates import Rates

_MISSING = "add the switch that joins them, with both among its child switches, or name it with --core NAME"


@dataclass(frozen=True)
class SwitchLine:
    """One switch as Slurm writes it; lists as they stand in the file, None where they do not."""

    name: str
    at: Place
    nodes: tuple[str, Place] | None
    switches: tuple[str, Place] | None
    level: int | None = None
    """As ``scontrol show topology`` prints it: ``nodes`` are those of all switches below, too."""


def network_of(
    lines: list[SwitchLine], whole: Place, name: str, rates: Rates, faults: Faults, core: str | None = None
) -> Network:
    """Switches, nodes and the links between them; adds to ``faults`` whatever is wrong with them.

    Args:
        lines: the switches.
        whole: the file.
        name: the cluster's.
        rates: of links, which Slurm does not tell.
        faults: where to report.
        core: a switch above all that are below none; None: the file has it, or there is one root.
    """
    network = Network(name, "Slurm's topology" + ("" if whole.file == "-" else f" in {whole.file}"), notes=[rates.note])
    known = {line.name for line in lines}
    homes: dict[str, tuple[str, Place]] = {}
    below: dict[str, dict[str, Place]] = {line.name: {} for line in lines}
    described: dict[str, Place] = {}
    lowest: dict[str, int] = {}
    for line in lines:
        if line.level is not None:
            for host, _ in _names(line.nodes, "Nodes", Faults()):
                lowest[host] = min(line.level, lowest.get(host, line.level))
    for line in lines:
        if line.name in described:
            first = described[line.name]
            faults.add(line.at, f"switch {line.name} is described already (at {first}); put all of it in one place")
            continue
        described[line.name] = line.at
        network.switches.append(Switch(line.name, line.at))
        for host, at in _names(line.nodes, "Nodes", faults):
            if line.level is not None and lowest[host] < line.level:
                continue
            if host in homes and host not in known:
                other, first = homes[host]
                again = "twice" if other == line.name else f"under {line.name} and under {other}"
                message = f"node {host} is {again} (first at {first}); a host has one link, so keep one"
                faults.add_alike(f"homes {at}", at, message)
                continue
            homes[host] = (line.name, at)
            network.hosts.append(Host(host, line.name, at, rates.host_bps, rates.latency_s, width=rates.host_width))
        for child, at in _names(line.switches, "Switches", faults):
            if child not in known:
                faults.add(at, f"{line.name} has a child {child} that no line describes{did_you_mean(child, known)}")
            elif child in below[line.name]:
                faults.add(at, f"{child} is below {line.name} twice; keep one")
            else:
                below[line.name][child] = at
                network.trunks.append(Trunk(line.name, child, at, rates.trunk_bps, rates.latency_s, rates.trunk_width))
    loops = _report_loops(below, faults)
    if core is not None:
        _add_core(network, core, below, rates)
    if not lines:
        faults.add(whole, "no switches are in it; Slurm writes them as SwitchName=s0 Nodes=node[01-16]")
    elif not loops:
        check_network(network, whole, _MISSING, faults)
    return network


def _add_core(network: Network, core: str, below: dict[str, dict[str, Place]], rates: Rates) -> None:
    """A switch that the file does not have, above all that are below none."""
    at = Place("--core")
    (core,) = as_known([core], below)
    children = {child for own in below.values() for child in own}
    if core not in below:
        network.switches.insert(0, Switch(core, at))
    network.trunks += [
        Trunk(core, root, at, rates.trunk_bps, rates.latency_s, rates.trunk_width)
        for root in below
        if root not in children and root != core
    ]


def _names(value: tuple[str, Place] | None, key: str, faults: Faults) -> Iterator[tuple[str, Place]]:
    if value is None:
        return
    text, at = value
    if text.upper() == "ALL":
        faults.add(at, f"{key}={text} names nothing; write the names, such as node[01-16]")
        return
    try:
        names = listed_names(text) if key == "Switches" else _core.expand_hostlist(text)
    except _core.BadHostlist as error:
        faults.add(at, f"{key}={text}: {error}")
        return
    yield from ((name, at) for name in names)


def _report_loops(below: dict[str, dict[str, Place]], faults: Faults) -> bool:
    """Depth first, without recursion: a file may chain more switches than Python nests calls."""
    done: set[str] = set()
    found = False
    for start in below:
        if start in done:
            continue
        trail = [start]
        todo = [list(below[start])]
        on_trail = {start}
        while trail:
            if not todo[-1]:
                todo.pop()
                done.add(trail[-1])
                on_trail.remove(trail.pop())
                continue
            child = todo[-1].pop(0)
            if child in on_trail:
                circle = " > ".join([*trail[trail.index(child) :], child])
                faults.add(
                    below[trail[-1]][child], f"{child} is above itself: {circle}; take {child} out of {trail[-1]}"
                )
                found = True
            elif child not in done:
                trail.append(child)
                todo.append(list(below[child]))
                on_trail.add(child)
    return found
