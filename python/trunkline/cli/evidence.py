"""``trunkline evidence``: what calls took, and how far predictions were off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline.cli.app import App
from trunkline.cli.options import JsonOption
from trunkline.cli.output import write_json
from trunkline.errors import BadInput
from trunkline.evidence.cells import cells_of, kept_file, read_cells, write_cells
from trunkline.evidence.spread import Spread, compared, spreads
from trunkline.files import read_json
from trunkline.terminal import output, tell, titled_table

app = App(no_args_is_help=True, help="Keep what calls took, and see how far predictions are off.")

_FileOption = Annotated[
    Optional[str], typer.Option("--file", metavar="FILE", help="The cells; default: those of Trunkline's checkout.")
]


@app.command(epilog="Example: trunkline evidence show --json -")
def show(file: _FileOption = None, json: JsonOption = None) -> None:
    """Show how far predictions are off, by what is known before a call.

    Every cell is predicted anew, as 'auto' would today. Of Trunkline's own algorithms and of each MPI library's.
    """
    rows = compared(read_cells(file or kept_file()))
    if not rows:
        raise BadInput(f"{file or kept_file()}: has no cell of which anything is predicted")
    own = spreads([row for row in rows if not row.cell.library])
    libraries = {
        library: spreads([row for row in rows if row.cell.library == library])
        for library in sorted({row.cell.library for row in rows} - {""})
    }
    if json:
        found = {"trunkline": own, **libraries}
        write_json([{"of": of, **one.as_json()} for of, some in found.items() for one in some], json)
        return
    if own:
        _print("Trunkline's own algorithms", own)
    for library, some in libraries.items():
        _print(f"{library}'s own algorithms", some)


def _print(title: str, some: list[Spread]) -> None:
    heads = ("known before", "cells", "within 15 %", "within 30 %", "19 of 20 within", "true over predicted")
    table = titled_table(title, heads[0], "", *heads[1:], left=("known before", ""))
    before = ""
    for one in some:
        shares = (f"{one.within_15 / one.cells:.1%}", f"{one.within_30 / one.cells:.1%}", f"{one.most:.0%}")
        ratios = f"{one.least_ratio:.2f} to {one.most_ratio:.2f}"
        table.add_row(one.feature if one.feature != before else "", one.value, str(one.cells), *shares, ratios)
        before = one.feature
    output().print(table)


@app.command(epilog="Example: trunkline evidence add simulated.json --file mine.json")
def add(
    rows: Annotated[list[str], typer.Argument(metavar="FILE...", help="What 'simulate' or 'bench' wrote with --json.")],
    file: _FileOption = None,
    host_costs: Annotated[
        str,
        typer.Option(metavar="COSTS", help="What messages cost the hosts of rows of 'bench', which do not say so."),
    ] = "",
) -> None:
    """Add what calls took, simulated or measured.

    Takes rows of algorithms and of MPI libraries' own choices; what 'auto' chose and what was given up is left out. The
    clusters are bundled or generated ones, whose names say all of them.
    """
    name = file or kept_file()
    before = read_cells(name) if file is None or Path(file).exists() else []
    added = [cell for one in rows for cell in cells_of(_rows(one), one, host_costs)]
    write_cells(name, before + added)
    new = len(set(before + added)) - len(set(before))
    tell(f"{name}: {new} new cells of {len(added)}")


def _rows(file: str) -> list[dict[str, object]]:
    rows = read_json(file)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{file}: is no list of rows as 'simulate --json' or 'bench --json' writes it")
    return rows
