"""``trunkline_papers bench gsum``: the allreduce paper's benchmark with its plans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import __version__
from trunkline.cli.options import (
    CellsJsonOption,
    ClusterOption,
    LabRateOption,
    MpisOption,
    TunedPlanOption,
    sizes_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import ready_mpis
from trunkline.placement import hosts_used
from trunkline.plan_sets import by_size
from trunkline.temporary import temporary_folder
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds
from trunkline_papers.allreduce.gsum import GsumCell, GsumJob, parse_gsum_sizes, ranks_on_hosts
from trunkline_papers.allreduce.tuned import PLANS, TUNED, measure_gsum

__all__ = ["gsum"]


def gsum(
    cluster: ClusterOption,
    mpi: MpisOption,
    plans: Annotated[
        str,
        typer.Option(
            help="'initial', the paper's first plan; 'tuned', the fastest that is found for each size; 'native'; and "
            "files of plans or sets, such as plan.yaml."
        ),
    ] = "initial,tuned,native",
    sizes: Annotated[str, sizes_option("Message sizes, whole 4-byte integers, separated by commas.")] = "4,256",
    ranks_per_host: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ranks on each host; default: the paper's, else 1.")
    ] = None,
    rate: LabRateOption = "auto",
    iterations: Annotated[
        int, typer.Option(min=1, help="How often a job calls both allreduces; the paper: 20000 to 25000.")
    ] = 50,
    turns: Annotated[int, typer.Option(min=1, max=1000, help="Jobs of each plan, in turns.")] = 7,
    tuned_plan: TunedPlanOption = None,
    json: CellsJsonOption = None,
) -> None:
    """Time global sums of two alternating allreduces: plans against each other and against MPI as it is."""
    check_outputs({"--json": json, "--tuned-plan": tuned_plan})
    wanted = _wanted(plans, tuned_plan)
    network = load_cluster(cluster)
    libraries = ready_mpis(mpi)
    message_bytes = parse_gsum_sizes(sizes)
    ranks_on = ranks_on_hosts(network, ranks_per_host)
    hosts_used(network, None)  # told before a lab is up
    cells: list[GsumCell] = []
    with progress_bar(None, f"{network.name}: looking for a rate") as bar, temporary_folder("gsum") as folder:
        rate_bps = lab_rate(network, rate)
        with Lab(network, rate_bps=rate_bps) as lab:
            for library in libraries:
                job = GsumJob(lab, library, ranks_on, message_bytes, iterations)
                where = f"{network.name} at {format_rate(rate_bps)}, {library.name}"

                def show(plan: str, where: str = where) -> None:
                    bar.show(f"{where}: {plan}", done=1)

                found = measure_gsum(job, wanted, turns, folder, show)
                cells += found[0]
                if tuned_plan:
                    best = {size: found[1][TUNED, size].file for size in message_bytes}
                    about = f"trunkline_papers bench gsum {__version__}, {library.name}, {format_rate(rate_bps)}"
                    write_text(by_size(best, about), tuned_plan)
    console.print(_table(cells))
    if json:
        write_json([cell.as_json() for cell in cells], json)


def _wanted(plans: str, tuned_plan: str | None) -> list[str]:
    wanted = list(dict.fromkeys(word.strip() for word in plans.split(",")))
    for word in wanted:
        if word not in PLANS and not Path(word).exists():
            raise BadInput(f"--plans: there is no '{word}'; there are: {', '.join(PLANS)}, and files of plans")
    if tuned_plan and TUNED not in wanted:
        raise BadInput("--tuned-plan: nothing is tuned; add 'tuned' to --plans")
    return wanted


def _table(cells: list[GsumCell]) -> Table:
    first = cells[0]
    place = f"{escape(first.cluster)} at {format_rate(first.rate_bps)}, {first.ranks} ranks"
    columns = ("MPI", "size", "plan", "shape", "an allreduce", "95 %", "over\ninitial", "over\nnative", "n")
    words = ("MPI", "plan", "shape")
    table = titled_table(f"{place}: Gsum, median of jobs", *columns, left=words, wrap=words)
    for cell in cells:
        below = (cell.seconds_median - cell.seconds_low) / cell.seconds_median
        above = (cell.seconds_high - cell.seconds_median) / cell.seconds_median
        table.add_row(
            cell.mpi,
            format_bytes(cell.message_bytes),
            cell.algorithm,
            cell.ran,
            format_seconds(cell.seconds_median),
            f"-{below * 100:.0f} +{above * 100:.0f}%",
            f"{cell.over_initial:.2f}" if cell.over_initial else "",
            f"{cell.over_native:.2f}" if cell.over_native else "",
            str(cell.repetitions),
        )
    return table
