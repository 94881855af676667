"""``trunkline copy``: files to all hosts of a job, or of a list."""

import os
import sys
from typing import Annotated, Optional

import typer

from trunkline.cli.options import OptionalClusterOption, mpi_option
from trunkline.cli.output import check_outputs
from trunkline.cluster import cluster_file, load_cluster
from trunkline.copying import Copy, job_of_hosts, settings_of_rank
from trunkline.errors import BadInput
from trunkline.mpi import Mpi, require_mpi, running_mpi
from trunkline.units import parse_bytes


def copy(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files and folders on the job's first host.")],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="DIR", help="The folder on each host, made where it is not there; {host} is its name."
        ),
    ],
    cluster: OptionalClusterOption = None,
    hosts: Annotated[
        str,
        typer.Option(
            metavar="HOSTLIST",
            help="Outside a job: start one on these hosts by ssh, node[01-16]; the first has the files.",
        ),
    ] = "",
    block: Annotated[str, typer.Option(metavar="SIZE", help="Bytes of one broadcast.")] = "4MiB",
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="What each host may keep in memory while its disk is behind.")
    ] = "64MiB",
    read_back: Annotated[
        bool, typer.Option("--read-back", help="In the end read each copy from its disk again, and compare.")
    ] = False,
    mpi: Annotated[
        Optional[str], mpi_option("The MPI library of the job; default: the launcher's, with --hosts mpich.")
    ] = None,
    json: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="Write what became of each file as JSON; '-': standard output."),
    ] = None,
) -> None:
    """Copy files, and folders with all that is in them, to a folder on all hosts of a job, along Trunkline's plans.

    To be started as the program of an MPI job, by mpiexec or srun, or with --hosts. A copy has its name once all of it
    is there, and the file's rights and time. What an earlier copy has brought is not sent again.
    """
    if cluster:
        load_cluster(cluster)  # faults are reported here, not by all ranks
    check_outputs({"--json": json})
    what = Copy(files, to, parse_bytes(block), parse_bytes(memory), read_back, json, sys.stderr.isatty())
    described = cluster_file(cluster) if cluster else None
    if hosts:
        library = require_mpi(mpi or "mpich")
        words, environment = job_of_hosts(library, hosts, what.words(library), described, os.environ)
    else:
        library = require_mpi(mpi) if mpi else _library_of_job()
        words, environment = what.words(library), {**os.environ, **settings_of_rank(library, described, os.environ)}
    sys.stdout.flush()
    os.execve(words[0], words, environment)


def _library_of_job() -> Mpi:
    try:
        return running_mpi()
    except BadInput as error:
        raise BadInput(f"{error}. Without a job: --hosts LIST. Behind srun: --mpi NAME") from None
