"""Neighbours of many hosts at once, over ssh."""

from __future__ import annotations

import json
import shutil
import subprocess

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput, faulty_input
from trunkline.remote_shell import ask_all

_COMMAND = ("lldpcli", "-f", "json0", "show", "neighbors", "details")


def gather_over_ssh(hostlist: str) -> str:
    """Lines ``{"host": NAME, "lldp": [...]}`` of all hosts, in their order.

    Raises:
        BadInput: naming every host that did not answer, and what ssh said.
    """
    try:
        hosts = _core.expand_hostlist(hostlist)
    except _core.BadHostlist as error:
        raise BadInput(f"--ssh {hostlist}: {error}") from None
    ssh = shutil.which("ssh")
    if ssh is None:
        raise BadInput("there is no ssh here; print the neighbours on each host into a file, and import the files")
    answers = [_neighbours(ended) for ended in ask_all(ssh, hosts, _COMMAND)]
    silent = [f"{host}: {answer}" for host, answer in zip_equal(hosts, answers) if isinstance(answer, str)]
    if silent:
        raise faulty_input(silent)
    return "".join(
        json.dumps({"host": host.rpartition("@")[2], "lldp": answer}) + "\n"  # ssh takes USER@HOST
        for host, answer in zip_equal(hosts, answers)
    )


def _neighbours(ended: subprocess.CompletedProcess[str] | str) -> list[object] | str:
    """What lldpcli said; a text says why it said nothing."""
    if isinstance(ended, str):
        return ended
    if ended.returncode != 0:
        return ended.stderr.strip() or f"lldpcli ended with status {ended.returncode}"
    try:
        answer = json.loads(ended.stdout)
    except json.JSONDecodeError as error:
        return f"lldpcli's answer is not JSON: {error}"
    neighbours = answer.get("lldp") if isinstance(answer, dict) else None
    return neighbours if isinstance(neighbours, list) else "lldpcli's answer holds no neighbours"
