"""``trunkline bench``: measure collectives on the lab."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.bench.job import Limits
from trunkline.bench.session import Session, measure_with_progress
from trunkline.cli.app import App
from trunkline.cli.assumptions import tell_rate
from trunkline.cli.bench_learn import EXAMPLE, learning
from trunkline.cli.impair_options import impairable
from trunkline.cli.option_group import with_group
from trunkline.cli.options import (
    BudgetOption,
    CellsJsonOption,
    ClusterOption,
    DealtOption,
    HostsOption,
    LabRateOption,
    LeastOption,
    MostOption,
    MpisOption,
    RanksOnHostOption,
    ReportOption,
    RootOption,
    SizesOption,
    TestEveryOption,
    algorithms_option,
    tests_every_s,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.lab.impairments import Impairments
from trunkline.long_links import seats
from trunkline.mpi import ready_mpis
from trunkline.placement import root_rank
from trunkline.registry import chosen_algorithms
from trunkline.report.cells_table import cells_table
from trunkline.terminal import console
from trunkline.tune.tuner import load_tuning
from trunkline.units import parse_bench_sizes, parse_rate

app = App(help="Measure collectives on the emulated cluster.", no_args_is_help=True)


@dataclass(frozen=True)
class Calls:
    """How they are made.

    Attributes:
        forms: As :attr:`trunkline.bench.measure.Cell.form` has them.
    """

    forms: tuple[str, ...] = ("",)
    tests_every_s: float = 0.0
    settings: Mapping[str, str] = field(default_factory=dict)

    def collective(self, command: str) -> str:
        """Of ``bcast`` or ``ibcast``."""
        return command.removeprefix("i") if "start" in self.forms else command


def _nonblocking(overlap: bool, test_every: str, thread: bool) -> Calls:
    forms = ("", "start", "overlap") if overlap else ("", "start")
    settings = {"TRUNKLINE_PROGRESS": "thread"} if thread else {}
    return Calls(forms, tests_every_s(test_every), settings)


def _blocking(persistent: bool, in_a_row: int) -> Calls:
    forms = ("", *(("persistent",) if persistent else ()), *((f"row{in_a_row}",) if in_a_row else ()))
    return Calls(forms)


_BLOCKING = {
    "persistent": (
        Annotated[
            bool, typer.Option("--persistent", help="Also by MPI_Start, where the library has persistent calls.")
        ],
        False,
    ),
    "in_a_row": (
        Annotated[
            int,
            typer.Option(
                "--in-a-row",
                min=0,
                help="Also N calls behind each other, with nothing between them: the time of one; 0: none.",
                metavar="N",
            ),
        ],
        0,
    ),
}
_NONBLOCKING = {
    "overlap": (
        Annotated[
            bool,
            typer.Option(
                "--overlap",
                help="Also with work between start and MPI_Wait, for as long as the call takes by itself. Work is "
                "sleep: the lab's hosts share this machine's processors.",
            ),
        ],
        False,
    ),
    "test_every": (TestEveryOption, "1ms"),
    "thread": (
        Annotated[
            bool,
            typer.Option(
                "--thread",
                help="Calls go on by a thread, too (TRUNKLINE_PROGRESS), in a program with MPI_THREAD_MULTIPLE.",
            ),
        ],
        False,
    ),
}


def timed(
    context: typer.Context,
    cluster: ClusterOption,
    mpi: MpisOption,
    impairments: Impairments,
    calls: Calls,
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
    collective = calls.collective(str(context.info_name))
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
        calls.forms,
        calls.tests_every_s,
        calls.settings,
    )
    cells = measure_with_progress([session])
    console.print(cells_table(cells))
    write_json([cell.as_json() for cell in cells], json)
    if report:
        from trunkline.report.page import bench_page  # Matplotlib takes a second to load

        write_text(bench_page(cells), report)
        console.print(f"Report: {report}", markup=False, soft_wrap=True)


for collective in _core.collectives():
    facts = _core.facts_of(collective)
    app.command(
        collective,
        help=str(timed.__doc__).format(collective=facts.mpi_name),
        epilog=f"Example: trunkline bench {collective} --cluster cyclic --mpi mpich,openmpi --sizes 8KiB,1MiB "
        "--algorithms native,linear,auto --json out.json",
    )(impairable(with_group(timed, "calls", _BLOCKING, _blocking)))
    text = str(timed.__doc__).format(collective=f"{facts.nonblocking_name} and MPI_Wait beside {facts.mpi_name}")
    app.command(
        f"i{collective}",
        help=text,
        epilog=f"Example: trunkline bench i{collective} --cluster cyclic --mpi mpich,openmpi --sizes 64KiB,1MiB "
        "--overlap --algorithms native,auto --json out.json",
    )(impairable(with_group(timed, "calls", _NONBLOCKING, _nonblocking)))

app.command("learn", epilog=f"Example: {EXAMPLE}")(learning)
