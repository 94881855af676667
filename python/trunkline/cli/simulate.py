"""``trunkline simulate``: collectives on clusters that nobody has at hand."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.cli.options import ClusterOption, JsonOption, RanksOnHostOption, SizesOption
from trunkline.cli.output import check_outputs, write_json
from trunkline.cli.predict import RateOption, RootOption
from trunkline.cli.simulate_gains import gains
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.peers.simulated import PIPELINED, SELECTORS, Simulated, simulated_algorithms
from trunkline.placement import bounded_placement, root_rank
from trunkline.predict import load_measurement
from trunkline.simulate.calibration import known_host_costs, processor_times
from trunkline.simulate.compare import Pair, check_comparable, compared, load_bench, rate_of
from trunkline.simulate.engine import SMALL_JOB, Job
from trunkline.simulate.rows import Row, simulate_all
from trunkline.terminal import console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_rate, parse_sizes

__all__ = ["app"]

LARGE_RACE = 10.0
"""Simulating to its end what is ten times slower takes hours on a thousand hosts, and says little more."""

app = typer.Typer(help="Simulate collectives with SimGrid, to thousands of hosts.", no_args_is_help=True)


@app.callback()
def _simulate() -> None:
    pass


def simulated(
    context: typer.Context,
    cluster: ClusterOption,
    sizes: SizesOption = "64KiB,1MiB",
    algorithms: Annotated[
        str,
        typer.Option(
            help="'auto', algorithms of 'trunkline algorithms' (NAME:SEGMENT fixes the segment), the choices of mpich, "
            "ompi, mvapich2, impi, and 'pipelined': all of SMPI's own pipelined ones."
        ),
    ] = "auto,mpich,ompi",
    rate: RateOption = None,
    root: RootOption = "0",
    ranks_per_host: RanksOnHostOption = 1,
    measured: Annotated[
        str | None, typer.Option(metavar="FILE", help="Tables of 'trunkline measure': processor times of messages.")
    ] = None,
    host_costs: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What messages cost their hosts: free, or as measured with a library: mpich, mpich-5, openmpi.",
        ),
    ] = "free",
    race: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Give an algorithm up at a size once it has taken so many times the fastest before it; 0: none. "
            f"Default: {LARGE_RACE:g} beyond {SMALL_JOB} ranks, else 0.",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What 'bench COLLECTIVE --json' wrote: simulate at its rate, print both."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run {collective} by the preload library's own code and by others' algorithms on simulated hosts."""
    collective = str(context.info_name)
    check_outputs({"--json": json})
    bench = load_bench(compare) if compare else None
    network = load_cluster(cluster)
    rate_bps = parse_rate(rate) if rate else rate_of(bench) if bench else None
    if rate_bps:
        network = _core.scaled(network, rate_bps)
    placement = bounded_placement(network, ranks_per_host)
    wanted = simulated_algorithms(collective, algorithms.split(","))
    options: dict[str, str] = {}
    if measured:
        if host_costs != "free":
            raise BadInput("--measured and --host-costs both say what messages cost: give one of them")
        options = processor_times(load_measurement(measured, network))
    start = root_rank(network, placement, root)
    job = Job(collective, network, placement, start, parse_sizes(sizes), options, known_host_costs(host_costs).name)
    if race is None:
        race = LARGE_RACE if len(placement) > SMALL_JOB else 0.0
    if bench is not None:
        check_comparable(bench, job, {one.name for one in wanted}, set(job.sizes))
    rows = _simulate_with_progress(job, wanted, race)
    if json:
        write_json([row.as_json() for row in rows], json)
    console.print(_rows_table(rows))
    if bench is not None:
        console.print(_pairs_table(compared(rows, bench)))


for collective in _core.collectives():
    app.command(
        collective,
        help=str(simulated.__doc__).format(collective=_core.mpi_name(collective)),
        epilog=f"Example: trunkline simulate {collective} --cluster random:256x16 --sizes 1MiB "
        "--algorithms auto,linear,mpich,ompi --json sim.json",
    )(simulated)
app.command(
    epilog="Example: trunkline simulate gains --cluster cyclic --rates 20Mbit,1Gbit,10Gbit,100Gbit --svg gains.svg"
)(gains)


def _simulate_with_progress(job: Job, algorithms: Sequence[Simulated], race: float) -> list[Row]:
    with progress_bar(len(algorithms) * len(job.sizes), f"simulating {algorithms[0].name}") as bar:

        def advance(one: Simulated, size: int) -> None:
            following = algorithms[min(algorithms.index(one) + (size == job.sizes[-1]), len(algorithms) - 1)]
            bar.show(f"simulating {following.name}", done=1)

        return simulate_all(job, algorithms, race, advance)


def _rows_table(rows: Sequence[Row]) -> Table:
    first = rows[0]
    table = titled_table(
        f"{escape(first.cluster)} at {format_rate(first.rate_bps)}, {first.ranks} ranks: simulated "
        + _core.mpi_name(first.collective),
        *("size", "T(m)", "algorithm", "time", "over T", "over bound", "simulated in"),
        left=["algorithm"],
        wrap=["algorithm"],
    )
    by_size = sorted(rows, key=lambda row: row.message_bytes)
    for size, group in groupby(by_size, key=lambda row: row.message_bytes):
        own = list(group)
        for k, row in enumerate(own):
            head = (format_bytes(size), format_seconds(row.limit_seconds)) if k == 0 else ("", "")
            more = "> " if row.gave_up else ""
            segment = f", {row.segment_bytes} B" if row.segment_bytes else ""
            table.add_row(
                *head,
                f"{row.algorithm}{_what_ran(row)}{segment}",
                f"{more}{format_seconds(row.seconds_median)}",
                f"{more}{row.seconds_median / row.limit_seconds:.2f}",
                f"{more}{row.seconds_median / row.bound_seconds:.2f}",
                format_seconds(row.wall_seconds),
                end_section=k == len(own) - 1,
            )
    return table


def _what_ran(row: Row) -> str:
    """What an algorithm chose, ``native`` included; nothing where it is what its name says."""
    if row.ran in (row.algorithm.partition(":")[0], "") or row.algorithm in (
        *SELECTORS,
        *PIPELINED.get(row.collective, ()),
    ):
        return ""
    return f": {row.ran}"


def _pairs_table(pairs: Sequence[Pair]) -> Table:
    columns = ("MPI", "size", "algorithm", "lab", "over T", "simulated", "over T", "simulated / lab")
    table = titled_table("Lab and simulation", *columns, left=["MPI", "algorithm"])
    for pair in pairs:
        row = pair.simulated
        table.add_row(
            pair.mpi,
            format_bytes(pair.message_bytes),
            pair.algorithm,
            format_seconds(pair.lab_seconds),
            f"{pair.lab_seconds / pair.lab_limit_seconds:.2f}",
            format_seconds(row.seconds_median),
            f"{row.seconds_median / row.limit_seconds:.2f}",
            f"{pair.ratio:.2f}",
        )
    return table
