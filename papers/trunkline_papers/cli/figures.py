"""``trunkline_papers figures``: every figure and table, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trunkline.cli.output import check_outputs
from trunkline.errors import BadInput, Failed
from trunkline.terminal import console, progress_bar, titled_table
from trunkline_papers.figures import Made, every_figure, make_figure

__all__ = ["figures"]


def figures(
    out: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="Where they go.")] = "out/papers",
    only: Annotated[str, typer.Option(metavar="NAME,...", help="These alone; default: all.")] = "",
    without_lab: Annotated[
        bool, typer.Option("--without-lab", help="Leave out what is measured, which takes hours.")
    ] = False,
    show: Annotated[bool, typer.Option("--list", help="Say which there are, and make none.")] = False,
) -> None:
    """Make every figure and table again: planned, simulated, and measured on the lab.

    What is there already is not made again: remove its .txt to have it anew. Ctrl-C ends it, and the same command goes
    on from there.
    """
    chosen = _chosen(only, without_lab=without_lab)
    folder = Path(out).absolute()
    if show:
        _list(chosen, folder)
        return
    check_outputs({"--folder": str(folder / "heights.txt")})
    folder.mkdir(parents=True, exist_ok=True)
    left = [one for one in chosen if not one.said(folder).exists()]
    failures = []
    with progress_bar(len(left)) as bar:
        for one in left:
            bar.show(one.name)
            if why := make_figure(one, folder):
                failures.append(f"{one.name}: {why} (all of it: {one.said(folder).with_suffix('.failed')})")
            bar.show(one.name, done=1)
    console.print(f"{len(left) - len(failures)} made, {len(chosen) - len(left)} were there: {folder}", soft_wrap=True)
    if failures:
        raise Failed("some are missing:\n" + "\n".join(failures))


def _chosen(only: str, *, without_lab: bool) -> list[Made]:
    known = {one.name: one for one in every_figure()}
    names = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        raise BadInput(f"--only: there is no figure '{unknown[0]}'; there are: {', '.join(known)}")
    return [one for one in known.values() if (not names or one.name in names) and not (without_lab and one.on_lab)]


def _list(chosen: list[Made], folder: Path) -> None:
    columns = ("name", "paper", "where", "made")
    table = titled_table("Figures and tables", *columns, left=columns)
    for one in chosen:
        made = "yes" if one.said(folder).exists() else ""
        table.add_row(one.name, one.paper, "the lab" if one.on_lab else "planned or simulated", made)
    console.print(table)
