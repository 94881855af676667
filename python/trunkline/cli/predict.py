"""``trunkline predict`` and ``trunkline explain``: times and choices, without running anything."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markup import escape

from trunkline import _core
from trunkline.cli.assumptions import accuracy_words, host_words, rate_words, tell_rate
from trunkline.cli.options import (
    COLLECTIVE_HELP,
    ClusterOption,
    CollectiveOption,
    DealtOption,
    JsonOption,
    PlannedRanksOption,
    PlannedRootOption,
    RanksOnHostOption,
    RateOption,
    RootOption,
    SizesOption,
    SvgOption,
    algorithms_option,
    mpi_option,
    multicasts_wanted,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.mpi import require_mpi
from trunkline.placement import bounded_placement, root_rank
from trunkline.planned import placement_for, plan_for_job
from trunkline.predict import (
    Decision,
    Predicted,
    decide_all,
    host_costs_given,
    knowledge_of,
    predict_all,
    setting_of,
    tables_of,
)
from trunkline.registry import check_collective, chosen_algorithms
from trunkline.terminal import console, output, titled_table
from trunkline.units import format_bytes, format_seconds, parse_rate, parse_sizes

__all__ = ["HostCostsOption", "MpiOption", "explain", "predict"]

_TIME_WIDTH = 9
"""Columns of the terminal for one time, with the space beside it."""

SIZES = "8,512,2KiB,8KiB,32KiB,128KiB,512KiB,2MiB,8MiB"

MpiOption = Annotated[str, mpi_option("The MPI library whose native algorithm it is: mpich, openmpi, ...")]
HostCostsOption = Annotated[
    str,
    typer.Option(
        metavar="COSTS",
        envvar="TRUNKLINE_HOST_COSTS",
        help="What messages cost their hosts: free, mpich, mpich-5, openmpi, and what a lab or 'trunkline measure' "
        "says behind it; default: as measured with the library.",
    ),
]


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
    sizes: SizesOption = SIZES,
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
    if json:
        write_json([row.as_json(network, len(placement), name) for row in rows], json)
    if svg:
        from trunkline.report.chart import prediction_curves  # Matplotlib takes a second to load

        write_text(prediction_curves(rows), svg)
    if "-" not in (json, svg):
        about = f"{rate_words(network)}; {'measured tables' if tables else host_words(costs)}"
        shown = names if plan is None else [Path(plan).stem, *names]
        _print_times(f"{escape(network.name)}, {name}, {about}", rows, shown)
        most = max(Counter(placement).values())
        output().print(_accuracy(most, measured=tables is not None))


def explain(
    cluster: ClusterOption,
    collective: CollectiveOption = "bcast",
    mpi: MpiOption = "mpich",
    sizes: SizesOption = SIZES,
    tuning: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", envvar="TRUNKLINE_TUNING", help="A file of 'trunkline tune'."),
    ] = None,
    measured: Annotated[
        Optional[str], typer.Option(metavar="FILE", envvar="TRUNKLINE_MEASURED", help="Tables of 'trunkline measure'.")
    ] = None,
    plan: Annotated[
        Optional[str], typer.Option(metavar="FILE", envvar="TRUNKLINE_PLAN", help="A file of 'trunkline plan'.")
    ] = None,
    wish: Annotated[
        Optional[str],
        algorithms_option(
            "What the collective is told to run; default: what TRUNKLINE_BCAST and its like say, else auto.",
            several=False,
        ),
    ] = None,
    reproducible: Annotated[
        bool,
        typer.Option(
            "--reproducible",
            envvar="TRUNKLINE_REPRODUCIBLE",
            help="Reductions keep one order of operands for messages of every size.",
        ),
    ] = False,
    commutes: Annotated[
        bool, typer.Option("--commutes/--by-rank", help="Whether a reduction's operation commutes.")
    ] = True,
    multicasts: Annotated[
        Optional[bool],
        typer.Option(
            "--multicast/--no-multicast",
            help="Whether auto may multicast; default: what TRUNKLINE_MULTICAST says, else it may.",
            show_default=False,
        ),
    ] = None,
    host_costs: HostCostsOption = "",
    root: RootOption = "0",
    ranks_per_host: RanksOnHostOption = 1,
    rate: RateOption = None,
    json: JsonOption = None,
) -> None:
    """Say what the preload library would run for each message size, and why: settings in the environment count."""
    check_outputs({"--json": json})
    network, placement, start = _job(cluster, rate, ranks_per_host, root)
    library = require_mpi(mpi)
    knowledge = knowledge_of(
        network,
        library,
        plan=plan,
        tuning=tuning,
        measured=measured,
        reproducible=reproducible,
        host_costs=host_costs,
        multicasts=multicasts_wanted() if multicasts is None else multicasts,
    )
    wanted = wish or os.environ.get(setting_of(collective)) or "auto"
    decisions = decide_all(collective, knowledge, placement, start, parse_sizes(sizes), wanted, commutes=commutes)
    if json:
        write_json([one.as_json(network, len(placement), mpi) for one in decisions], json)
    if json != "-":
        for one in knowledge.contradictions:
            console.print(f"Measured rates are not those of the cluster file: {escape(one)}")
        costs = host_costs or _core.host_costs_of(library.counts_as, library.version)
        known = "measured tables" if knowledge.is_measured else host_words(costs)
        _print_decisions(f"{escape(network.name)}, {library.name}, {rate_words(network)}; {known}", decisions)
        output().print(_accuracy(ranks_per_host, measured=knowledge.is_measured))


def scaled_cluster(cluster: str, rate: str | None) -> _core.Cluster:
    """A cluster by name or file, its fastest link at that rate if one is given."""
    network = load_cluster(cluster)
    if rate is not None:
        tell_rate(network, parse_rate(rate))
        network = _core.scaled(network, parse_rate(rate))
    return network


def _job(cluster: str, rate: str | None, ranks_per_host: int, root: str) -> tuple[_core.Cluster, list[int], int]:
    network = scaled_cluster(cluster, rate)
    placement = bounded_placement(network, ranks_per_host)
    return network, placement, root_rank(network, placement, root)


def _print_times(about: str, rows: Sequence[Predicted], names: Sequence[str]) -> None:
    """As many tables as it takes: in one that is too wide the algorithms' names would go first."""
    terminal = output()
    sizes = list(dict.fromkeys(row.message_bytes for row in rows))
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


def _accuracy(ranks_per_host: int, *, measured: bool) -> str:
    return f"[dim]Times: {accuracy_words(ranks_per_host, measured)}.[/]"


def _print_decisions(about: str, decisions: Sequence[Decision]) -> None:
    title = f"{about}: what {_core.facts_of(decisions[0].collective).mpi_name} would run"
    table = titled_table(title, "size", "runs", "why", left=["runs", "why"], wrap=["why"])
    for one in decisions:
        ran = f"{one.algorithm}, {one.segment_bytes} B" if one.segment_bytes else one.algorithm
        table.add_row(format_bytes(one.message_bytes), ran, escape(one.words()))
    output().print(table)
