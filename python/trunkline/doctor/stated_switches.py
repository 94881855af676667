"""Below which switch each host is, as Slurm's topology file and LLDP neighbours tell it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.files import is_file, read_text
from trunkline.remote_shell import SaysTooMuch, answer_of
from trunkline.sources.faults import Faults, Place
from trunkline.sources.lldp_json import read_lldp
from trunkline.sources.rates import given_rates
from trunkline.sources.slurm_conf import read_topology_conf
from trunkline.sources.slurm_tree import network_of
from trunkline.sources.slurm_yaml import is_topology_yaml, read_topology_yaml, topology_text

_LLDPCLI_S = 10


def slurm_file() -> str | None:
    """Slurm's topology file on this machine; None: there is none that may be read."""
    folders = [Path(os.environ["SLURM_CONF"]).parent] if "SLURM_CONF" in os.environ else []
    for folder in (*folders, Path("/etc/slurm"), Path("/etc/slurm-llnl")):
        for name in ("topology.yaml", "topology.conf"):
            if is_file(folder / name) and os.access(folder / name, os.R_OK):
                return str(folder / name)
    return None


def slurm_places(file: str) -> dict[str, str]:
    """The switch of each node.

    Raises:
        BadInput: with everything that is wrong with the file.
    """
    faults, text = Faults(), topology_text(file)
    if is_topology_yaml(file):
        _, lines = read_topology_yaml(text, file, None, faults)
    else:
        lines = read_topology_conf(text, file, faults)
    network = network_of(lines, Place(file), "slurm", given_rates(None, None, None, ""), faults)
    faults.raise_if_any()
    return {host.name: host.switch for host in network.hosts}


def lldp_places(files: Sequence[str]) -> dict[str, str]:
    """The switch that each host hears, of files as 'trunkline cluster import lldp' reads them.

    Raises:
        BadInput: with everything that is wrong with the files.
    """
    faults, found = Faults(), {}
    for file in files:
        heard, _ = read_lldp(read_text(file), file, Path(file).stem, faults)
        found.update({one.owner.name: one.neighbour.name for one in heard if one.neighbour.forwards})
    faults.raise_if_any()
    return found


def lldp_here(host: str) -> dict[str, str] | None:
    """The same of this machine alone, where its lldpd answers; None: it has none, or one that does not."""
    lldpcli = shutil.which("lldpcli")
    if lldpcli is None:
        return None
    words = [lldpcli, "-f", "json0", "show", "neighbors", "details"]
    try:
        said = answer_of(words, _LLDPCLI_S)
    except (OSError, subprocess.SubprocessError, SaysTooMuch):
        return None
    if said.returncode != 0 or not said.stdout.strip():
        return None
    faults = Faults()
    heard, _ = read_lldp(said.stdout, "lldpcli", host, faults)
    try:
        faults.raise_if_any()
    except BadInput:
        return None
    switches = [one.neighbour.name for one in heard if one.neighbour.forwards]
    return {host: switches[0]} if switches else None
