"""Figures that commands have written as JSON: made anew by ``make papers``, or kept in ``papers/results/kept``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trunkline.errors import BadInput
from trunkline_papers.paths import CHECKOUT

__all__ = ["KEPT", "Results"]

KEPT = CHECKOUT / "papers" / "results" / "kept"


class Results:
    """Looks for each file in a folder first, and among those that are kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.made: set[str] = set()
        """Names of the files that were read from the folder."""

    def value(self, source: Mapping[str, Any] | str) -> float:
        """One number: ``json``, a file's name; ``where``, what its line has; ``key``, which of the line's numbers.

        ``times`` multiplies it, for another unit, and ``over`` is another source that it is divided by. The key
        ``over T`` is the line's median over T(m) of the same run, as ``trunkline bench`` writes them. ``FILE: WHAT``
        is the number ``here`` of the line with this ``what``, as ``simulate threads`` writes them.

        Raises:
            BadInput: where there is no such file, not one such line, or no number.
        """
        if isinstance(source, str):
            name, _, what = source.partition(": ")
            source = {"json": name, "where": {"what": what}, "key": "here"}
        line = self._line(source["json"], source.get("where", {}))
        found = line.get(source["key"])
        if source["key"] == "over T" and "limit_seconds" in line:
            found = line["seconds_median"] / line["limit_seconds"]
        if not isinstance(found, int | float):
            raise BadInput(f"{source['json']}.json: {source.get('where')} has no number '{source['key']}'")
        divisor = self.value(source["over"]) if "over" in source else 1.0
        return found * float(source.get("times", 1.0)) / divisor

    def _line(self, name: str, where: Mapping[str, Any]) -> dict[str, Any]:
        file = self._file(name)
        fits = [line for line in _lines(file) if all(line.get(key) == value for key, value in where.items())]
        if len(fits) != 1:
            raise BadInput(f"{file}: {len(fits)} lines have {dict(where)}, where one is meant")
        return fits[0]

    def _file(self, name: str) -> Path:
        if self._folder and (file := self._folder / f"{name}.json").exists():
            self.made.add(name)
            return file
        if not (file := KEPT / f"{name}.json").exists():
            raise BadInput(f"{file} is missing; 'trunkline_papers figures --only {name}' makes it")
        return file


@cache
def _lines(file: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return read
