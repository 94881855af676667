"""``trunkline_papers bench multicast``: the comparison of the paper on UDP broadcasts, over receivers and loss."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from trunkline import _core
from trunkline.bench.job import Limits, Repetition
from trunkline.cli.options import (
    BudgetOption,
    DefaultClusterOption,
    LabRateOption,
    LeastOption,
    MostOption,
    MpisOption,
    ReportOption,
    algorithms_option,
    sizes_option,
)
from trunkline.cli.output import check_outputs, write_text, write_whole
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed
from trunkline.lab.rate import lab_rate
from trunkline.mpi import ready_mpis
from trunkline.registry import chosen_algorithms
from trunkline.terminal import console, progress_bar
from trunkline.units import format_rate, parse_bench_sizes, parse_counts
from trunkline_papers.peers.drivers import choose_multicast_drivers
from trunkline_papers.peers.multicast.cells import MulticastCell, MulticastResults
from trunkline_papers.peers.multicast.run import measure_study
from trunkline_papers.peers.multicast.study import COLLECTIVE, PAPER_SIZES, Job, Loss, Study, jobs
from trunkline_papers.peers.multicast.tables import loss_words, multicast_tables

__all__ = ["multicast"]


def multicast(
    receivers: Annotated[
        str, typer.Option(metavar="N,...", help="Numbers of receivers, beside the root: on the cluster's first hosts.")
    ] = "2-7,15,31",
    loss: Annotated[
        str, typer.Option(help="Shares of the frames that every link loses, in each direction, separated by commas.")
    ] = "0,0.1%,1%,5%",
    peers: Annotated[
        str, typer.Option(help="Beside MPI libraries: pvm, lam, uftp, udpcast, norm; '' for none.")
    ] = "pvm,lam,uftp,udpcast,norm",
    mpi: MpisOption = "mpich,openmpi",
    algorithms: Annotated[
        str, algorithms_option("Under the MPI libraries: algorithms of 'trunkline algorithms', and 'auto'.")
    ] = "native,two-tree,multicast,auto",
    sizes: Annotated[str, sizes_option("Message sizes, separated by commas; default: the paper's.")] = ",".join(
        map(str, PAPER_SIZES)
    ),
    cluster: DefaultClusterOption = "paper-4",
    rate: LabRateOption = "auto",
    least: LeastOption = 3,
    most: MostOption = 10,
    budget: BudgetOption = 5.0,
    patience: Annotated[
        float,
        typer.Option(min=1, help="Seconds after which a broadcast is given up: longer ones of its peer are left out."),
    ] = 120.0,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where every cell goes as JSON; a run broken off goes on from it."),
    ] = None,
    report: ReportOption = None,
    figures: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Draw the paper's figures 1 to 4, and rates over loss, as SVG."),
    ] = None,
) -> None:
    """Time broadcasts over receivers and lost frames: MPI libraries, multicast, the paper's peers, file transfers.

    Ctrl-C ends it; what is finished stays in the --json file, and the same command goes on from there.
    """
    if json == "-":
        raise BadInput("--json: a run goes on from its file, so it needs one; '-' is none")
    check_outputs({"--json": json, "--report": report, "--figures": f"{figures}/figure-1.svg" if figures else None})
    network = load_cluster(cluster)
    counts = sorted(set(parse_counts(receivers, "--receivers")))
    if counts[-1] >= len(network.hosts):
        raise BadInput(
            f"--receivers: {network.name} has {len(network.hosts)} hosts, so at most {len(network.hosts) - 1} "
            f"receivers beside the root, not {counts[-1]}"
        )
    losses = _losses(loss, network)
    names = chosen_algorithms(COLLECTIVE, algorithms.split(","))
    wanted = sorted(set(parse_bench_sizes(sizes)))
    others = [name.strip() for name in peers.split(",") if name.strip()]
    drivers, left_out = choose_multicast_drivers([library.name for library in ready_mpis(mpi)], others)
    for name, reason in left_out.items():
        console.print(f"[bold]{escape(name)} is left out:[/] {escape(reason)}", soft_wrap=True)
    results = MulticastResults(json)
    with console.status(f"{network.name}: looking for the highest true rate"):
        rate_bps = lab_rate(network, rate)
    limits = Limits(least=least, most=max(least, most), budget_s=budget, patience_s=patience)
    study = Study(network, rate_bps, counts, losses, drivers, names, wanted, limits)
    failures = _measure(study, results)
    cells = study.asked_for(results)
    if cells:
        console.print(multicast_tables(cells))
        _draw(cells, left_out, report, figures)
    if failures:
        raise Failed("some cells are missing:\n" + "\n".join(failures))


def _losses(text: str, network: _core.Cluster) -> list[Loss]:
    losses = []
    for word in (word.strip() for word in text.split(",")):
        try:
            _core.impaired(network, "loss", "0%" if word == "0" else word)
        except ValueError as error:
            raise BadInput(f"--loss {word}: {error}") from None
        losses.append(Loss(f"{share:g}%" if (share := float(word.removesuffix("%"))) else "0"))
    return sorted(set(losses), key=lambda one: one.share)


def _measure(study: Study, results: MulticastResults) -> list[str]:
    todo = list(jobs(study, results))
    if not todo:
        console.print("Everything has been measured already; nothing to do but to show it.")
        return []
    failures: list[str] = []
    with progress_bar(sum(job.cells for job in todo)) as bar:

        def show(job: Job, repetition: Repetition | None) -> None:
            where = f"{job.receivers} receivers, {loss_words(job.loss.text)}, {job.driver.name}"
            what = repetition.text if repetition else "starting"
            bar.show(f"{where} at {format_rate(study.rate_bps)}: {what}")

        for job, failure in measure_study(study, results, show):
            bar.show(done=job.cells)
            if failure:
                where = f"{job.receivers} receivers, {loss_words(job.loss.text)}, {job.driver.name}"
                failures.append(f"{where}: {failure}")
                console.print(f"[bold]{escape(where)} failed:[/] {escape(failure)}")
    return failures


def _draw(cells: Sequence[MulticastCell], left_out: dict[str, str], report: str | None, figures: str | None) -> None:
    if not (report or figures):
        return
    from trunkline_papers.peers.multicast.charts import loss_figure, paper_figures  # Matplotlib takes a second to load

    drawn = paper_figures(cells)
    over_loss = loss_figure(cells)
    if over_loss:
        drawn["loss"] = over_loss
    if figures:
        for name, svg in drawn.items():
            write_whole(svg, Path(figures) / f"{name}.svg")
        console.print(f"Figures: {', '.join(drawn)} in {figures}", markup=False, soft_wrap=True)
    if report:
        from trunkline_papers.peers.multicast.page import multicast_page

        write_text(multicast_page(cells, drawn, left_out), report)
        console.print(f"Report: {report}", markup=False, soft_wrap=True)
