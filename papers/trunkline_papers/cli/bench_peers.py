"""``trunkline_papers bench peers``: side by side with every peer, and the papers' figures."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from trunkline._core import Cluster
from trunkline.bench.job import Limits
from trunkline.cli.options import (
    BudgetOption,
    CollectiveOption,
    LabRateOption,
    LeastOption,
    MostOption,
    ReportOption,
    sizes_option,
)
from trunkline.cli.output import check_outputs, write_text
from trunkline.cluster import load_cluster
from trunkline.draw.terminal import cluster_tree
from trunkline.errors import BadInput, Failed
from trunkline.lab.rate import lab_rate
from trunkline.placement import hosts_used
from trunkline.registry import chosen_algorithms
from trunkline.terminal import console, progress_bar
from trunkline.units import format_bytes, format_rate, parse_bench_sizes
from trunkline_papers.peers.comparison import Comparison, Step, asked_for, steps
from trunkline_papers.peers.drivers import choose_drivers
from trunkline_papers.peers.figures import Figure, figure
from trunkline_papers.peers.model import model_table, segments_table
from trunkline_papers.peers.results import Results
from trunkline_papers.peers.run import compare
from trunkline_papers.peers.tables import algorithms_table, beside_table, markdown, peers_table, unfinished
from trunkline_papers.peers.transfer import measure_transfers, transfer_table

__all__ = ["peers"]


def peers(
    cluster: Annotated[
        str | None, typer.Option(metavar="CLUSTER,...", help="Bundled names or files, separated by commas.")
    ] = None,
    collective: CollectiveOption = "bcast",
    sizes: Annotated[str | None, sizes_option()] = None,
    peers: Annotated[
        str, typer.Option(help="mpich, openmpi, mpich-5.0.2, intelmpi, lam, pvm, ...; default: all there are.")
    ] = "",
    figure_name: Annotated[
        str | None,
        typer.Option("--figure", metavar="NAME", help="A figure of the papers: broadcast-8 to -18, table-3, table-4."),
    ] = None,
    rate: LabRateOption = "auto",
    rounds: Annotated[
        int, typer.Option(min=1, help="Times that every cluster and peer has its turn, with repetitions each time.")
    ] = 3,
    least: LeastOption = 3,
    most: MostOption = 10,
    budget: BudgetOption = 5.0,
    sweep_budget: Annotated[
        float,
        typer.Option(
            min=0,
            help="Seconds for the race of a library's own settings on a cluster; it goes on when repeated. "
            "0: none, what earlier ones found is shown.",
        ),
    ] = 600.0,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where every cell goes as JSON; a run broken off goes on from it."),
    ] = None,
    report: ReportOption = None,
    markdown_file: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write Markdown tables; '-' for standard output."),
    ] = None,
) -> None:
    """Time a collective under every MPI library there is: at its defaults, at its best setting, and with Trunkline.

    The libraries' own algorithms, trees and segment sizes are raced first; then all take turns, round by round.
    """
    chosen = figure(figure_name) if figure_name else None
    if chosen and collective != "bcast":
        raise BadInput(f"--figure {chosen.name} is about broadcasts: leave out --collective {collective}")
    if chosen and chosen.kind != "bench" and (json or report or markdown_file):
        raise BadInput(f"--figure {chosen.name} is shown on the terminal alone: leave out --json, --report, --markdown")
    if json == "-":
        raise BadInput("--json: a run goes on from its file, so it needs one; '-' is none")
    check_outputs({"--json": json, "--report": report, "--markdown": markdown_file})
    if chosen and chosen.kind in ("model", "clusters", "method"):
        if cluster or sizes or peers or rate != "auto":
            raise BadInput(f"--figure {chosen.name} measures nothing: leave out --cluster, --sizes, --peers and --rate")
        _show(chosen)
        return
    if chosen and chosen.kind == "transfer" and sizes:
        raise BadInput(f"--figure {chosen.name} has sizes of its own: leave out --sizes")
    names = [name.strip() for name in (peers or ",".join(chosen.peers if chosen else ())).split(",") if name.strip()]
    drivers, left_out = choose_drivers(names, collective)
    for name, reason in left_out.items():
        console.print(f"[bold]{escape(name)} is left out:[/] {escape(reason)}", soft_wrap=True)
    clusters = [name.strip() for name in cluster.split(",")] if cluster else list(chosen.clusters if chosen else ())
    wanted = parse_bench_sizes(sizes) if sizes else list(chosen.sizes if chosen else ())
    if not clusters or not (wanted or chosen):
        raise BadInput("name --cluster and --sizes, or a --figure of the papers")
    limits = Limits(least=least, most=max(least, most), budget_s=budget)
    results = Results(json)
    networks = [load_cluster(name) for name in dict.fromkeys(clusters)]
    for network in networks:
        hosts_used(network, None)  # told before a lab is up
    if chosen and chosen.kind == "transfer" and not drivers[0].preloads:
        raise BadInput(
            f"--figure {chosen.name} runs a line of two hosts, which {drivers[0].name} cannot; name another peer"
        )
    rated = [(network, _rate(network, rate, results)) for network in networks]
    if chosen and chosen.kind == "transfer":
        with console.status("measuring between two hosts"):
            ratios = measure_transfers(chosen, drivers[0], rated[0][1], limits)
        console.print(transfer_table(chosen, ratios, rated[0][1]))
        return
    comparison = Comparison(
        collective,
        rated,
        drivers,
        sorted(set(wanted)),
        rounds,
        limits,
        sweep_budget,
        algorithms=chosen_algorithms(collective, chosen.algorithms) if chosen else ("auto",),
        best=chosen is None,
    )
    failures = _measure(comparison, results)
    cells = asked_for(comparison, results)
    if chosen:
        console.print(algorithms_table(cells))
        if chosen.stated:
            console.print(beside_table(chosen, cells))
        for claim in chosen.claims:
            console.print(f"The paper says: {claim}.", markup=False)
    else:
        console.print(peers_table(cells))
        for text in unfinished(cells):
            console.print(f"{text}.", markup=False, soft_wrap=True)
    if markdown_file:
        write_text(markdown(cells, comparison.algorithms[0]), markdown_file)
    if report:
        from trunkline_papers.peers.page import peers_page  # Matplotlib takes a second to load

        write_text(peers_page(cells, rated, left_out, chosen, json), report)
        console.print(f"Report: {report}", markup=False, soft_wrap=True)
    if failures:
        raise Failed("some cells are missing:\n" + "\n".join(failures))


def _rate(cluster: Cluster, rate: str, results: Results) -> float:
    known = results.rate_of(cluster) if rate == "auto" else None
    if known is not None:
        return known
    with console.status(f"{cluster.name}: looking for the highest true rate"):
        return lab_rate(cluster, rate)


def _measure(comparison: Comparison, results: Results) -> list[str]:
    todo = steps(comparison, results)
    if not todo:
        console.print("Everything has been measured already; nothing to do but to show it.")
        return []
    seconds = sum(step.seconds for step in todo)
    sizes = ", ".join(map(format_bytes, comparison.sizes))
    console.print(
        f"{len(comparison.clusters)} clusters, {len(comparison.drivers)} peers, {sizes}, {comparison.rounds} rounds: "
        f"{len(todo)} steps, about {max(1, round(seconds / 60))} minutes; Ctrl-C ends it, "
        "and the same command goes on from there if it has a --json file.",
        soft_wrap=True,
    )
    failures: list[str] = []
    with progress_bar(seconds, seconds=True) as bar:

        def show(step: Step, what: str) -> None:
            turn = "race" if step.round == 0 else f"round {step.round}"
            where = f"{step.cluster.name} at {format_rate(step.rate_bps)}, {step.driver.name}"
            bar.show(f"{where}: {turn}, {what}")

        for step, failure in compare(comparison, results, show):
            bar.show(done=step.seconds)
            if failure:
                failures.append(f"{step.cluster.name}, {step.driver.name}: {failure}")
                where = escape(f"{step.driver.name} on {step.cluster.name}")
                console.print(f"[bold]{where} failed:[/] {escape(failure)}")
    return failures


def _show(chosen: Figure) -> None:
    """A figure that needs no measuring."""
    if chosen.kind == "method":
        console.print(f"[bold]{chosen.name}: {chosen.title}[/]\n{chosen.text}")
    elif chosen.kind == "clusters":
        for name in chosen.clusters:
            console.print(cluster_tree(load_cluster(name)))
    else:
        console.print(segments_table(chosen) if chosen.rows else model_table(chosen))
