"""The list of what the papers state, with the verdict on each: ``papers/verdicts/*.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trunkline.errors import BadInput
from trunkline_papers.allreduce.simulated import verdict as compared
from trunkline_papers.paths import CHECKOUT
from trunkline_papers.verdicts.results import Results

__all__ = ["ALIKE", "DIFFERS", "FOLDER", "LESS", "MORE", "NOT_MEASURED", "VERDICTS", "Paper", "Row", "papers"]

FOLDER = CHECKOUT / "papers" / "verdicts"

ALIKE, MORE, LESS, DIFFERS, NOT_MEASURED = "as in the paper", "more", "less", "differs", "not measured"
VERDICTS = (ALIKE, MORE, LESS, DIFFERS, NOT_MEASURED)

_KEYS = {"claim", "paper", "ours", "values", "number", "page", "how", "verdict", "because"}


@dataclass(frozen=True)
class Row:
    """A verdict; a line of ``trunkline_papers verdicts --json``."""

    paper_name: str
    of: str
    """``figure 3``, ``table 1``, or the name of a number."""
    claim: str
    paper: str
    ours: str
    how: str
    """The command, or the page with the measurement."""
    pages: tuple[str, ...]
    """Which hold our figures that no file has, from ``papers``."""
    verdict: str
    because: str
    values: tuple[float, ...]
    """That were read from files."""

    def as_json(self) -> dict[str, object]:
        """For ``--json``."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Paper:
    """What one paper states."""

    name: str
    """Of its file."""
    title: str
    figures: int
    tables: int
    numbers: tuple[str, ...]
    """Names of what it states in numbers, or as results, outside of these."""
    written: Mapping[str, Mapping[str, Any]]
    """Verdicts by what they are of."""

    @property
    def stated(self) -> list[str]:
        """All that there must be a verdict on, in order."""
        figures = [f"figure {number}" for number in range(1, self.figures + 1)]
        tables = [f"table {number}" for number in range(1, self.tables + 1)]
        return [*figures, *tables, *self.numbers]

    def rows(self, results: Results) -> Iterator[Row]:
        """The verdicts, with our figures read.

        Raises:
            BadInput: where one is faulty.
        """
        for of in self.stated:
            if of in self.written:
                yield self._row(of, self.written[of], results)

    def _row(self, of: str, written: Mapping[str, Any], results: Results) -> Row:
        where = f"{FOLDER / self.name}.yaml, {of}"
        if unknown := set(written) - _KEYS:
            raise BadInput(f"{where}: there is no key '{min(unknown)}'; there are: {', '.join(sorted(_KEYS))}")
        values = {name: results.value(source) for name, source in written.get("values", {}).items()}
        said = written.get("verdict")
        if "number" in written:
            found = compared(float(written["number"]), next(iter(values.values())))
            said = found.removesuffix(" than in the paper")
        if said not in VERDICTS:
            raise BadInput(f"{where}: '{said}' is no verdict; there are: {', '.join(VERDICTS)}")
        if said != ALIKE and not written.get("because"):
            raise BadInput(f"{where}: it does not say why it is '{said}'; give 'because'")
        pages = written.get("page", ())
        return Row(
            paper_name=self.name,
            of=of,
            claim=written["claim"],
            paper=written.get("paper", ""),
            ours=written["ours"].format(**values),
            how=written.get("how", ""),
            pages=(pages,) if isinstance(pages, str) else tuple(pages),
            verdict=said,
            because=written.get("because", "").format(**values),
            values=tuple(values.values()),
        )


@cache
def papers() -> tuple[Paper, ...]:
    """All, in the order in which pages have them."""
    names = yaml.safe_load((FOLDER / "papers.yaml").read_text(encoding="utf-8"))
    return tuple(_paper(name, FOLDER / f"{name}.yaml") for name in names)


def _paper(name: str, file: Path) -> Paper:
    read = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Paper(name, read["title"], read["figures"], read["tables"], tuple(read["numbers"]), read["verdicts"])
