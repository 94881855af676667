"""``trunkline_papers verdicts``: what each paper says beside what came out here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline.cli.options import CellsJsonOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.errors import BadInput
from trunkline.terminal import console, titled_table
from trunkline_papers.verdicts.page import first_page, page_of
from trunkline_papers.verdicts.results import Results
from trunkline_papers.verdicts.rows import FOLDER, VERDICTS, Paper, Row, papers

__all__ = ["verdicts"]


def verdicts(
    folder: Annotated[
        str, typer.Option(metavar="FOLDER", help="Figures that were made anew; those that are missing are as kept.")
    ] = "",
    only: Annotated[str, typer.Option(metavar="NAME,...", help="These papers alone; default: all.")] = "",
    pages: Annotated[bool, typer.Option("--pages", help="Write papers/verdicts.md and its pages anew.")] = False,
    json: CellsJsonOption = None,
) -> None:
    """Say of every figure, table and stated number of the papers whether it came out here, and why where it did not."""
    check_outputs({"--json": json})
    results = Results(Path(folder) if folder else None)
    rows = {paper: list(paper.rows(results)) for paper in _chosen(only)}
    if pages:
        if only or folder:
            raise BadInput(
                "--pages: pages have all papers, and figures as they are kept; leave --only and --folder out"
            )
        _write_pages(rows)
    if json:
        write_json([row.as_json() for found in rows.values() for row in found], json)
    for paper, found in rows.items():
        console.print(_table(paper, found))
    console.print(_counts(rows))
    if folder:
        made = ", ".join(sorted(results.made)) or "none"
        console.print(f"From {folder}: {made}. All else is as kept.", style="dim", markup=False, highlight=False)


def _chosen(only: str) -> list[Paper]:
    known = {paper.name: paper for paper in papers()}
    names = [name.strip() for name in only.split(",") if name.strip()] or list(known)
    if unknown := [name for name in names if name not in known]:
        raise BadInput(f"--only: there is no paper '{unknown[0]}'; there are: {', '.join(known)}")
    return [known[name] for name in names]


def _write_pages(rows: Mapping[Paper, Sequence[Row]]) -> None:
    write_text(first_page(rows), str(FOLDER.with_suffix(".md")))
    for paper, found in rows.items():
        write_text(page_of(paper, found), str(FOLDER / f"{paper.name}.md"))


def _table(paper: Paper, rows: Sequence[Row]) -> Table:
    words = ("of", "claim", "the paper", "ours", "verdict")
    table = titled_table(escape(paper.title), *words, left=words, wrap=words)
    for row in rows:
        verdict = row.verdict + (f": {row.because}" if row.because else "")
        table.add_row(*(escape(_plain(cell)) for cell in (row.of, row.claim, row.paper, row.ours, verdict)))
    return table


def _plain(text: str) -> str:
    return text.replace("`", "")


def _counts(rows: Mapping[Paper, Sequence[Row]]) -> Table:
    table = titled_table("Verdicts", "paper", "all", *VERDICTS, left=("paper",), wrap=("paper",))
    for paper, found in rows.items():
        counts = Counter(row.verdict for row in found)
        table.add_row(paper.name, str(len(found)), *(str(counts[one]) for one in VERDICTS))
    return table
