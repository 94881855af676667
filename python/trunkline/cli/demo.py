"""``trunkline demo``: the main job on the lab."""

from typing import Annotated

import typer

from trunkline.bench.job import Limits
from trunkline.bench.session import Session, measure_with_progress
from trunkline.cli.options import CellsJsonOption, LabRateOption
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.mpi import ready_mpis
from trunkline.report.cells_table import cells_table
from trunkline.terminal import console


def demo(
    rate: LabRateOption = "auto",
    json: CellsJsonOption = None,
    report: Annotated[str, typer.Option(metavar="FILE", help="Where the HTML page goes.")] = "trunkline-demo.html",
) -> None:
    """Broadcast 64 KiB and 1 MiB to 32 emulated hosts on four switches: MPICH and Open MPI, native and with Trunkline.

    The program is the same in both cases, and so is the MPI library; Trunkline is preloaded.
    """
    check_outputs({"--json": json, "--report": report})
    limits = Limits(least=3, most=15, budget_s=3.0)
    mpis = ready_mpis("mpich,openmpi")
    sessions = [
        Session(load_cluster(name), mpis, "bcast", [64 << 10, 1 << 20], ["native", "auto"], limits, rate)
        for name in ("cyclic", "paper-4")
    ]
    cells = measure_with_progress(sessions)
    console.print(cells_table(cells))
    write_json([cell.as_json() for cell in cells], json)
    from trunkline.report.page import demo_page  # Matplotlib takes a second to load

    write_text(demo_page(cells, [session.cluster for session in sessions]), report)
    console.print(f"Report, with the plans that ran drawn over the switches: {report}")
