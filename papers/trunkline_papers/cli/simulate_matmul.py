"""``trunkline_papers simulate matmul``: how much faster several hosts multiply matrices than one."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.cli.assumptions import host_words, rate_words, tell_rate
from trunkline.cli.options import (
    DefaultClusterOption,
    HostCostsOption,
    JsonOption,
    MpiOption,
    RatesOption,
    SvgOption,
    algorithms_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cli.simulate_gains import reasons
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import require_mpi
from trunkline.peers.simulated import Simulated
from trunkline.placement import placement_on
from trunkline.predict import host_costs_given
from trunkline.simulate.engine import Job
from trunkline.simulate.rows import LeftOut
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_rate, format_seconds, parse_counts, parse_rate
from trunkline_papers.matmul.simulated import (
    PAPER_READINGS,
    Multiplied,
    largest_block,
    matmul_algorithms,
    multiply_all,
)

__all__ = ["matmul"]


def matmul(
    cluster: DefaultClusterOption = "paper-1",
    order: Annotated[int, typer.Option(min=1, max=30_000, help="Of the square matrices; the paper: 3200.")] = 3200,
    hosts: Annotated[
        str,
        typer.Option(
            metavar="N,...", help="How many of the cluster's first hosts: 2-8, or numbers separated by commas."
        ),
    ] = "2-8",
    rates: RatesOption = None,
    algorithms: Annotated[
        str, algorithms_option("Of the broadcasts: as --algorithms of 'trunkline simulate bcast', and pvm.")
    ] = "pvm,native,linear,multicast,auto",
    host_gflops: Annotated[
        float,
        typer.Option(
            metavar="GFLOPS",
            help="How fast a host multiplies. The default is for the paper's, Pentium III at 700 MHz; one processor of "
            "yours: 'matmul --order 3200' as one process says it.",
        ),
    ] = 0.5,
    mpi: MpiOption = "mpich",
    host_costs: HostCostsOption = "",
    svg: SvgOption = None,
    json: JsonOption = None,
) -> None:
    """Show how much faster several hosts multiply two matrices than one: its broadcasts simulated.

    Hosts compute at a stated rate, one rank on each. The paper's figure 5 is this with PVM and with its own broadcast
    over UDP, which pvm and multicast stand for; of its curves only words are left, which the picture shows as lines.
    """
    check_outputs({"--svg": svg, "--json": json})
    if not 0.0 < host_gflops < 1e9:
        raise BadInput(f"--host-gflops must be above zero, and less than 1e9, not {host_gflops:g}")
    network = load_cluster(cluster)
    counts = parse_counts(hosts, "--hosts")
    library = require_mpi(mpi)
    wanted = matmul_algorithms(algorithms.split(","), library.native_library)
    costs = host_costs_given(host_costs, _core.host_costs_of(library.counts_as, library.version))
    for one in map(parse_rate, rates.split(",")) if rates else ():
        tell_rate(network, one)
    clusters = (
        [_core.scaled(network, rate) for rate in dict.fromkeys(map(parse_rate, rates.split(",")))]
        if rates
        else [network]
    )
    jobs = [
        Job(
            "bcast",
            one,
            placement_on(one, 1, count),
            0,
            [largest_block(order, count)],
            {},
            costs,
            library.native_library,
        )
        for one in clusters
        for count in dict.fromkeys(counts)
    ]
    left_out: list[LeftOut] = []
    rows = _with_progress(jobs, wanted, order, host_gflops, left_out)
    if json:
        write_json([row.as_json() for row in rows], json)
    if svg and rows:
        from trunkline_papers.matmul.picture import speed_up_curves  # Matplotlib takes a second to load

        write_text(speed_up_curves(rows), svg)
    rate = f"{rate_words(clusters[0])}, " if len(clusters) == 1 else ""
    title = (
        f"{escape(network.name)}, {rate}{library.name}, simulated; {host_words(costs)}, and hosts make {host_gflops:g} "
        f"GFLOP/s: product of order {order}"
    )
    console.print(_table(title, rows))
    for line in reasons(left_out):
        console.print(line, style="dim", markup=False, highlight=False)
    readings = "; or ".join(
        f"{what}: {', '.join(f'{part * count:.1f}' for count in dict.fromkeys(counts))}"
        for what, part in PAPER_READINGS.items()
    )
    console.print(
        "The paper, figure 5, in words: speed-ups over UDP are near 20% of the optimal ones. That may mean "
        f"{readings}. The curves are lost, so which it is, and whether we gain more, is not known.",
        style="dim",
        highlight=False,
        soft_wrap=True,
    )


def _with_progress(
    jobs: Sequence[Job], algorithms: Sequence[Simulated], order: int, host_gflops: float, left_out: list[LeftOut]
) -> list[Multiplied]:
    with progress_bar(len(jobs) * len(algorithms) + 1) as bar:

        def show(job: Job, one: Simulated) -> None:
            rate = format_rate(max(link.most_bps for link in job.cluster.links))
            bar.show(f"{rate}, {len(job.placement)} hosts: simulating {one.name}", done=1)

        return multiply_all(jobs, algorithms, order, host_gflops, show, lambda _job, one: left_out.append(one))


def _table(title: str, rows: Sequence[Multiplied]) -> Table:
    columns = ("links", "hosts", "algorithm", "time", "in MPI_Bcast", "speed-up", "of the hosts")
    table = titled_table(title, *columns, left=["links", "algorithm"], wrap=["algorithm"])
    for k, row in enumerate(rows):
        before, after = rows[k - 1] if k else None, rows[k + 1] if k + 1 < len(rows) else None
        new = before is None or (before.rate_bps, before.hosts) != (row.rate_bps, row.hosts)
        ran = "" if row.ran == row.algorithm else f": {row.ran}"
        table.add_row(
            format_rate(row.rate_bps) if new else "",
            str(row.hosts) if new else "",
            f"{row.algorithm}{ran}",
            format_seconds(row.seconds),
            format_seconds(row.bcast_seconds),
            f"{row.speed_up:.2f}",
            f"{row.speed_up / row.hosts:.0%}",
            end_section=after is not None and (after.rate_bps, after.hosts) != (row.rate_bps, row.hosts),
        )
    return table
