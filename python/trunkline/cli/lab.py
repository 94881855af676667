"""``trunkline lab``: programs on an emulated cluster."""

import os
import sys
from typing import Annotated, NoReturn

import typer

from trunkline import _core
from trunkline.cli.lab_check import check
from trunkline.cli.options import ClusterArgument, LabRateOption, RanksOnHostOption
from trunkline.cli.output import console
from trunkline.cluster import load_cluster
from trunkline.errors import BadInput
from trunkline.lab.rate import auto_rate
from trunkline.lab.session import Lab
from trunkline.mpi import require_mpi, settings_of_caller
from trunkline.paths import preload_library
from trunkline.units import format_rate, parse_rate

__all__ = ["app"]

app = typer.Typer(help="Run programs on an emulated cluster: one Linux machine, no privileges.", no_args_is_help=True)

Host = Annotated[str | None, typer.Option(help="Where to run it; default: the first host.")]
Timeout = Annotated[float | None, typer.Option(min=0.001, help="End it after so many seconds (exit status 1).")]

app.command(epilog="Example: trunkline lab check cyclic")(check)


def _open(cluster: str, rate: str) -> Lab:
    """A lab of the cluster, ready to enter, at the rate asked for."""
    loaded = load_cluster(cluster)
    if rate == "auto":
        with console.status(f"{loaded.name}: looking for the highest true rate"):
            rate_bps = auto_rate(loaded)
    else:
        rate_bps = parse_rate(rate)
    return Lab(loaded, rate_bps)


def _pass_on(status: int) -> NoReturn:
    """End as the program did; where a signal ended it, as a shell says it."""
    sys.exit(status if status >= 0 else 128 - status)


@app.command(epilog="Example: trunkline lab run cyclic --mpi openmpi -n 32 -- ./any_mpi_program")
def run(
    cluster: ClusterArgument,
    program: Annotated[list[str], typer.Argument(metavar="-- PROGRAM ...", help="The MPI program and its arguments.")],
    mpi: Annotated[str, typer.Option(help="The MPI library it was built for: mpich, openmpi, mpich-5.0.2, ...")],
    ranks: Annotated[int | None, typer.Option("-n", min=1, help="Number of ranks; default: all hosts full.")] = None,
    ranks_per_host: RanksOnHostOption = 1,
    rate: LabRateOption = "auto",
    native: Annotated[bool, typer.Option("--native", help="Without Trunkline: the MPI library as it comes.")] = False,
    timeout: Timeout = None,
) -> None:
    """Run an MPI program, one rank a host or more, with Trunkline preloaded. Its exit status is passed on.

    Rank r sits on host r / RANKS_PER_HOST. TRUNKLINE_* settings of the environment reach the ranks, but for
    TRUNKLINE_CLUSTER, which is the lab's own file.
    """
    library = require_mpi(mpi)
    preload = preload_library(library.name)
    if not native and not preload.exists():
        raise BadInput(f"no preload library was built for {mpi}; run 'make setup' again now that it is installed")
    lab = _open(cluster, rate)
    hosts = lab.cluster.hosts
    settings = settings_of_caller()
    argv, env = library.launch(
        hosts=hosts,
        ranks=ranks or len(hosts) * ranks_per_host,
        ranks_per_host=ranks_per_host,
        program=program,
        agent=lab.agent,
        env={} if native else {**settings, "TRUNKLINE_CLUSTER": lab.cluster_file},
        preload=[] if native else [preload],
    )
    with lab:
        status = lab.run(argv, env=env, timeout=timeout).returncode
    _pass_on(status)


@app.command(name="exec", epilog="Example: trunkline lab exec cyclic --host h5 -- ip address")
def execute(
    cluster: ClusterArgument,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND ...", help="The command and its arguments.")],
    host: Host = None,
    rate: LabRateOption = "auto",
    timeout: Timeout = None,
) -> None:
    """Run one command on one host. Its exit status is passed on."""
    with _open(cluster, rate) as lab:
        status = lab.run(command, host=host, timeout=timeout, stdin=sys.stdin).returncode
    _pass_on(status)


@app.command(epilog="Example: trunkline lab shell cyclic --host h5")
def shell(cluster: ClusterArgument, host: Host = None, rate: LabRateOption = "auto") -> None:
    """A shell on one host. The cluster ends with it."""
    with _open(cluster, rate) as lab:
        console.print(
            f"{lab.cluster.name} at {format_rate(lab.rate_bps)}: {_core.compress_hostlist(lab.cluster.hosts)}; "
            f"'{lab.agent} HOST COMMAND' runs a command on another host; 'exit' ends the cluster"
        )
        status = lab.run([os.environ.get("SHELL", "/bin/sh")], host=host, stdin=sys.stdin).returncode
    _pass_on(status)
