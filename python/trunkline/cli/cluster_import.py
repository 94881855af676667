"""``trunkline cluster import``: cluster files from what other programs know of the network."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.cli.app import App
from trunkline.cli.output import check_outputs, write_text
from trunkline.compat import StrEnum
from trunkline.errors import BadInput
from trunkline.files import read_text
from trunkline.sources.faults import Faults, Place
from trunkline.sources.lldp import Hints, network_heard
from trunkline.sources.lldp_json import gather_over_ssh, read_lldp
from trunkline.sources.network import Network, listed_names, write_network
from trunkline.sources.rates import DEFAULT_LATENCY, DEFAULT_RATE, given_rates
from trunkline.sources.simgrid import read_simgrid
from trunkline.sources.slurm_conf import read_topology_conf
from trunkline.sources.slurm_job import gather, read_job
from trunkline.sources.slurm_tree import network_of
from trunkline.sources.slurm_yaml import is_topology_yaml, read_topology_yaml, topology_text
from trunkline.units import parse_bytes

app = App(help="Make a cluster file from Slurm, LLDP or SimGrid.", no_args_is_help=True)


class Paths(StrEnum):
    """What switches do with redundant links."""

    SPANNING_TREE = "spanning-tree"
    EQUAL_COST = "equal-cost"


def _checked(output: str) -> str:
    """Before anything is read: whether it can be written."""
    check_outputs({"--output": output})
    return output


OutputOption = Annotated[
    str,
    typer.Option(
        "-o", "--output", metavar="FILE", callback=_checked, help="The cluster file; '-' for standard output."
    ),
]
NameOption = Annotated[Optional[str], typer.Option(metavar="NAME", help="The cluster's name; else the output file's.")]
RateOption = Annotated[
    Optional[str],
    typer.Option(metavar="RATE", help=f"Of links between host and switch, such as 10Gbit; else {DEFAULT_RATE}."),
]
TrunkRateOption = Annotated[
    Optional[str], typer.Option(metavar="RATE", help="Of links between switches; else as between host and switch.")
]
PathsOption = Annotated[
    Paths, typer.Option(help="Which paths the switches use: those of a spanning tree, or all shortest ones (ECMP).")
]
LatencyOption = Annotated[
    Optional[str], typer.Option(metavar="TIME", help=f"Of every link, one way; else {DEFAULT_LATENCY}.")
]
QueueOption = Annotated[
    Optional[str],
    typer.Option(
        metavar="SIZE",
        help="What waits at a port of a switch before it drops more, such as 12MiB, by its data sheet; else unknown.",
    ),
]


@app.command(epilog="Example: trunkline cluster import slurm topology.conf --rate 10Gbit -o cluster.yaml")
def slurm(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Slurm's topology.conf or topology.yaml; '-' for 'scontrol show topology |'."
        ),
    ],
    output: OutputOption = "-",
    name: NameOption = None,
    rate: RateOption = None,
    trunk_rate: TrunkRateOption = None,
    latency: LatencyOption = None,
    queue: QueueOption = None,
    topology: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="Which tree of topology.yaml; else the cluster's default.")
    ] = None,
    core: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="A switch above all others, where the file does not have it.")
    ] = None,
    paths: PathsOption = Paths.SPANNING_TREE,
) -> None:
    """Make a cluster file from Slurm's topology.conf or topology.yaml, or from what 'scontrol show topology' prints.

    The files hold no rates (Slurm gives LinkSpeed no unit and does not use it): give them with options. A switch below
    several others is a redundant network, of which a spanning tree is used.
    """
    rates = given_rates(rate, trunk_rate, latency, "Slurm's topology tells no rates")
    faults = Faults()
    text = topology_text(file)
    _check_foreign(text, file, "slurm")
    own_name = None
    if is_topology_yaml(file):
        own_name, lines = read_topology_yaml(text, file, topology, faults)
    elif topology is not None:
        raise BadInput("--topology is for topology.yaml; topology.conf holds one")
    else:
        lines = read_topology_conf(text, file, faults)
    if lines or not faults:
        network = network_of(lines, Place(file), name or _name(output, own_name, file), rates, faults, core)
    faults.raise_if_any()
    _write(network, "Slurm" if file == "-" else f"Slurm's {Path(file).name}", output, paths, queue)


@app.command(
    name="slurm-job",
    epilog="Example: srun --ntasks-per-node=1 sh -c "
    "'echo $(hostname) $SLURM_TOPOLOGY_ADDR $SLURM_TOPOLOGY_ADDR_PATTERN' | sort -V "
    "| trunkline cluster import slurm-job - -o cluster.yaml",
)
def slurm_job(
    file: Annotated[
        Optional[str],
        typer.Argument(metavar="[FILE]", help="Lines 'HOSTNAME ADDRESS PATTERN'; '-' for standard input."),
    ] = None,
    output: OutputOption = "-",
    name: NameOption = None,
    rate: RateOption = None,
    trunk_rate: TrunkRateOption = None,
    latency: LatencyOption = None,
    queue: QueueOption = None,
    paths: PathsOption = Paths.SPANNING_TREE,
) -> None:
    """Make a cluster file from what a Slurm job's nodes know: SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN.

    Without FILE, in a job's batch script, the command gathers the lines itself with srun, one a node. Elsewhere collect
    them as the example does. Hosts are in the order of the lines.
    """
    rates = given_rates(rate, trunk_rate, latency, "Slurm's topology tells no rates")
    faults = Faults()
    text = gather() if file is None else read_text(file)
    shown = "srun" if file is None else "standard input" if file == "-" else file
    _check_foreign(text, shown, "slurm-job")
    network = read_job(text, shown, name or _name(output, None, "job"), rates, faults)
    faults.raise_if_any()
    _write(network, "the nodes of a Slurm job", output, paths, queue)


@app.command(
    epilog="Example: trunkline cluster import lldp node*.json --core spine --trunk-rate 40Gbit -o cluster.yaml",
)
def lldp(
    files: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="[FILE]...", help="A file a host, named after it (node01.json), or one of JSON lines."),
    ] = None,
    output: OutputOption = "-",
    name: NameOption = None,
    rate: RateOption = None,
    trunk_rate: TrunkRateOption = None,
    latency: LatencyOption = None,
    queue: QueueOption = None,
    ssh: Annotated[
        Optional[str],
        typer.Option(metavar="HOSTS", help="Ask these hosts over ssh instead of reading files: node[01-16]."),
    ] = None,
    trunk: Annotated[
        Optional[list[str]],
        typer.Option(metavar="A-B", help="A link between two switches; may be given several times."),
    ] = None,
    core: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="A switch that all switches without other trunks hang on.")
    ] = None,
    switches: Annotated[
        Optional[str],
        typer.Option(metavar="NAMES", help="Which are switches: s[0-3]; else all that announce themselves as such."),
    ] = None,
    interface: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="The hosts' interface that MPI uses, where they have several.")
    ] = None,
    leave_out: Annotated[
        Optional[str],
        typer.Option(metavar="NAMES", help="Neighbours that are neither hosts nor switches here: mgmt,vm[1-9]."),
    ] = None,
    paths: PathsOption = Paths.SPANNING_TREE,
) -> None:
    """Make a cluster file from LLDP neighbours, as 'lldpcli -f json0 show neighbors details' prints them.

    A file is of the host in its name, or of the chassis that 'lldpcli -f json0 show chassis' printed before the
    neighbours; JSON lines are {"host": NAME, "lldp": [...]}. Hosts do not hear links between switches: give files of
    the switches too, or --trunk, or --core. Rates are those that ports announce (with 'details'); --rate and
    --trunk-rate count more.
    """
    rates = given_rates(rate, trunk_rate, latency, "Rates that were not announced or were given")
    faults = Faults()
    if (ssh is None) == (not files):
        raise BadInput("give files of neighbours, or hosts to ask with --ssh, and not both")
    heard, owners = [], []
    for file in files or ["ssh"]:
        text = gather_over_ssh(ssh) if ssh is not None else read_text(file)
        shown = "standard input" if file == "-" else file
        _check_foreign(text, shown, "lldp")
        owner = None if ssh is not None or file == "-" else Path(file).stem
        found, speakers = read_lldp(text, shown, owner, faults)
        heard += found
        owners += [(speaker, Place(shown)) for speaker in speakers]
    faults.raise_if_any()
    told, left_out = _expanded("--switches", switches), _expanded("--leave-out", leave_out)
    hints = Hints(told, tuple(trunk or ()), core, interface, left_out)
    network = network_heard(heard, owners, hints, name or _name(output, None, "lldp"), rates, faults)
    faults.raise_if_any()
    _write(network, "LLDP neighbours", output, paths, queue)


@app.command(epilog="Example: trunkline cluster import simgrid platform.xml -o cluster.yaml")
def simgrid(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A SimGrid platform (XML, version 4 or 4.1).")],
    output: OutputOption = "-",
    name: Annotated[
        Optional[str], typer.Option(metavar="NAME", help="The cluster's name; else that of the outermost zone.")
    ] = None,
) -> None:
    """Make a cluster file from a SimGrid platform: routers become switches, rates and latencies are its own.

    What is no network of switches is reported: links that several pairs share, routes over several links, tori.
    'trunkline cluster export' is the way back.
    """
    faults = Faults()
    text = read_text(file)
    _check_foreign(text, file, "simgrid")
    network = read_simgrid(text, file, name, faults)
    faults.raise_if_any()
    _write(network, f"SimGrid's {Path(file).name}", output)


_COMMENTS = r"(?:[ \t]*(?:#[^\n]*)?\n|---[^\n]*\n)*"
_FORMS = (
    ("simgrid", "a SimGrid platform", r"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE platform|<platform)"),
    ("lldp", "LLDP neighbours", r"\s*\[?\s*\{.*\"(lldp|local-chassis)\""),
    ("slurm", "Slurm's topology", _COMMENTS + r"[ \t]*((SwitchName|BlockName)[ \t]*=|-[ \t]+topology[ \t]*:)"),
    ("slurm-job", "what nodes of a Slurm job know", _COMMENTS + r"[ \t]*\S+[ \t]+\S+[ \t]+(switch\.)+node\b"),
)
"""How files of others begin: the command that reads them, their words, a regular expression."""
_UNREAD = (
    (
        "LLDP neighbours, but not as JSON: print them with 'lldpcli -f json0 show neighbors details'",
        r"\s*(lldp\.\S+=|-{9,}\s+LLDP neighbors|(<\?xml[^>]*>\s*)?<lldp\b)",
    ),
    (
        "slurm.conf: give topology.conf, which names the switches, or what 'scontrol show topology' prints",
        r"(.*\n)?[ \t]*(ClusterName|SlurmctldHost|ControlMachine|NodeName|PartitionName)[ \t]*=",
    ),
)
"""The same of files that no command reads, with what to give instead."""


def _check_foreign(text: str, file: str, command: str) -> None:
    """Before it is read as something else.

    Raises:
        BadInput: where it is a file of ours, which says so in its first key, or one that another command or none reads.
    """
    seen = [one for one in _FORMS if re.match(one[2], text, re.DOTALL | re.IGNORECASE)]
    if seen and command not in [one[0] for one in seen]:
        raise BadInput(f"{file} looks like {seen[0][1]}: 'trunkline cluster import {seen[0][0]}' reads that")
    for words, form in _UNREAD:
        if re.match(form, text, re.DOTALL | re.IGNORECASE):
            raise BadInput(f"{file} looks like {words}")
    kind = re.match(_COMMENTS + r"[\"']?trunkline[\"']?[ \t]*:[ \t]*[\"']?(\w+)/\d", text)
    if kind and kind[1] == "cluster":
        raise BadInput(f"{file} is a cluster file already: give it to the others as it is, --cluster {file}")
    if kind:
        raise BadInput(f"{file} is a {kind[1]} file of Trunkline's; 'trunkline cluster import' reads those of others")


def _expanded(option: str, names: str | None) -> tuple[str, ...]:
    try:
        return tuple(listed_names(names)) if names else ()
    except _core.BadHostlist as error:
        raise BadInput(f"{option} {names}: {error}") from None


def _name(output: str, own: str | None, source: str) -> str:
    """The output file's stem, else the source's own name, else the source file's stem."""
    if output != "-":
        return Path(output).stem
    return own or (Path(source).stem if source != "-" else "cluster")


def _write(
    network: Network, origin: str, output: str, paths: Paths = Paths.SPANNING_TREE, queue: str | None = None
) -> None:
    network.equal_cost = paths is Paths.EQUAL_COST
    if queue is not None:
        network.queue_bytes = parse_bytes(queue)
        if network.queue_bytes == 0:
            raise BadInput(f"--queue {queue}: a port that holds nothing; give a size such as 512KiB")
        network.notes.append(f"Queues at ports of switches: {queue}, as given.")
    write_text(write_network(network, origin).rstrip("\n"), output)
    hosts, switches = len(network.hosts), len(network.switches)
    made = f"{hosts} host{'' if hosts == 1 else 's'} on {switches} switch{'' if switches == 1 else 'es'}"
    print("\n".join([f"{'cluster' if output == '-' else output}: {made}", *network.notes]), file=sys.stderr)
