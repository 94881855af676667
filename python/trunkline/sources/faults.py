"""What is wrong with the files of a source, all at once, with the place of each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from trunkline import _core
from trunkline.errors import faulty_input

_MOST = 1000
"""Faults told of one by one; a file of which more is wrong is another file."""
_LONGEST = 2000
"""Characters of a message, which may have a part of the file in it."""


class Place(NamedTuple):
    """Where in a source; line and column count from 1, line 0 is the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Faults:
    """Collects faults, so that one run reports all of them."""

    def __init__(self) -> None:
        self._messages: dict[tuple[Place, str], None] = {}
        self._alike: dict[str, tuple[Place, str, int]] = {}
        self._files: dict[str, int] = {}

    def add(self, at: Place, message: str) -> None:
        """One thing wrong, and what would be right.

        Raises:
            BadInput: where there are too many faults; the rest is not looked at.
        """
        self._files.setdefault(at.file, len(self._files))
        self._messages[at, _cropped(message)] = None
        self._give_up_at(at.file)

    def add_alike(self, kind: str, at: Place, message: str) -> None:
        """A fault that a file may repeat thousands of times: the first one is shown, the others are counted.

        Raises:
            BadInput: as :meth:`add`.
        """
        first, text, count = self._alike.get(kind, (at, _cropped(message), 0))
        self._alike[kind] = (first, text, count + 1)
        self._files.setdefault(at.file, len(self._files))
        self._give_up_at(at.file)

    def __bool__(self) -> bool:
        return bool(self._messages or self._alike)

    def raise_if_any(self) -> None:
        """End with everything that was found.

        Raises:
            BadInput: where anything was.
        """
        if self:
            raise faulty_input(self._told())

    def _give_up_at(self, file: str) -> None:
        if len(self._messages) + len(self._alike) >= _MOST:
            *told, last = self._told()
            raise faulty_input([*told, f"{last}\n{file}: what comes behind these is not looked at"])

    def _told(self) -> list[str]:
        all_of_them = list(self._messages)
        for at, message, count in self._alike.values():
            all_of_them.append((at, message + (f"; and {count - 1} more like it" if count > 1 else "")))
        all_of_them.sort(key=lambda fault: (self._files[fault[0].file], fault[0].line, fault[0].column))
        return [f"{at}: {message}" for at, message in all_of_them]


def _cropped(message: str) -> str:
    half = _LONGEST // 2
    return message if len(message) <= _LONGEST else f"{message[:half]} ... {message[-half:]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean s0?)``, or nothing where no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]}?)" if near else ""


def list_fault(name: str) -> str | None:
    """Why a text is several names or a broken list of them; None where it is one name, if one that is to be changed."""
    return name_fault(name) if any(sign in name for sign in "[],") else None


def name_fault(name: str) -> str | None:
    """Why a text cannot be the name of a host or switch; None where it can."""
    try:
        return None if _core.expand_hostlist(name) == [name] else f"{name!r} is a list of names; give one"
    except _core.BadHostlist as error:
        return str(error)
