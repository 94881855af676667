"""``trunkline bench``: measure collectives on the lab."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.bench.heights import measure_heights
from trunkline.bench.job import Limits
from trunkline.bench.session import Session, measure_with_progress
from trunkline.cli.assumptions import tell_rate
from trunkline.cli.bench_gsum import gsum
from trunkline.cli.bench_gsum_study import gsum_study
from trunkline.cli.bench_model import model
from trunkline.cli.bench_multicast import multicast
from trunkline.cli.bench_peers import peers
from trunkline.cli.bench_wave_optimality import wave_optimality
from trunkline.cli.forms import App
from trunkline.cli.impair_options import impairable
from trunkline.cli.options import (
    BudgetOption,
    CellsJsonOption,
    ClusterOption,
    CollectiveOption,
    DealtOption,
    HostsOption,
    JsonOption,
    LabRateOption,
    LeastOption,
    MostOption,
    MpisOption,
    RanksOnHostOption,
    ReportOption,
    RootOption,
    SizesOption,
    SvgOption,
    algorithms_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.lab.impairments import Impairments
from trunkline.long_links import seats
from trunkline.mpi import ready_mpis
from trunkline.placement import root_rank
from trunkline.registry import chosen_algorithms
from trunkline.report.tables import cells_table, heights_table
from trunkline.terminal import console, progress_bar
from trunkline.tune.file import load_tuning
from trunkline.units import parse_bench_sizes, parse_counts, parse_rate

__all__ = ["app"]

app = App(help="Measure collectives on the emulated cluster.", no_args_is_help=True)


app.command(
    epilog="Example: trunkline bench peers --cluster cyclic --sizes 8KiB,64KiB,256KiB,1MiB --json peers.json "
    "--report peers.html"
)(peers)
app.command(
    epilog="Example: trunkline bench multicast --receivers 2-7,15,31 --loss 0,0.1%,1%,5% "
    "--peers pvm,lam,uftp,udpcast,norm --json out.json --report out.html --figures figures"
)(multicast)


@impairable
def timed(
    context: typer.Context,
    cluster: ClusterOption,
    mpi: MpisOption,
    impairments: Impairments,
    sizes: SizesOption = "8KiB,64KiB,1MiB",
    algorithms: Annotated[
        str,
        algorithms_option("Algorithms of 'trunkline algorithms', 'all' and 'auto'; NAME:SEGMENT fixes the segment."),
    ] = "native,auto",
    rate: LabRateOption = "auto",
    ranks_per_host: RanksOnHostOption = 1,
    hosts: HostsOption = None,
    root: RootOption = "0",
    dealt: DealtOption = False,
    tuning: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="A file of 'trunkline tune' that 'auto' follows.")
    ] = None,
    least: LeastOption = 5,
    most: MostOption = 40,
    budget: BudgetOption = 10.0,
    width: Annotated[
        float, typer.Option(min=0, help="Width of the 95 % interval, as a part of the median, that is narrow enough.")
    ] = 0.04,
    race: Annotated[
        float,
        typer.Option(min=0, help="Repeat no algorithm whose best time is N times another's median; 0: all."),
    ] = 0.0,
    json: CellsJsonOption = None,
    report: ReportOption = None,
) -> None:
    """Time algorithms of {collective} in turns on one lab: medians with 95 % intervals, beside half a ping-pong."""
    collective = str(context.info_name)
    check_outputs({"--json": json, "--report": report})
    names = chosen_algorithms(collective, algorithms.split(","))
    libraries = ready_mpis(mpi)
    if tuning:
        load_tuning(tuning)  # its faults are reported here, not by every rank
    limits = Limits(least=least, most=max(least, most), budget_s=budget, width=width, race=race)
    network = load_cluster(cluster)
    placement = seats(network, ranks_per_host, hosts, dealt=dealt)  # told before a lab is up
    start = root_rank(network, placement, root)
    impairments.of(network)
    tell_rate(network, None if rate == "auto" else parse_rate(rate))
    session = Session(
        network,
        libraries,
        collective,
        parse_bench_sizes(sizes) if _core.facts_of(collective).has_data else [0],
        names,
        limits,
        rate,
        ranks_per_host,
        str(Path(tuning).resolve()) if tuning else None,
        hosts,
        impairments,
        start,
        dealt,
    )
    cells = measure_with_progress([session])
    console.print(cells_table(cells))
    if json:
        write_json([cell.as_json() for cell in cells], json)
    if report:
        from trunkline.report.page import bench_page  # Matplotlib takes a second to load

        write_text(bench_page(cells), report)
        console.print(f"Report: {report}", markup=False, soft_wrap=True)


for collective in _core.collectives():
    app.command(
        collective,
        help=str(timed.__doc__).format(collective=_core.facts_of(collective).mpi_name),
        epilog=f"Example: trunkline bench {collective} --cluster cyclic --mpi mpich,openmpi --sizes 8KiB,1MiB "
        "--algorithms native,linear,auto --json out.json",
    )(timed)


@app.command(epilog="Example: trunkline bench heights --hosts 16,64,256,1024 --json heights.json --svg heights.svg")
def heights(
    collective: CollectiveOption = "bcast",
    hosts: Annotated[str, typer.Option(metavar="N,...", help="Of the clusters, separated by commas.")] = (
        "16,32,64,128,256,512,1024"
    ),
    hosts_per_switch: Annotated[
        str, typer.Option(metavar="N,...", help="On average; several, separated by commas.")
    ] = "8,16",
    degree: Annotated[int, typer.Option(min=2, max=8, help="Most ranks that a rank sends to: 2 is a binary tree.")] = 2,
    clusters: Annotated[int, typer.Option(min=1, help="Random clusters of each size.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the random clusters.")] = 1,
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Lay contention-free trees over random clusters: their heights beside the least possible, and planning times."""
    check_outputs({"--json": json, "--svg": svg})
    machines, each = parse_counts(hosts, "--hosts"), parse_counts(hosts_per_switch, "--hosts-per-switch")
    rows = []
    with progress_bar(len(machines) * len(each), "planning") as bar:
        for row in measure_heights(collective, machines, each, degree, clusters, seed):
            rows.append(row)
            bar.show(f"{row.machines} machines on {row.switches} switches", done=1)
    console.print(heights_table(rows))
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg:
        from trunkline.report.chart import height_curves  # Matplotlib takes a second to load

        write_text(height_curves(rows), svg)


app.command(
    epilog="Example: trunkline bench gsum --cluster 8w --mpi mpich --plans initial,tuned,native --json gsum.json"
)(gsum)


app.command(
    name="gsum-study", epilog="Example: trunkline bench gsum-study --cluster 8w --mpi mpich --report study.html"
)(gsum_study)


app.command(epilog="Example: trunkline bench model --cluster paper-4 --mpi mpich --measured net.yaml --svg model.svg")(
    model
)


app.command(
    name="wave-optimality",
    epilog="Example: trunkline bench wave-optimality --graphs 1000 --json out.json --svg out.svg",
)(wave_optimality)
