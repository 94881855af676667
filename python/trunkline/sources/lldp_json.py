"""What ``lldpcli -f json0`` prints, as announcements: who heard whom on which interface, and where that stands.

``json0`` is lldpd's verbose JSON: everything is a list, also where there is one. A file may hold several documents one
after another: ``show chassis`` (who the file is of) before ``show neighbors``, or lines of ``{"host": NAME, "lldp":
[...]}``.

Neighbours of many hosts at once come over ssh.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from trunkline import _core
from trunkline.compat import zip_equal
from trunkline.errors import BadInput, faulty_input
from trunkline.remote_shell import ask_all
from trunkline.sources.faults import Faults, Place


@dataclass(frozen=True)
class Speaker:
    """A chassis, as it announces itself."""

    name: str
    forwards: bool
    """Bridge or router is among its enabled capabilities."""
    is_device: bool = field(default=False, compare=False)
    """A telephone, an access point, a modem or a repeater is among them: it runs no ranks."""
    mac: str | None = field(default=None, compare=False)
    """Its chassis id, where that is a MAC address."""


@dataclass(frozen=True)
class Heard:
    """A neighbour on an interface."""

    owner: Speaker
    interface: str
    neighbour: Speaker
    rate_bps: float | None
    """Of the neighbour's port, where it announces one."""
    at: Place
    aggregate: str | None = None
    """Of the neighbour's port, where it is one of several side by side (a LAG): what all of them announce."""
    is_lower: bool = False
    """Whether its type has two rates, one each way, of which this is the lower one."""


_WHOSE = 'Print show chassis before show neighbors, write {"host": NAME, "lldp": [...]}, or give each host a file'
_DEVICES = {"Tel", "Telephone", "Wlan", "Docsis", "Repeater"}
_BLANKS = re.compile(r"[ \t\r\n]*")
Path = tuple[Union[str, int], ...]


class _Document:
    """One JSON value of a file, with the place of each of its parts."""

    def __init__(self, file: str, text: str, begin: int, starts: list[int], value: object) -> None:
        self.file, self.text, self.begin, self.starts, self.value = file, text, begin, starts, value
        self._begins: dict[int, dict[str | int, int]] = {}
        """Where the parts begin of the objects and lists that were asked for, by where these begin."""

    def place(self, path: Path = ()) -> Place:
        """The text is scanned again, but each object or list of it once."""
        at = self.begin
        for step in path:
            if at not in self._begins:
                self._begins[at] = dict(self._parts(at))
            at = self._begins[at][step]
        line = bisect_right(self.starts, at)
        return Place(self.file, line, at - self.starts[line - 1] + 1)

    def _parts(self, at: int) -> Iterator[tuple[str | int, int]]:
        """Each member or item of the object or list that begins at ``at``, and where it begins."""
        decoder = json.JSONDecoder()
        is_object = self.text[at] == "{"
        at = _skip(self.text, at + 1)
        count = 0
        while self.text[at] not in "}]":
            key: str | int = count
            if is_object:
                key, at = decoder.raw_decode(self.text, at)
                at = _skip(self.text, _skip(self.text, at) + 1)
            yield key, at
            at = _skip(self.text, decoder.raw_decode(self.text, at)[1])
            if self.text[at] == ",":
                at = _skip(self.text, at + 1)
            count += 1


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def read_lldp(text: str, file: str, owner: str | None, faults: Faults) -> tuple[list[Heard], list[Speaker]]:
    """Everything that a file says, and the speakers it is of; ``owner`` is who it is of where it does not say."""
    heard: list[Heard] = []
    owners: list[Speaker] = []
    current = Speaker(owner, False) if owner else None
    for document in _documents(text, file, faults):
        value = document.value
        if not isinstance(value, dict) or not {"lldp", "local-chassis"} & value.keys():
            message = "neither neighbours nor a chassis; print them with: lldpcli -f json0 show neighbors"
            faults.add(document.place(), message)
            continue
        if "local-chassis" in value:
            path: Path = ("local-chassis", 0, "chassis", 0)
            current = _speaker(document, path, faults) or current
        elif "host" in value:
            name = value["host"]
            if not isinstance(name, str) or not name:
                faults.add(document.place(("host",)), 'host must be a name, such as "host": "node01"')
                continue
            current = Speaker(name, False)
        if "lldp" not in value:
            continue
        if current is None:
            faults.add(document.place(), f"whose neighbours are these? {_WHOSE}")
            continue
        owners.append(current)
        heard += _neighbours(document, current, faults)
        current = None
    if not owners and not faults:
        faults.add(Place(file), "there is nothing in it; print it with: lldpcli -f json0 show neighbors")
    return heard, owners


def _documents(text: str, file: str, faults: Faults) -> Iterator[_Document]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            faults.add(Place(file, error.lineno, error.colno), f"not JSON: {error.msg}")
            return
        except RecursionError:
            faults.add(Place(file), "not LLDP: lists nested without end")
            return
        yield _Document(file, text, at, starts, value)
        at = _skip(text, end)


def _find(value: object, path: Path) -> object:
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return None
            value = value[step]
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _neighbours(document: _Document, owner: Speaker, faults: Faults) -> Iterator[Heard]:
    for outer in range(_length(document, ("lldp",), faults)):
        path: Path = ("lldp", outer, "interface")
        count = _length(document, path, faults)
        names = [_find(document.value, (*path, inner, "name")) for inner in range(count)]
        speaks_lldp = [_find(document.value, (*path, inner, "via")) in ("LLDP", None) for inner in range(count)]
        by_lldp = {str(name) for name, is_lldp in zip(names, speaks_lldp) if is_lldp}
        for inner, (interface, is_lldp) in enumerate(zip(names, speaks_lldp)):
            here = (*path, inner)
            if not isinstance(interface, str):
                faults.add(document.place(here), "an interface without a name")
                continue
            if not is_lldp and interface in by_lldp:
                continue  # one switch by two protocols, under two names
            neighbour = _speaker(document, (*here, "chassis", 0), faults, document.place(here))
            if neighbour is not None:
                mau = _find(document.value, (*here, "port", 0, "auto-negotiation", 0, "current", 0, "value"))
                lag = _find(document.value, (*here, "port", 0, "aggregation", 0, "value"))
                aggregate = lag if isinstance(lag, str) and lag != "0" else None
                bps, is_lower = _rate_of(mau)
                yield Heard(owner, interface, neighbour, bps, document.place(here), aggregate, is_lower)


def _length(document: _Document, path: Path, faults: Faults) -> int:
    """Items of a list; an empty list may be left out, as lldpcli does where there is no neighbour."""
    value = _find(document.value, path)
    if value is None:
        return 0
    if not isinstance(value, list):
        message = f"{path[-1]} must be a list, as -f json0 prints it; is this from -f json? Use json0"
        faults.add(document.place(path), message)
        return 0
    return len(value)


def _speaker(document: _Document, path: Path, faults: Faults, at: Place | None = None) -> Speaker | None:
    """Named by its system name, or by its chassis id where it announces none."""
    name = _find(document.value, (*path, "name", 0, "value")) or _find(document.value, (*path, "id", 0, "value"))
    if not isinstance(name, str) or not name:
        message = "a chassis without name and id; print it with -f json0"
        faults.add(at or document.place(), message)
        return None
    capabilities = _find(document.value, (*path, "capability"))
    enabled = {
        str(item.get("type"))
        for item in (capabilities if isinstance(capabilities, list) else [])
        if isinstance(item, dict) and item.get("enabled") is True
    }
    kind, mac = (_find(document.value, (*path, "id", 0, part)) for part in ("type", "value"))
    own_mac = mac.lower() if kind == "mac" and isinstance(mac, str) else None
    return Speaker(name, bool(enabled & {"Bridge", "Router"}), bool(enabled & _DEVICES), own_mac)


def _rate_of(mau: object) -> tuple[float | None, bool]:
    """``10GigBaseSR - ...``, ``2p5GigT - ...`` as bits per second; None where the port announces no such type.

    Of ``10G1GbasePRXD1 - ...``, 10 Gbit/s to one side and 1 to the other, it is the lower one, and True beside it.
    """
    form = r"(\d+G(?=\d))?(\d+)(?:p(\d+))?(G|Gig)?(?:[bB]ase|Broad|Pass|T\b)"
    match = re.match(form, mau) if isinstance(mau, str) else None
    if match is None:
        return None, False
    return float(f"{match[2]}.{match[3] or 0}") * (1e9 if match[4] else 1e6), match[1] is not None


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
    answers = [_answered(ended) for ended in ask_all(ssh, hosts, _COMMAND)]
    silent = [f"{host}: {answer}" for host, answer in zip_equal(hosts, answers) if isinstance(answer, str)]
    if silent:
        raise faulty_input(silent)
    return "".join(
        json.dumps({"host": host.rpartition("@")[2], "lldp": answer}) + "\n"  # ssh takes USER@HOST
        for host, answer in zip_equal(hosts, answers)
    )


def _answered(ended: subprocess.CompletedProcess[str] | str) -> list[object] | str:
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
