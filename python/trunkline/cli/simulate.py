"""``trunkline simulate``: collectives on clusters that nobody has at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Optional

import typer
from rich.markup import escape
from rich.table import Table

from trunkline import _core
from trunkline.bench.cell import hidden_share
from trunkline.cli.app import App
from trunkline.cli.assumptions import host_words, rate_words, tell_rate
from trunkline.cli.options import (
    ByArrivalOption,
    ClusterOption,
    DealtOption,
    HostCostsOption,
    JsonOption,
    MpiOption,
    PlannedRanksOption,
    PlannedRootOption,
    RateOption,
    SizesOption,
    TestEveryOption,
    algorithms_option,
    multicasts_wanted,
    tests_every_s,
)
from trunkline.cli.output import check_outputs, write_json
from trunkline.cli.simulate_gains import gains, reasons
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import require_mpi
from trunkline.peers.simulated import Simulated, simulated_algorithms, simulated_plan
from trunkline.placement import root_rank
from trunkline.planned import placement_for, plan_for_job
from trunkline.predict import decide_all, host_costs_given, load_measurement
from trunkline.simulate.compare import Pair, check_comparable, compared, load_bench, rate_of
from trunkline.simulate.engine import SMALL_JOB, Job, processor_times
from trunkline.simulate.rows import LeftOut, Row, parts_of, simulate_all
from trunkline.terminal import console, progress_bar, tell, titled_table
from trunkline.units import format_bytes, format_seconds, parse_rate, parse_sizes, parse_time

LOSSY_CALLS = 25
"""Where the network loses datagrams, calls take different times."""

LARGE_RACE = 10.0
"""Simulating to its end what is ten times slower takes hours on a thousand hosts, and says little more."""

app = App(help="Simulate collectives with SimGrid, to thousands of hosts.", no_args_is_help=True)


def simulated(
    context: typer.Context,
    cluster: ClusterOption,
    sizes: SizesOption = "64KiB,1MiB",
    algorithms: Annotated[
        str,
        algorithms_option(
            "'auto', 'native' (what --mpi runs by itself), algorithms of 'trunkline algorithms' (NAME:SEGMENT "
            "fixes the segment), what mpich and openmpi run by themselves, SimGrid's rules for mvapich2, intelmpi, "
            "smpi-mpich and smpi-openmpi, and 'pipelined': all of SMPI's own pipelined ones."
        ),
    ] = "auto,mpich,openmpi",
    mpi: MpiOption = "mpich",
    rate: RateOption = None,
    root: PlannedRootOption = None,
    ranks_per_host: PlannedRanksOption = None,
    dealt: DealtOption = False,
    plan: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            help="A plan of one's own, or a set of plans, before the algorithms: its root and hosts count where the "
            "options say nothing.",
        ),
    ] = None,
    measured: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Tables of 'trunkline measure': processor times of messages.")
    ] = None,
    host_costs: HostCostsOption = "",
    by_arrival: ByArrivalOption = False,
    race: Annotated[
        Optional[float],
        typer.Option(
            min=0,
            help="Give an algorithm up at a size once it has taken N times as long as the fastest before it; 0: none. "
            f"Default: {LARGE_RACE:g} beyond {SMALL_JOB} ranks, else 0.",
        ),
    ] = None,
    calls: Annotated[
        Optional[int],
        typer.Option(
            min=1,
            metavar="N",
            help="Calls of each size, of which it says the median. Default: 1; "
            f"{LOSSY_CALLS} where the cluster file has impairments, since datagrams get lost.",
        ),
    ] = None,
    overlap: Annotated[
        Optional[str],
        typer.Option(
            metavar="TIME",
            help="Plans run once more, started by the form that does not block, with work beside them for so long: how "
            "much of the call it hides.",
        ),
    ] = None,
    test_every: TestEveryOption = "1ms",
    compare: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="What 'bench COLLECTIVE --json' wrote: simulate at its rate, print both."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run {collective} by the preload library's own code and by others' algorithms on simulated hosts."""
    collective = str(context.info_name)
    check_outputs({"--json": json})
    if by_arrival and collective != "allreduce":
        raise BadInput("--by-arrival: ranks of a host combine allreduces so, and nothing else; leave it out")
    work_s = parse_time(overlap) if overlap else 0.0
    if work_s > 0.0 and by_arrival:
        raise BadInput("--overlap: ranks that combine by arrival do so in calls that block; leave --by-arrival out")
    bench = load_bench(compare) if compare else None
    network = load_cluster(cluster)
    rate_bps = parse_rate(rate) if rate else rate_of(bench) if bench else None
    if rate_bps:
        tell_rate(network, rate_bps)
        network = _core.scaled(network, rate_bps)
    own = plan_for_job(plan, collective, root)
    placement = placement_for(network, own, plan, ranks_per_host, dealt=dealt)
    library = require_mpi(mpi)
    wanted = simulated_algorithms(collective, algorithms.split(","), library.native_library)
    if plan is not None:
        wanted = [simulated_plan(plan), *wanted]
    options: dict[str, str] = {}
    if measured:
        if host_costs not in ("", "free"):
            raise BadInput("--measured and --host-costs both say what messages cost: give one of them")
        tables = load_measurement(measured, network)
        options, host_costs = processor_times(tables), _core.with_datagrams("free", tables)
    costs = host_costs_given(host_costs, _core.host_costs_of(library.counts_as, library.version))
    start = root_rank(network, placement, root or str(own.plan.root if own else 0))
    if calls is None:
        calls = LOSSY_CALLS if _core.has_impairments(network) else 1
    lengths = parse_sizes(sizes)
    job = Job(
        *(collective, network, placement, start, lengths, options, costs, library.native_library, calls),
        by_arrival=by_arrival,
        work_s=work_s,
        tests_every_s=tests_every_s(test_every),
    )
    if race is None:
        race = LARGE_RACE if len(placement) > SMALL_JOB else 0.0
    if bench is not None:
        check_comparable(bench, job, {one.name for one in wanted}, set(job.sizes), dealt=dealt)
    if plan is not None:
        for _ in parts_of(job, wanted[0], lambda _: None):  # what is wrong with it is said before anything is shown
            pass
    left_out: list[LeftOut] = []
    rows = _simulate_with_progress(job, wanted, race, left_out)
    write_json([row.as_json() for row in rows], json)
    about = "measured processor times" if measured else host_words(costs)
    title = (
        f"{escape(network.name)}, {len(placement)} ranks, {rate_words(network)}, {library.name}; {about}: simulated "
    )
    title += _core.facts_of(collective).mpi_name + (f", median of {calls} calls" if calls > 1 else "")
    title += ", combined by arrival" if by_arrival else ""
    console.print(_rows_table(title, job, rows, left_out))
    for line in reasons(left_out):
        console.print(line, style="dim", markup=False, highlight=False)
    for line in _multicasts_of_long_jobs(job, [one.name for one in wanted]):
        tell(line, style="dim")
    if bench is not None:
        console.print(_pairs_table(compared(rows, bench)))


for collective in _core.collectives():
    app.command(
        collective,
        help=str(simulated.__doc__).format(collective=_core.facts_of(collective).mpi_name),
        epilog=f"Example: trunkline simulate {collective} --cluster random:256x16 --sizes 1MiB "
        "--algorithms auto,linear,mpich,openmpi --json sim.json",
    )(simulated)
app.command(
    epilog="Example: trunkline simulate gains --cluster cyclic --rate 20Mbit,1Gbit,10Gbit,100Gbit --svg gains.svg"
)(gains)


def _multicasts_of_long_jobs(job: Job, algorithms: Sequence[str]) -> Iterator[str]:
    """What a job with more calls would run instead of the simulated ``auto``, which opens no multicast group."""
    if "auto" not in algorithms or not multicasts_wanted():
        return
    knowledge = _core.Knowledge(job.cluster, job.library, "", "", host_costs=job.host_costs)
    decisions = decide_all(job.collective, knowledge, job.placement, job.root, job.sizes)
    starts = [(one.message_bytes, one.instead.calls + 1) for one in decisions if one.instead is not None]
    later = [
        f"{format_bytes(size)} from {'the first call' if call == 1 else f'call {call}'} on" for size, call in starts
    ]
    if later:
        yield (
            f"auto opens no multicast group for so few calls. In a job it multicasts {', '.join(later)}, on each "
            "communicator, where datagrams reach all hosts: simulate 'multicast' to see that."
        )


def _simulate_with_progress(
    job: Job, algorithms: Sequence[Simulated], race: float, left_out: list[LeftOut]
) -> list[Row]:
    with progress_bar(len(algorithms) * len(job.sizes), f"simulating {algorithms[0].name}") as bar:

        def advance(algorithm: Simulated, _size: int) -> None:
            bar.show(f"simulating {algorithm.name}", done=1)

        def leave_out(case: LeftOut) -> None:
            left_out.append(case)
            bar.show(done=1)

        return simulate_all(job, algorithms, race, advance, leave_out)


def _rows_table(title: str, job: Job, rows: Sequence[Row], left_out: Sequence[LeftOut]) -> Table:
    overlaps = job.work_s > 0.0
    beside_work = [f"with {format_seconds(job.work_s)} of work", "hidden"] if overlaps else []
    table = titled_table(
        title,
        *("size", "T(m)", "algorithm", "time", "over T", "over bound", *beside_work, "simulated in"),
        left=["algorithm"],
        wrap=["algorithm"],
    )
    for size in sorted(job.sizes):
        own = [row for row in rows if row.message_bytes == size]
        limit = format_seconds(own[0].limit_seconds) if own else ""
        head = (format_bytes(size), limit)
        lines = [_row_words(row, overlaps) for row in own]
        lines += [[one.algorithm, "-"] for one in left_out if one.message_bytes == size]
        for k, line in enumerate(lines):
            table.add_row(*(head if k == 0 else ("", "")), *line, end_section=k == len(lines) - 1)
    return table


def _row_words(row: Row, overlaps: bool) -> list[str]:
    more = "> " if row.gave_up else ""
    segment = f", {row.segment_bytes} B" if row.segment_bytes else ""
    return [
        f"{row.algorithm}{_what_ran(row)}{segment}",
        f"{more}{format_seconds(row.seconds_median)}",
        f"{more}{row.seconds_median / row.limit_seconds:.2f}",
        f"{more}{row.seconds_median / row.bound_seconds:.2f}",
        *(_beside_work(row) if overlaps else ()),
        format_seconds(row.wall_seconds),
    ]


def _beside_work(row: Row) -> tuple[str, str]:
    if row.overlapped_seconds is None or row.work_seconds is None:
        return "", ""
    hidden = hidden_share(row.seconds_median, row.overlapped_seconds, row.work_seconds)
    return format_seconds(row.overlapped_seconds), f"{hidden:.0%}"


def _what_ran(row: Row) -> str:
    """What an algorithm chose; nothing where it is what its name says, or where nobody says what it is."""
    if row.native_algorithm:
        return f": {'native, ' if row.algorithm == 'auto' else ''}{row.native_algorithm}"
    return "" if row.ran in (row.algorithm.partition(":")[0], "", "native") else f": {row.ran}"


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
