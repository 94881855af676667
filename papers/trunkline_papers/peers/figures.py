"""The papers' figures and tables: what each one shows, and the numbers the paper states (figures.yaml)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trunkline.errors import BadInput
from trunkline_papers.pipelined.published import paper_costs, paper_network, paper_piece_rows, paper_segment_rows

__all__ = ["Figure", "Stated", "figure", "figure_names", "parameters"]


@dataclass(frozen=True)
class Stated:
    """One number of the paper: ``what`` is ``T(m)``, an algorithm of ours, or a peer's name for its own broadcast."""

    cluster: str
    rate_bps: float
    size: int
    what: str
    milliseconds: float
    source: str


@dataclass(frozen=True)
class Figure:
    """A figure or table.

    Attributes:
        kind: ``bench``, ``model``, ``clusters``, ``method`` or ``transfer``.
        rows: Of a table, by message size: as ``bench/paper.py`` has them.
    """

    name: str
    kind: str
    title: str
    clusters: Sequence[str] = ()
    peers: Sequence[str] = ()
    sizes: Sequence[int] = ()
    algorithms: Sequence[str] = ()
    stated: Sequence[Stated] = ()
    claims: Sequence[str] = ()
    text: str = ""
    segments: Sequence[int] = ()
    rows: Mapping[int, Sequence[float]] = field(default_factory=dict)


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("figures.yaml").read_text(encoding="utf-8"))
    return content


def figure_names() -> list[str]:
    """All that there are."""
    return list(_content())


def figure(name: str) -> Figure:
    """The figure of that name.

    Raises:
        BadInput: where there is none, naming those there are.
    """
    if name not in figure_names():
        raise BadInput(f"--figure: there is no '{name}'; there are: {', '.join(figure_names())}")
    entry = dict(_content()[name])
    entry["stated"] = [Stated(**stated) for stated in entry.get("stated", [])]
    if name == "table-3":
        entry["rows"] = paper_segment_rows()
    elif name == "table-4":
        entry["segments"], entry["rows"] = paper_piece_rows("100Mbit")
    return Figure(name, **entry)


def parameters(rate_bps: float) -> dict[int, tuple[float, float]]:
    """The papers' g(m) and L(m) in seconds, by segment bytes; for 100 Mbit/s and 1000 Mbit/s."""
    return paper_costs(paper_network(rate_bps))
