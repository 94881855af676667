"""``trunkline doctor``: what a job has, and whether Trunkline pays there."""

import os
import platform
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from trunkline import __version__, _core
from trunkline.bench.inside import rank_of_job
from trunkline.bench.job import PING_PONG, program
from trunkline.cli.library import print_mpis
from trunkline.cli.options import CollectiveOption, JsonOption, SizesOption
from trunkline.cli.output import check_outputs, write_json
from trunkline.cluster import load_cluster
from trunkline.doctor import Examination, doctor_words, examine
from trunkline.errors import BadInput
from trunkline.mpi import BUILD_IT, require_mpi, running_mpi
from trunkline.search_mpis import search_mpis
from trunkline.terminal import titled_table
from trunkline.units import format_bytes, format_rate, format_seconds, parse_bench_sizes

__all__ = ["doctor"]

SIZES = "1KiB,8KiB,64KiB,256KiB,1MiB"


def doctor(
    cluster: Annotated[
        str | None, typer.Option(metavar="CLUSTER", envvar="TRUNKLINE_CLUSTER", help="What the ranks run on.")
    ] = None,
    collective: CollectiveOption = "bcast",
    sizes: SizesOption = SIZES,
    budget: Annotated[float, typer.Option(min=0.1, help="Seconds for each size, natively and with Trunkline.")] = 1.5,
    mpi: Annotated[str | None, typer.Option(help="The MPI library of the job; default: the launcher's.")] = None,
    json: JsonOption = None,
) -> None:
    """Examine a job on its own nodes: hosts, preload, rates, interfaces, and what a collective costs with and without.

    To be started as the program of an MPI job, on as many ranks as the real one. Outside a job it says which MPI
    libraries this machine has, and whether there is a preload library for each.
    """
    rank = rank_of_job()
    if rank is None:
        raise typer.Exit(_examine_machine(json))
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
    if json:
        write_json(found.as_json(), json)
    if json != "-":
        _print(found)


def _examine_machine(json: str | None) -> int:
    """Outside a job; the exit status is 1 where no MPI library is served."""
    check_outputs({"--json": json})
    seen = search_mpis()
    if json:
        about = {"version": __version__, "python": platform.python_version(), "system": platform.platform()}
        write_json({**about, "mpis": [one.as_json() for one in seen]}, json)
    is_served = any(one.name and not one.reason for one in seen)
    if json != "-":
        print(f"Trunkline {__version__}, Python {platform.python_version()}, {platform.platform()}")
        print_mpis(seen)
        if is_served:
            print("To examine a job: trunkline run --cluster FILE -- mpiexec -n 32 trunkline doctor")
        else:
            print("No MPI library here has a preload library yet, so no job can use Trunkline.")
    return 0 if is_served else 1


def _print(found: Examination) -> None:
    console = Console()
    hosts = Counter(seat.host for seat in found.seats)
    per_host = " or ".join(str(count) for count in sorted(set(hosts.values())))
    where = f"{len(found.seats)} ranks on {len(hosts)} hosts, {per_host} each"
    names = escape(_core.compress_hostlist(list(hosts)))
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
    console.print(found.verdict(), soft_wrap=True)
