"""``trunkline_papers bench model``: predictions beside what was measured."""

from __future__ import annotations

from typing import Annotated

import typer

from trunkline import _core
from trunkline.bench.job import Limits, Repetition
from trunkline.cli.options import (
    BudgetOption,
    ClusterOption,
    CollectiveOption,
    JsonOption,
    LabRateOption,
    LeastOption,
    MostOption,
    RanksOnHostOption,
    SizesOption,
    SvgOption,
    algorithms_option,
    mpi_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import ready_mpi
from trunkline.placement import hosts_used
from trunkline.predict import read_measurement, tables_of
from trunkline.registry import chosen_algorithms
from trunkline.terminal import console, progress_bar
from trunkline.units import format_rate, parse_bench_sizes, parse_segment
from trunkline_papers.pipelined.model import MOST_SERIES, validate
from trunkline_papers.pipelined.model_tables import parameters_table, pieces_table, segments_tables

__all__ = ["model"]

SIZES = "8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB"
"""Those of the paper's table 3."""
SEGMENTS = "256,512,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB"
"""Those of the paper's tables 2 to 4."""


def model(
    cluster: ClusterOption,
    mpi: Annotated[str, mpi_option("The MPI library: mpich, openmpi, mpich-5.0.2, ...")],
    collective: CollectiveOption = "bcast",
    sizes: SizesOption = SIZES,
    segments: Annotated[
        str, typer.Option(metavar="SIZE,...", help="Segments that are measured beside the model's own.")
    ] = SEGMENTS,
    algorithms: Annotated[
        str, algorithms_option("Trees of 'trunkline algorithms', separated by commas: linear, binary, two-tree, ...")
    ] = "linear,binary",
    measured: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Predict from tables of 'trunkline measure', not from the stated rates."),
    ] = None,
    rate: LabRateOption = "auto",
    ranks_per_host: RanksOnHostOption = 1,
    least: LeastOption = 5,
    most: MostOption = 20,
    budget: BudgetOption = 4.0,
    json: JsonOption = None,
    svg: SvgOption = None,
) -> None:
    """Measure trees with many segments on the lab and tell how far off the model's times and segments are.

    Prints what tables 2 to 4 of the journal paper on pipelined broadcast do, with the paper's own figures beside, and
    draws its figure 11.
    """
    check_outputs({"--json": json, "--svg": svg})
    names = chosen_algorithms(collective, algorithms.split(","))
    if odd := [name for name in names if name in ("native", "auto") or ":" in name]:
        raise BadInput(f"--algorithms: '{odd[0]}' has no segments to compare; name trees, such as linear,binary")
    pieces = sorted({parse_segment(text, "--segments") for text in segments.split(",")})
    wanted = sorted(parse_bench_sizes(sizes))
    if len(names) * (len(pieces) + 1) > MOST_SERIES:
        raise BadInput(
            f"{len(names)} algorithms with {len(pieces)} segments and the model's own are too many for one run; "
            f"at most {MOST_SERIES} together: name fewer algorithms or --segments"
        )
    library, network = ready_mpi(mpi), load_cluster(cluster)
    hosts_used(network, None)  # told before a lab is up
    if measured:
        read_measurement(measured, [library])  # its faults are told before a rate is looked for
    limits = Limits(least=least, most=max(least, most), budget_s=budget)
    with progress_bar(None, f"{network.name}: looking for a rate") as bar:
        rate_bps = lab_rate(network, rate)
        tables = tables_of(measured, _core.scaled(network, rate_bps), [library])
        with Lab(network, rate_bps=rate_bps) as lab:
            tell_message_cost(lab, len(network.hosts) * ranks_per_host)
            where = f"{network.name} at {format_rate(rate_bps)}, {library.name}"
            total = len(wanted) * len(names) * len(pieces)

            def show(repetition: Repetition) -> None:
                bar.show(f"{where}: {repetition.text}", done=repetition.decided, total=total)

            verdicts = validate(lab, library, collective, wanted, names, pieces, limits, ranks_per_host, tables, show)
    if json:
        write_json([verdict.as_json() for verdict in verdicts], json)
    if tables is not None:
        console.print(parameters_table(tables, rate_bps))
        console.print(pieces_table(tables, verdicts))
    console.print(segments_tables(verdicts))
    if svg:
        from trunkline_papers.pipelined.charts import segment_curves  # Matplotlib takes a second to load

        write_text(segment_curves(verdicts), svg)
