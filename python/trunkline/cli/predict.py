"""``trunkline predict``: times, without running anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markup import escape

from trunkline import _core
from trunkline.accuracy import accuracy_over
from trunkline.cli.assumptions import accuracy_line, host_words, rate_words, scaled_cluster
from trunkline.cli.options import (
    COLLECTIVE_HELP,
    PREDICTED_SIZES,
    ClusterOption,
    DealtOption,
    HostCostsOption,
    JsonOption,
    PlannedRanksOption,
    PlannedRootOption,
    RateOption,
    SizesOption,
    SvgOption,
    algorithms_option,
    mpi_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.mpi import require_mpi
from trunkline.placement import root_rank
from trunkline.planned import placement_for, plan_for_job
from trunkline.predict import (
    Predicted,
    host_costs_given,
    predict_all,
    tables_of,
)
from trunkline.registry import check_collective, chosen_algorithms
from trunkline.terminal import output, titled_table
from trunkline.units import format_bytes, format_seconds, parse_sizes

_TIME_WIDTH = 9
"""Columns of the terminal for one time, with the space beside it."""


def predict(
    cluster: ClusterOption,
    collective: Annotated[
        Optional[str], typer.Option(metavar="NAME", help=f"{COLLECTIVE_HELP} Default: the plan's, else bcast.")
    ] = None,
    mpi: Annotated[
        Optional[str],
        mpi_option(
            "The MPI library whose native algorithm it is: mpich, openmpi, ...; default: the tables', else mpich."
        ),
    ] = None,
    sizes: SizesOption = PREDICTED_SIZES,
    algorithms: Annotated[
        str,
        algorithms_option("Algorithms of 'trunkline algorithms', 'auto', and 'all'; NAME:SEGMENT fixes the segment."),
    ] = "all",
    measured: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Tables of 'trunkline measure', instead of the stated rates.")
    ] = None,
    plan: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            help="A plan of one's own, or a set of plans, beside the algorithms: its collective, root and hosts count "
            "where the options say nothing.",
        ),
    ] = None,
    host_costs: HostCostsOption = "",
    root: PlannedRootOption = None,
    ranks_per_host: PlannedRanksOption = None,
    dealt: DealtOption = False,
    rate: RateOption = None,
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Predict the time of every algorithm for each message size, from stated rates or measured tables."""
    check_outputs({"--json": json, "--svg": svg})
    network = scaled_cluster(cluster, rate)
    own = plan_for_job(plan, collective, root)
    collective = check_collective(collective or (own.collective if own else "bcast"))
    placement = placement_for(network, own, plan, ranks_per_host, dealt=dealt)
    start = root_rank(network, placement, root or str(own.plan.root if own else 0))
    names = chosen_algorithms(collective, algorithms.split(","))
    library = require_mpi(mpi) if mpi else None
    tables = tables_of(measured, network, [library] if library else [])
    name = library.name if library else tables.mpi if tables else "mpich"
    native = library.native_library if library else _core.NativeLibrary[name]
    versioned = library if tables is None else None
    costs = host_costs_given(host_costs, _core.host_costs_of(name, versioned.version if versioned else ""))
    rows = predict_all(collective, network, placement, start, names, parse_sizes(sizes), native, tables, costs, plan)
    write_json([row.as_json(network, len(placement), name) for row in rows], json)
    if svg:
        from trunkline.report.chart import prediction_curves  # Matplotlib takes a second to load

        write_text(prediction_curves(rows), svg)
    if "-" not in (json, svg):
        about = f"{rate_words(network)}; {'measured tables' if tables else host_words(costs)}"
        shown = names if plan is None else [Path(plan).stem, *names]
        _print_times(f"{escape(network.name)}, {name}, {about}", rows, shown)
        most = max(Counter(placement).values())
        found = accuracy_over(network, native, most)
        output().print(accuracy_line(found, name, measured=tables is not None))


def _print_times(about: str, rows: Sequence[Predicted], names: Sequence[str]) -> None:
    """As many tables as it takes: in one that is too wide the algorithms' names would go first.

    The fastest for the longest messages is the first row.
    """
    terminal = output()
    sizes = list(dict.fromkeys(row.message_bytes for row in rows))
    last = {row.algorithm: row.seconds for row in rows if row.message_bytes == max(sizes)}
    names = sorted(names, key=lambda name: last.get(name, inf))
    together = max(1, (terminal.width - max(map(len, names)) - 2) // _TIME_WIDTH)
    for start in range(0, len(sizes), together):
        some = sizes[start : start + together]
        title = f"{about}: predicted time of {_core.facts_of(rows[0].collective).mpi_name}"
        table = titled_table(title, "algorithm", *map(format_bytes, some), left=["algorithm"], wrap=["algorithm"])
        for name in names:
            own = {row.message_bytes: row for row in rows if row.algorithm == name}
            table.add_row(name, *(_time_words(own.get(size)) for size in some))
        bounds = {row.message_bytes: row.bound for row in rows if row.bound is not None}
        if bounds:
            table.add_section()
            table.add_row("bound", *(format_seconds(bounds[size]) for size in some))
        terminal.print(table)
    if rows[0].bound is not None:
        rates = "and its slowest rate, or that of all ways together where paths are the shortest"
        terminal.print(f"[dim]Bound: each long link crossed once; the longest way's delay, {rates}.[/]")


def _time_words(row: Predicted | None) -> str:
    if row is None:
        return "-"
    return f"[bold green]{format_seconds(row.seconds)}[/]" if row.fastest else format_seconds(row.seconds)
