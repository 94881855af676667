"""``trunkline doctor``: what a job, this machine or a network has, and whether Trunkline pays there."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markup import escape

from trunkline import _core
from trunkline.bench.job import PING_PONG, program
from trunkline.bench.own_job import rank_of_job
from trunkline.cli.doctor_here import doctor_here
from trunkline.cli.doctor_pays import COLLECTIVES, doctor_pays
from trunkline.cli.doctor_pays import SIZES as SIZES_OF_PAYS
from trunkline.cli.options import COLLECTIVE_HELP, JsonOption, OptionalClusterOption, mpi_option, sizes_option
from trunkline.cli.output import check_outputs, write_json
from trunkline.cluster import load_cluster
from trunkline.doctor.job import Examination, doctor_words, examine
from trunkline.draw.names import hostlist
from trunkline.errors import BadInput
from trunkline.mpi import BUILD_IT, require_mpi, running_mpi
from trunkline.registry import check_collective
from trunkline.terminal import output, titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_bench_sizes

SIZES = "1KiB,8KiB,64KiB,256KiB,1MiB"
_PAYS, _HERE = "With --pays", "Outside a job"


def doctor(
    cluster: OptionalClusterOption = None,
    collective: Annotated[
        Optional[str],
        typer.Option(metavar="NAME,...", help=f"{COLLECTIVE_HELP} In a job one, bcast; with --pays {COLLECTIVES}."),
    ] = None,
    sizes: Annotated[
        Optional[str],
        sizes_option(f"Message sizes, separated by commas: in a job {SIZES}; with --pays {SIZES_OF_PAYS}."),
    ] = None,
    budget: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="For each size in a job, natively and with Trunkline.")
    ] = 1.5,
    mpi: Annotated[
        Optional[str], mpi_option("The MPI library: in a job the launcher's; with --pays mpich or openmpi.")
    ] = None,
    pays: Annotated[
        bool,
        typer.Option("--pays", help="Does it help on a network? By prediction, with how sure.", rich_help_panel=_PAYS),
    ] = False,
    rate: Annotated[
        Optional[str],
        typer.Option(
            metavar="RATE,...", help="Rates of the hosts' links; default: the file's rates.", rich_help_panel=_PAYS
        ),
    ] = None,
    ranks_per_host: Annotated[
        Optional[str], typer.Option(metavar="N,...", help="Ranks on each host; default: 1.", rich_help_panel=_PAYS)
    ] = None,
    svg: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="Draw it as SVG; '-' for standard output.", rich_help_panel=_PAYS),
    ] = None,
    report: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="Write a self-contained HTML page.", rich_help_panel=_PAYS)
    ] = None,
    slurm: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            help="Slurm's topology file, beside the cluster file; default: this machine's.",
            rich_help_panel=_HERE,
        ),
    ] = None,
    lldp: Annotated[
        Optional[list[str]],
        typer.Option(
            metavar="FILE",
            help="LLDP neighbours of a host, beside the cluster file; may be repeated. Default: of this "
            "machine, where lldpd runs.",
            rich_help_panel=_HERE,
        ),
    ] = None,
    pairs: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            help="What 'trunkline measure --pairs' wrote, beside the cluster file.",
            rich_help_panel=_HERE,
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Say what is wrong, and whether it pays: in a job, on this machine, or on a network that you describe.

    As the program of an MPI job: its hosts, preload, rates, interfaces, and what a collective costs with and without.
    Outside a job: versions, MPI libraries, interfaces, rights, and the cluster file beside what Slurm, LLDP and
    measurements say. With --pays: where Trunkline would be faster, by rates, sizes, ranks a host and collectives.
    """
    of_pays = {"--rate": rate, "--ranks-per-host": ranks_per_host, "--svg": svg, "--report": report}
    of_here = {"--slurm": slurm, "--lldp": lldp, "--pairs": pairs}
    of_both = {"--collective": collective, "--sizes": sizes, "--mpi": mpi}
    rank = None if pays else rank_of_job()
    _check_options("--pays", of_pays, taken=pays)
    is_here = not pays and rank is None
    _check_options("a doctor outside a job and without --pays", of_here, taken=is_here)
    _check_options("a doctor in a job, or with --pays", of_both, taken=not is_here)
    if pays:
        doctor_pays(cluster, collective, rate, ranks_per_host, sizes, mpi, svg, report, json)
    elif rank is None:
        doctor_here(cluster, slurm, lldp, pairs, json)
    else:
        _of_job(rank, cluster, check_collective(collective or "bcast"), sizes or SIZES, budget, mpi, json)


def _check_options(what: str, options: Mapping[str, object], *, taken: bool) -> None:
    if not taken and (given := [name for name, value in options.items() if value not in (None, [])]):
        raise BadInput(f"{given[0]} is for {what}: leave it out")


def _of_job(
    rank: int, cluster: str | None, collective: str, sizes: str, budget: float, mpi: str | None, json: str | None
) -> None:
    library = require_mpi(mpi) if mpi else running_mpi()
    if not Path(program(library)).exists():
        raise BadInput(f"nothing was built for {library.name}; now that it is installed, run {BUILD_IT}")
    network = load_cluster(cluster) if cluster else None
    words = doctor_words(library, collective, parse_bench_sizes(sizes), budget)
    if rank != 0:
        sys.stdout.flush()
        os.execv(words[0], words)
    check_outputs({"--json": json})
    found = examine(library, collective, network, words)
    write_json(found.as_json(), json)
    if json != "-":
        _print(found)


def _print(found: Examination) -> None:
    console = output()
    hosts = Counter(seat.host for seat in found.seats)
    per_host = " or ".join(str(count) for count in sorted(set(hosts.values())))
    where = f"{len(found.seats)} ranks on {len(hosts)} hosts, {per_host} each"
    names = escape(hostlist(list(hosts)))
    console.print(f"[bold]{found.mpi.name} {found.mpi.version}[/]: {where}: {names}", soft_wrap=True)
    interfaces = Counter(seat.interface or "none" for seat in found.seats)
    console.print("traffic: " + ", ".join(f"{name} on {count} ranks" for name, count in interfaces.most_common()))
    if (seen := found.multicast) is not None:
        dropped = f"; datagrams dropped: {seen.strange} strange, {seen.early} too early" if seen.works else ""
        console.print(
            f"multicast: {escape(seen.words)}; {seen.calls} calls tried, {seen.repaired} repaired{dropped}",
            soft_wrap=True,
        )
    if groups := found.rates():
        table = titled_table("rates between neighbouring ranks", "measured", "cluster file", "paths")
        for (stated, measured), seats in sorted(groups.items()):
            table.add_row(format_rate(measured), format_rate(stated), str(len(seats)))
        console.print(table)
    title = f"{_core.facts_of(found.collective).mpi_name}: median of the slowest rank"
    table = titled_table(title, "size", "T(m)", "native", "over T", "Trunkline", "over T", "gain", "ran", left=["ran"])
    for size in found.sizes():
        limit, native, auto = (found.median(size, name).value for name in (PING_PONG, "native", "auto"))
        table.add_row(
            format_bytes(size),
            *(format_seconds(limit), format_seconds(native), f"{native / limit:.1f}"),
            *(format_seconds(auto), f"{auto / limit:.1f}", f"{native / auto:.2f}", found.ran(size)),
        )
    console.print(table)
    for complaint in found.complaints():
        console.print(f"[bold yellow]look here:[/] {escape(complaint)}", soft_wrap=True)
    console.print("Why a program may gain less:", soft_wrap=True)
    for reason in found.why_less():
        console.print(f"  - {escape(reason)}", soft_wrap=True)
    console.print(found.verdict(), soft_wrap=True)
