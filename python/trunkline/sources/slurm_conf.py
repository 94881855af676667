r"""Slurm's ``topology.conf``: one line a switch, ``SwitchName=s0 Nodes=node[01-16]``.

So does ``scontrol show topology`` print it, with each switch's ``Level``, and all nodes below those that have others
below them. ``LinkSpeed`` is not looked at: Slurm gives it no unit, and does not use it.

As Slurm reads it: keys in any case, ``#`` to the end of the line, ``\`` at the end joins lines, values quoted or not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from trunkline.sources.faults import Faults, Place, did_you_mean, list_fault
from trunkline.sources.slurm_tree import SwitchLine

_PAIR = re.compile(r'\s*(?P<key>[A-Za-z0-9_.]+)\s*=\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]*))(?=\s|$)')
_BLANKS = re.compile(r"\s*")
_WRITTEN = {"switchname": "SwitchName", "switches": "Switches", "nodes": "Nodes", "linkspeed": "LinkSpeed"}
_KEYS = {**_WRITTEN, "level": "Level"}
"""With what ``scontrol`` shows besides."""
_OTHER_KINDS = {"blockname": "block", "aggregatedblock": "block", "blocksizes": "block", "ringname": "ring"}


class _Line:
    """Physical lines joined by a backslash, and where each character stands."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._parts: list[str] = []
        self._starts = [0]
        self._lines: list[int] = []

    def append(self, text: str, number: int) -> None:
        self._parts.append(text)
        self._starts.append(self._starts[-1] + len(text))
        self._lines.append(number)

    @property
    def text(self) -> str:
        """All of it."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def place(self, offset: int) -> Place:
        part = bisect_right(self._starts, offset, hi=len(self._lines)) - 1
        return Place(self.file, self._lines[part], offset - self._starts[part] + 1)


def read_topology_conf(text: str, file: str, faults: Faults) -> list[SwitchLine]:
    """The switches of the file, in its order."""
    return [switch for line in _lines(text, file) if (switch := _switch(line, faults)) is not None]


def _lines(text: str, file: str) -> Iterator[_Line]:
    line = _Line(file)
    for number, raw in enumerate(text.splitlines(), start=1):
        if not raw and not line.text:
            continue
        kept = re.sub(r"(?<!\\)#.*", "", raw)
        continued = re.search(r"(?<!\\)(?:\\\\)*(\\)\s*$", kept)
        line.append(kept[: continued.start(1)] if continued else kept, number)
        if not continued:
            if line.text.strip():
                yield line
            line = _Line(file)
    if line.text.strip():
        yield line


def _switch(line: _Line, faults: Faults) -> SwitchLine | None:
    values: dict[str, tuple[str, Place]] = {}
    text = line.text.rstrip()
    at = 0
    sound = True
    while at < len(text):
        begin = _begin(text, at)
        pair = _PAIR.match(text, at)
        if pair is None:
            faults.add(line.place(begin), _not_a_pair(text[begin:]))
            return None
        at = pair.end()
        key = pair["key"].lower()
        if key in _OTHER_KINDS:
            message = f"a {_OTHER_KINDS[key]} topology says nothing of switches; import needs lines of SwitchName"
            faults.add_alike(f"kind {_OTHER_KINDS[key]}", line.place(begin), message)
            return None
        value = pair["quoted"] if pair["quoted"] is not None else pair["plain"]
        place = line.place(pair.start("quoted") if pair["quoted"] is not None else pair.start("plain"))
        wrong = _pair_fault(pair["key"], value, values)
        if wrong is not None:
            faults.add(line.place(begin), wrong)
            sound = False
        else:
            values[key] = (value, place)
    if "switchname" not in values:
        if sound:
            faults.add(line.place(0), "SwitchName is missing; each line describes one switch")
        return None
    level = values.get("level")
    if level is not None and not level[0].isdecimal():
        faults.add(level[1], f"Level={level[0]} is not a whole number")
        return None
    name, place = values["switchname"]
    wrong = list_fault(name)
    if wrong is not None:
        faults.add(place, wrong)
        return None
    return SwitchLine(name, place, values.get("nodes"), values.get("switches"), int(level[0]) if level else None)


def _begin(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _pair_fault(key: str, value: str, values: dict[str, tuple[str, Place]]) -> str | None:
    if key.lower() not in _KEYS:
        known = _WRITTEN.values()
        return f'unknown key "{key}"{did_you_mean(key, known)}; known here are {", ".join(known)}'
    if key.lower() in values:
        return f"{key} is given twice; keep one"
    if not value or "=" in value:
        return f"{key} has no value; leave it out, or write it without blanks, such as {key}={_EXAMPLES[key.lower()]}"
    return None


_EXAMPLES = {"switchname": "s0", "switches": "s[0-3]", "nodes": "node[01-16]", "linkspeed": "1", "level": "0"}


def _not_a_pair(text: str) -> str:
    if text.lower().startswith("include "):
        return "Include is not followed; import that file, or put its lines here"
    shown = text if len(text) <= 40 else text[:40] + "..."
    return f"'{shown}' is not KEY=VALUE, such as SwitchName=s0 or Nodes=node[01-16]"
