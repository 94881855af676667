"""``trunkline tune``: measure what is fastest, for the preload library to use."""

import os
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Optional

import typer

from trunkline import __version__, _core
from trunkline.bench.job import PATIENCE_S, Limits, Repetition
from trunkline.bench.measure import Cell
from trunkline.bench.own_job import rank_of_job
from trunkline.cli.options import (
    BudgetOption,
    CellsJsonOption,
    CollectiveOption,
    HostsOption,
    LabRateOption,
    OptionalClusterOption,
    RanksOnHostOption,
    ReportOption,
    SizesOption,
    mpi_option,
)
from trunkline.cli.output import check_outputs, write_json, write_text
from trunkline.cli.tune_job import tune_job, tuning_text, winners_table
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput, Failed, TrunklineError
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi, ready_mpi, require_mpi
from trunkline.peers.rules.files import tune_peer
from trunkline.peers.rules.job import PeerJob
from trunkline.peers.rules.mpich_json import COLLECTIVES as MPICH_COLLECTIVES
from trunkline.peers.rules.rules_table import peer_notes, peer_table
from trunkline.placement import hosts_used
from trunkline.predict import knowledge_of, read_measurement
from trunkline.terminal import console, progress_bar, tell
from trunkline.tune.tuner import entry_of, load_tuning, tune_entry
from trunkline.units import format_bytes, format_rate, parse_bench_sizes

SIZES = "8,256,1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,4MiB"
"""Above the largest one its winner rules: what is fastest changes no more."""


def tune(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The tuning file; '-': standard output.")
    ],
    cluster: OptionalClusterOption = None,
    mpi: Annotated[
        Optional[str],
        mpi_option("MPI libraries, separated by commas; inside a job: default the launcher's.", several=True),
    ] = None,
    collective: CollectiveOption = "bcast",
    sizes: SizesOption = SIZES,
    minutes: Annotated[float, typer.Option(min=0.05, help="Inside a job: no size is begun after so long.")] = 5.0,
    rate: LabRateOption = "auto",
    ranks_per_host: RanksOnHostOption = 1,
    hosts: HostsOption = None,
    measured: Annotated[
        Optional[str],
        typer.Option(
            metavar="FILE",
            envvar="TRUNKLINE_MEASURED",
            help="Tables of 'trunkline measure' that choose what is worth trying.",
        ),
    ] = None,
    merge: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="A tuning file whose other entries are kept in the output.")
    ] = None,
    budget: BudgetOption = 4.0,
    json: CellsJsonOption = None,
    report: ReportOption = None,
    peer_rules: Annotated[
        Optional[str],
        typer.Option(
            metavar="DIR", help="Measure the MPI libraries' own algorithms too, and write rules as they read."
        ),
    ] = None,
) -> None:
    """Measure native and the trees worth trying, in turns, and write down the fastest for each size.

    On the lab, or as the program of an MPI job on the job's own nodes: 'mpiexec -n 32 trunkline tune -o here.yaml'.
    Use the file with TRUNKLINE_TUNING=FILE beside TRUNKLINE_CLUSTER.
    """
    if not cluster:
        raise BadInput("the cluster is not known: give --cluster, or set TRUNKLINE_CLUSTER")
    if (rank := rank_of_job()) is not None:
        tune_job(rank, cluster, mpi, output, collective, sizes, minutes, merge, measured)
        return
    if not mpi:
        raise BadInput("give --mpi, such as --mpi mpich,openmpi; or start it as the program of an MPI job")
    check_outputs({"--output": output, "--json": json, "--report": report})
    network = load_cluster(cluster)
    libraries = [require_mpi(name.strip()) for name in mpi.split(",")]
    wanted = sorted(parse_bench_sizes(sizes))
    hosts_used(network, hosts)  # told before a lab is up
    if peer_rules:
        _check_peer_rules(peer_rules, collective, libraries)
    for library in libraries:
        ready_mpi(library.name)
    if measured:
        read_measurement(measured, libraries)  # its faults are told before a rate is looked for
    old = load_tuning(merge).entries if merge else []
    limits = Limits(least=5, most=40, budget_s=budget, width=0.03, race=1.25)
    entries, cells, own_cells, bad = [], [], [], []
    with progress_bar(len(wanted) * len(libraries), f"{network.name}: looking for a rate") as bar:
        rate_bps = lab_rate(network, rate)
        scaled = _core.scaled(network, rate_bps)
        for library in libraries:
            knowledge_of(scaled, library, measured=measured)  # what is wrong with tables is told before a lab is up
        places = {library: f"{network.name} at {format_rate(rate_bps)}, {library.name}" for library in libraries}
        with Lab(network, rate_bps=rate_bps) as lab:
            tell_message_cost(lab, len(hosts_used(network, hosts)) * ranks_per_host)
            for library, where in places.items():

                def show(repetition: Repetition, where: str = where) -> None:
                    bar.show(f"{where}: {repetition.text}")

                known = knowledge_of(scaled, library, measured=measured, host_costs=lab.host_costs)
                winners = []
                for winner in tune_entry(
                    *(lab, library, collective, wanted, limits, ranks_per_host, show, hosts), knowledge=known
                ):
                    winners.append(winner)
                    cells += winner.cells
                    bar.show(done=1)
                used = len(hosts_used(lab.cluster, hosts))
                entries.append(entry_of(lab.cluster, library, collective, used, ranks_per_host, winners))
                console.print(winners_table(where, library, winners))
                if output != "-":  # what comes next may fail
                    write_text(tuning_text(old, entries, f"links at {format_rate(rate_bps)}"), output)
            if output == "-":
                write_text(tuning_text(old, entries, f"links at {format_rate(rate_bps)}"), output)
            for library, where in places.items() if peer_rules else ():

                def show_own(own: str, repetition: Repetition, where: str = where) -> None:
                    bar.show(f"{where}: {replace(repetition, algorithm=own).text}")

                about = f"trunkline tune {__version__}, {datetime.now(timezone.utc).date()}: {collective} on {where}"
                few = Limits(least=3, most=7, budget_s=budget / 2, patience_s=PATIENCE_S)
                job = PeerJob(lab, library, collective, ranks_per_host, hosts)
                try:
                    files = tune_peer(Path(str(peer_rules)), job, wanted, few, about, show_own)
                except TrunklineError as error:
                    bad.append(f"{library.name}: {error}")
                    continue
                console.print(peer_table(library, where, files))
                for note in peer_notes(library, files):
                    tell(note)
                own_cells += [cell for winner in files.winners for cell in winner.cells]
                bad += [
                    f"{library.name} at {format_bytes(one.message_bytes)}: hosts send other amounts than under the "
                    "algorithm of the rule"
                    for one in files.ignored
                ]
    write_json([cell.as_json() for cell in (*cells, *own_cells)], json)
    if report:
        _write_report(cells, report)
    if output != "-":
        advice = f"Use it with TRUNKLINE_TUNING={Path(output)} beside TRUNKLINE_CLUSTER."
        tell(advice)
    if bad:
        raise Failed("--peer-rules:\n" + "\n".join(bad))


def _check_peer_rules(folder: str, collective: str, libraries: list[Mpi]) -> None:
    for library in libraries:
        if library.family not in ("mpich", "openmpi"):
            raise BadInput(f"--peer-rules: {library.name} reads no rules that are known; leave it out of --mpi")
        if library.family == "mpich" and collective not in MPICH_COLLECTIVES:
            known = ", ".join(MPICH_COLLECTIVES)
            raise BadInput(f"--peer-rules: {library.name} follows rules for {known} alone; leave it out of --mpi")
    _make_folder(folder)


def _make_folder(name: str) -> None:
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--peer-rules: cannot make the folder {name}: {error.strerror}") from error
    if not os.access(name, os.W_OK):
        raise BadInput(f"--peer-rules: cannot write to the folder {name}")


def _write_report(cells: list[Cell], file: str) -> None:
    from trunkline.report.page import bench_page  # Matplotlib takes a second to load

    write_text(bench_page(cells), file)
