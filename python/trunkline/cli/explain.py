"""``trunkline explain``: what the preload library would run, and why, without running anything."""

import os
from collections.abc import Sequence
from typing import Annotated, Optional

import typer
from rich.markup import escape

from trunkline import _core
from trunkline.accuracy import accuracy_over
from trunkline.cli.assumptions import accuracy_line, host_words, rate_words, scaled_cluster
from trunkline.cli.options import (
    PREDICTED_SIZES,
    ClusterOption,
    CollectiveOption,
    HostCostsOption,
    JsonOption,
    MpiOption,
    RanksOnHostOption,
    RateOption,
    RootOption,
    SizesOption,
    algorithms_option,
    multicasts_wanted,
)
from trunkline.cli.output import check_outputs, write_json
from trunkline.mpi import require_mpi
from trunkline.placement import bounded_placement, root_rank
from trunkline.predict import Decision, decide_all, knowledge_of, setting_of
from trunkline.terminal import console, output, titled_table
from trunkline.units import format_bytes, parse_sizes


def explain(
    cluster: ClusterOption,
    collective: CollectiveOption = "bcast",
    mpi: MpiOption = "mpich",
    sizes: SizesOption = PREDICTED_SIZES,
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
    network = scaled_cluster(cluster, rate)
    placement = bounded_placement(network, ranks_per_host)
    start = root_rank(network, placement, root)
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
    setting = setting_of(collective)
    wanted = wish or os.environ.get(setting) or "auto"
    asked_by = "--algorithms" if wish else f"{setting}, which the environment has as"
    decisions = decide_all(
        collective, knowledge, placement, start, parse_sizes(sizes), wanted, commutes=commutes, asked_by=asked_by
    )
    write_json([decision.as_json(network, len(placement), mpi) for decision in decisions], json)
    if json != "-":
        for one in knowledge.contradictions:
            console.print(f"Measured rates are not those of the cluster file: {escape(one)}")
        costs = host_costs or _core.host_costs_of(library.counts_as, library.version)
        known = "measured tables" if knowledge.is_measured else host_words(costs)
        _print_decisions(f"{escape(network.name)}, {library.name}, {rate_words(network)}; {known}", decisions)
        found = accuracy_over(network, library.native_library, ranks_per_host)
        output().print(accuracy_line(found, library.name, measured=knowledge.is_measured))


def _print_decisions(about: str, decisions: Sequence[Decision]) -> None:
    title = f"{about}: what {_core.facts_of(decisions[0].collective).mpi_name} would run"
    table = titled_table(title, "size", "runs", "why", left=["runs", "why"], wrap=["runs", "why"])
    for decision in decisions:
        table.add_row(format_bytes(decision.message_bytes), decision.runs, escape(decision.words()))
    output().print(table)
    if any(decision.instead is not None for decision in decisions):
        output().print(
            "[dim]Multicasts begin on a communicator once its calls would have saved what opening a group costs: a job "
            "that calls fewer times runs what stands first (docs/choice.md#multicasts).[/]"
        )
