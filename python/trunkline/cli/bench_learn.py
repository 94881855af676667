"""``trunkline bench learn``: what a job loses and gains that tries out what is fastest."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.bench.learning import WRONGS, Learned, learn, wrong_text
from trunkline.cli.assumptions import tell_rate
from trunkline.cli.options import (
    ClusterOption,
    HostsOption,
    JsonOption,
    LabRateOption,
    MpisOption,
    RanksOnHostOption,
    SizesOption,
)
from trunkline.cli.output import check_outputs, write_json
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.long_links import seats
from trunkline.mpi import ready_mpis
from trunkline.terminal import Table, console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_bench_sizes, parse_rate

__all__ = ["EXAMPLE", "learning"]

COLLECTIVES = ("allreduce", "bcast", "allgather")
EXAMPLE = "trunkline bench learn --cluster paper-4 --mpi mpich --collective allreduce --sizes 8KiB --json out.json"


def _table(jobs: list[Learned]) -> Table:
    words = ("MPI", "file", "predicted", "found")
    numbers = ("settled after", "native", "at the end", "over native", "lost")
    columns = ("MPI", "size", "file", "predicted", "found", *numbers)
    table = titled_table("A call beside native ones, in turns", *columns, left=words)
    for job in jobs:
        table.add_row(
            job.mpi,
            format_bytes(job.message_bytes),
            job.wrong or "right",
            job.first,
            job.runs,
            f"{job.settled_after} calls" if job.settled_after else "not",
            format_seconds(job.native_call_ms / 1e3),
            format_seconds(job.settled_ms / 1e3),
            f"{job.over_native:.2f}",
            f"{job.lost_ms / 1e3:.2f} s",
        )
    return table


def learning(
    cluster: ClusterOption,
    mpi: MpisOption,
    collective: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(COLLECTIVES)}.")] = "allreduce",
    sizes: SizesOption = "8KiB,64KiB",
    batches: Annotated[int, typer.Option(min=4, max=1000, help="Batches of ten calls, each way.")] = 30,
    wrong: Annotated[
        Optional[str],
        typer.Option(
            metavar="WHAT",
            help="Give the job a cluster file that is wrong: 'swapped' (two switches stand in each other's place) or "
            "'tenfold' (links are said to be ten times as fast).",
        ),
    ] = None,
    rate: LabRateOption = "auto",
    ranks_per_host: RanksOnHostOption = 1,
    hosts: HostsOption = None,
    json: JsonOption = None,
) -> None:
    """Run jobs that find out what is fastest (TRUNKLINE_LEARN), and what that costs and saves beside native calls."""
    check_outputs({"--json": json})
    if collective not in COLLECTIVES:
        raise BadInput(f"--collective: '{collective}' is none of {', '.join(COLLECTIVES)}")
    if wrong and wrong not in WRONGS:
        raise BadInput(f"--wrong: '{wrong}' is none of {', '.join(WRONGS)}")
    libraries = ready_mpis(mpi)
    network = load_cluster(cluster)
    ranks = len(seats(network, ranks_per_host, hosts))  # told before a lab is up
    if wrong:
        wrong_text(_core.write_cluster(network), wrong)  # so too
    tell_rate(network, None if rate == "auto" else parse_rate(rate))
    wanted = parse_bench_sizes(sizes)
    jobs: list[Learned] = []
    with progress_bar(len(libraries) * len(wanted)) as bar:
        bar.show(f"{network.name}: looking for the highest true rate")
        rate_bps = lab_rate(network, rate)
        with Lab(network, rate_bps) as lab:
            where = f"{network.name} at {format_rate(rate_bps)}"
            bar.show(f"{where}: what messages cost")
            tell_message_cost(lab, ranks)
            for library in libraries:
                for size in wanted:
                    bar.show(f"{where}, {library.name}: {collective} of {format_bytes(size)}")
                    job = learn(
                        lab,
                        library,
                        collective,
                        size,
                        batches,
                        ranks_per_host=ranks_per_host,
                        hosts=hosts,
                        wrong=wrong or "",
                    )
                    jobs.append(job)
                    bar.show(f"{where}, {library.name}: {collective} of {format_bytes(size)}", done=True)
        bar.show("done")
    console.print(_table(jobs))
    if json:
        write_json([job.as_json() for job in jobs], json)
