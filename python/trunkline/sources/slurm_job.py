"""A cluster from what the nodes of a Slurm job know of themselves: ``SLURM_TOPOLOGY_ADDR`` and its pattern.

Slurm writes the switches above a node from the top down, ``core.leaf3.node12``, with the pattern
``switch.switch.node``; several switches of one level share brackets, a level without a switch above the node is empty.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass, field

from trunkline import _core
from trunkline.errors import BadInput
from trunkline.remote_shell import SaysTooMuch, answer_of
from trunkline.sources.faults import Faults, Place, name_fault
from trunkline.sources.network import Host, Network, Switch, Trunk, check_network
from trunkline.sources.rates import Rates

_ECHO = 'echo "$SLURM_NODEID $(hostname) $SLURM_TOPOLOGY_ADDR $SLURM_TOPOLOGY_ADDR_PATTERN"'
_PATIENCE_S = 120
_MISSING = "the job's nodes have no switch in common, so import topology.conf, or add the link to the file"


def gather() -> str:
    """Lines of all nodes of the job that this process runs in, collected with ``srun`` in the order of the nodes.

    Raises:
        BadInput: outside a job, or where srun does not do it.
    """
    nodes = os.environ.get("SLURM_JOB_NUM_NODES") or os.environ.get("SLURM_NNODES")
    srun = shutil.which("srun")
    if nodes is None or srun is None:
        missing = "SLURM_JOB_NUM_NODES is not set" if nodes is None else "there is no srun here"
        raise BadInput(
            f"this is not inside a Slurm job ({missing}); run it in the batch script, or give a file of lines"
        )
    command = [srun, "--overlap", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1", "sh", "-c", _ECHO]
    try:
        ended = answer_of(command, _PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise BadInput(f"srun did not end within {_PATIENCE_S} s; gather the lines yourself (see --help)") from None
    except SaysTooMuch as error:
        raise BadInput(f"srun: {error}; gather the lines yourself (see --help)") from None
    if ended.returncode != 0:
        said = ended.stderr.strip() or "nothing said"
        raise BadInput(f"srun ended with status {ended.returncode}: {said}; gather the lines yourself (see --help)")
    numbered = [line.split(maxsplit=1) for line in ended.stdout.splitlines() if line.strip()]
    wrong = [" ".join(line) for line in numbered if len(line) != 2 or not line[0].isdigit()]
    if wrong:
        raise BadInput(f"srun brought a line that is not NUMBER HOSTNAME ADDRESS PATTERN: '{wrong[0]}'")
    return "".join(f"{line}\n" for _, line in sorted((int(number), line) for number, line in numbered))


@dataclass
class _Seen:
    """What the lines so far say."""

    hosts: dict[str, tuple[str, Place]] = field(default_factory=dict)
    above: dict[str, tuple[tuple[str, ...], Place]] = field(default_factory=dict)
    """The switches directly above each switch, and where that was read first."""


def read_job(text: str, file: str, name: str, rates: Rates, faults: Faults) -> Network:
    """The network of lines ``HOSTNAME ADDRESS PATTERN``; hosts in their order, equal lines (several ranks) once."""
    network = Network(name, "from the addresses of a Slurm job's nodes", notes=[rates.note])
    network.notes.append("Only the nodes of the job and the switches above them are in it.")
    seen = _Seen()
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            _read_line(line, Place(file, number, len(line) - len(line.lstrip()) + 1), seen, network, rates, faults)
    for switch, (parents, at) in seen.above.items():
        network.switches.append(Switch(switch, at))
        network.trunks.extend(
            Trunk(parent, switch, at, rates.trunk_bps, rates.latency_s, rates.trunk_width) for parent in parents
        )
    check_network(network, Place(file), _MISSING, faults)
    return network


def _read_line(line: str, at: Place, seen: _Seen, network: Network, rates: Rates, faults: Faults) -> None:
    words = line.split()
    if len(words) != 3:
        faults.add(
            at,
            f"{len(words)} words; a line is HOSTNAME ADDRESS PATTERN, such as node12 s0.s4.node12 switch.switch.node",
        )
        return
    hostname, address, pattern = words
    at = at._replace(column=line.index(address, line.index(hostname) + len(hostname)) + 1)
    kinds = pattern.split(".")
    if kinds == ["node"]:
        faults.add_alike(
            "flat", at, "Slurm knows no switches here (pattern node); it needs TopologyPlugin=topology/tree"
        )
        return
    if kinds[-1] != "node" or set(kinds[:-1]) != {"switch"}:
        message = f"the pattern {pattern} is not of a tree of switches, such as switch.switch.node"
        faults.add_alike(f"pattern {pattern}", at, message)
        return
    parts = address.split(".", len(kinds) - 1)
    if len(parts) != len(kinds):
        faults.add(at, f"the address {address} has {len(parts)} parts, its pattern {pattern} has {len(kinds)}")
        return
    node = parts[-1]
    if node != hostname and node.endswith(f".{hostname}"):
        faults.add(at, f"names of switches in {address} hold dots, so its parts cannot be told; import topology.conf")
        return
    levels = [_expand(part, at, faults) for part in parts[:-1] if part]
    if any(not level for level in levels):
        return
    if not levels:
        faults.add(at, f"the address {address} names no switch above {node}")
    elif len(levels[-1]) > 1:
        faults.add(
            at,
            f"{node} hangs on several switches ({', '.join(levels[-1])}); a host has one link, so import topology.conf "
            "with one of them",
        )
    else:
        _add_levels(levels, at, seen, faults)
        _add_host(hostname, node, levels[-1][0], at, seen, network, rates, faults)


def _expand(part: str, at: Place, faults: Faults) -> list[str]:
    try:
        return _core.expand_hostlist(part)
    except _core.BadHostlist as error:
        faults.add(at, f"{part}: {error}")
        return []


def _add_levels(levels: list[list[str]], at: Place, seen: _Seen, faults: Faults) -> None:
    for upper, lower in zip([[], *levels], levels):
        if len(upper) > 1 and len(lower) > 1:
            faults.add_alike(
                f"levels {upper} {lower}",
                at,
                f"which of {_or(lower)} is below which of {_or(upper)} cannot be told; import topology.conf",
            )
            continue
        for switch in lower:
            parents, first = seen.above.setdefault(switch, (tuple(upper), at))
            if parents != tuple(upper):
                here = ", ".join(upper) or "no switch"
                there = ", ".join(parents) or "no switch"
                message = f"{switch} is below {here}, but below {there} at {first}; are the lines of one cluster?"
                faults.add_alike(f"above {switch}", at, message)


def _or(names: list[str]) -> str:
    return " or ".join(names)


def _add_host(
    hostname: str, node: str, switch: str, at: Place, seen: _Seen, network: Network, rates: Rates, faults: Faults
) -> None:
    if node in seen.hosts:
        other, first = seen.hosts[node]
        if other != switch:
            faults.add(at, f"{node} hangs on {switch}, but on {other} at {first}; keep one of the lines")
        return
    seen.hosts[node] = (switch, at)
    known = hostname.split(".")[0] == node.split(".")[0]
    aliases = () if known or name_fault(hostname) else (hostname,)
    network.hosts.append(Host(node, switch, at, rates.host_bps, rates.latency_s, aliases, rates.host_width))
