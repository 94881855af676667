"""``trunkline bench learn``: what a job loses and gains that tries out what is fastest."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Annotated, Optional

import typer

from trunkline import _core
from trunkline.bench.learning import WRONGS, Learned, learn, read_learned, wrong_text
from trunkline.cli.assumptions import tell_rate
from trunkline.cli.options import (
    HostsOption,
    JsonOption,
    LabRateOption,
    OptionalClusterOption,
    RanksOnHostOption,
    ReportOption,
    SizesOption,
    mpi_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.long_links import seats
from trunkline.mpi import ready_mpis, require_mpi
from trunkline.predict import host_costs_given
from trunkline.simulate.engine import Job
from trunkline.simulate.learning import simulated_learning
from trunkline.terminal import Table, console, progress_bar, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_bench_sizes, parse_rate

NOISE = 0.1
COLLECTIVES = ("allreduce", "bcast", "allgather")
EXAMPLE = "trunkline bench learn --cluster paper-4 --mpi mpich --collective allreduce --sizes 8KiB --json out.json"


def learning_page(jobs: Sequence[Learned]) -> str:
    """A picture of each job, and a table of all."""
    from trunkline.report.chart import learning_picture  # Matplotlib takes a second to load
    from trunkline.report.page import render

    rows = [{**_row(job), "picture": learning_picture(job), "words": _words(job)} for job in jobs]
    return render("learn.html.j2", [], jobs=rows, rows=dumps([job.as_json() for job in jobs]))


def _words(job: Learned) -> str:
    wrong = f", cluster file {job.wrong}" if job.wrong else ""
    found = f"{job.runs} was found" if job.settled_after else f"not settled, {job.runs} at the end"
    name = _core.facts_of(job.collective).mpi_name
    where = f"{job.ranks} ranks on {job.cluster} at {format_rate(job.rate_bps)}{wrong}"
    where += f", {job.by}, noise {job.noise or 0:g}" if job.by != "lab" else ""
    return f"{name} of {format_bytes(job.message_bytes)}, {job.mpi}, {where}: {job.first} was predicted, {found}"


def _row(job: Learned) -> dict[str, str]:
    return {
        "mpi": job.mpi,
        "size": format_bytes(job.message_bytes),
        "calls": f"{job.collective} {format_bytes(job.message_bytes)}, {job.mpi}",
        "file": job.wrong or "right",
        "first": job.first,
        "runs": job.runs,
        "settled_after": f"{job.settled_after} calls" if job.settled_after else "not",
        "native": format_seconds(job.native_call_ms / 1e3),
        "settled": format_seconds(job.settled_ms / 1e3),
        "over_native": f"{job.over_native:.2f}",
        "lost": f"{job.lost_ms / 1e3:.2f} s",
        "regret": f"{job.regret_ms / 1e3:.2f} s",
    }


def _table(jobs: Sequence[Learned]) -> Table:
    words = ("MPI", "file", "predicted", "found")
    numbers = ("settled after", "native", "at the end", "over native", "lost", "beside the best")
    columns = ("MPI", "size", "file", "predicted", "found", *numbers)
    table = titled_table("A call beside native ones, in turns", *columns, left=words)
    for job in jobs:
        row = _row(job)
        table.add_row(*(row[name] for name in row if name != "calls"))
    return table


def learning(
    cluster: OptionalClusterOption = None,
    mpi: Annotated[Optional[str], mpi_option("MPI libraries, separated by commas.", several=True)] = None,
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
    kept: Annotated[
        Optional[str],
        typer.Option("--from", metavar="FILE", help="Run nothing: take what --json wrote before, for --report."),
    ] = None,
    simulate: Annotated[
        bool,
        typer.Option(
            "--simulate",
            help="Not on the lab: a job's own trials, of calls that take what SimGrid says, scattered by --noise. No "
            "multicasts; what ranks tell each other costs nothing.",
        ),
    ] = False,
    noise: Annotated[
        Optional[float],
        typer.Option(
            min=0,
            max=10,
            metavar="PART",
            help=f"With --simulate: deviation of the logarithm of a call's time; default {NOISE:g}, a tenth of it.",
        ),
    ] = None,
    json: JsonOption = None,
    report: ReportOption = None,
) -> None:
    """Run jobs that find out what is fastest (TRUNKLINE_LEARN), and what that costs and saves beside native calls.

    The page of --report has a picture of each job: what its calls took until all was settled, what they lost on the
    way beside native calls and beside the best, and what they may lose.
    """
    check_outputs({"--json": json, "--report": report})
    if kept:
        _tell(read_learned(kept), json, report)
        return
    if not cluster or not mpi:
        raise BadInput("say where to run jobs: --cluster and --mpi; or --from FILE with what --json wrote before")
    if collective not in COLLECTIVES:
        raise BadInput(f"--collective: '{collective}' is none of {', '.join(COLLECTIVES)}")
    if wrong and wrong not in WRONGS:
        raise BadInput(f"--wrong: '{wrong}' is none of {', '.join(WRONGS)}")
    if noise is not None and not simulate:
        raise BadInput("--noise is for --simulate: the lab's times scatter by themselves; leave it out")
    network = load_cluster(cluster)
    if simulate:
        jobs = _simulated(network, mpi, collective, sizes, batches, wrong or "", rate, ranks_per_host, hosts, noise)
        _tell(jobs, json, report)
        return
    libraries = ready_mpis(mpi)
    ranks = len(seats(network, ranks_per_host, hosts))  # told before a lab is up
    if wrong:
        wrong_text(_core.write_cluster(network), wrong)  # so too
    tell_rate(network, None if rate == "auto" else parse_rate(rate))
    wanted = parse_bench_sizes(sizes)
    jobs = []
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
    _tell(jobs, json, report)


def _simulated(
    network: _core.Cluster,
    mpi: str,
    collective: str,
    sizes: str,
    batches: int,
    wrong: str,
    rate: str,
    ranks_per_host: int,
    hosts: int | None,
    noise: float | None,
) -> list[Learned]:
    """Links have the file's rates, or others in proportion."""
    rate_bps = None if rate == "auto" else parse_rate(rate)
    tell_rate(network, rate_bps)
    network = _core.scaled(network, rate_bps) if rate_bps else network
    told = _core.parse_cluster(wrong_text(_core.write_cluster(network), wrong), "") if wrong else None
    placement = seats(network, ranks_per_host, hosts)
    lengths = parse_bench_sizes(sizes)
    libraries = [require_mpi(name.strip()) for name in mpi.split(",")]
    jobs: list[Learned] = []
    with progress_bar(None) as bar:
        for library in libraries:
            costs = host_costs_given("", _core.host_costs_of(library.counts_as, library.version))
            job = Job(collective, network, placement, 0, lengths, {}, costs, library.native_library, told=told)
            show = lambda words, name=library.name: bar.show(f"{network.name}, {name}: {words}", done=1)  # noqa: E731
            spread = NOISE if noise is None else noise
            jobs += simulated_learning(job, library.name, batches, spread, wrong=wrong, on_progress=show)
        bar.show("done")
    return jobs


def _tell(jobs: Sequence[Learned], json: str | None, report: str | None) -> None:
    console.print(_table(jobs))
    write_json([job.as_json() for job in jobs], json)
    if report:
        write_text(learning_page(jobs), report)
        console.print(f"Report: {report}", markup=False, soft_wrap=True)
