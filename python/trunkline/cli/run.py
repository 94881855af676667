"""``trunkline run``: an MPI job on a real cluster, with the preload library and its settings."""

import os
import sys
from typing import Annotated, Optional

import typer

from trunkline.cli.options import ClusterOption, mpi_option
from trunkline.cluster import cluster_file, load_cluster
from trunkline.errors import BadInput
from trunkline.launchers import job_with_settings


def run(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- MPIEXEC|SRUN ...", help="The job, as you start it today; 'env A=b' may stand before it."
        ),
    ],
    cluster: ClusterOption,
    mpi: Annotated[
        Optional[str],
        mpi_option(
            "The ranks' MPI library: mpich, openmpi, mpich-5.0.2, ...; default: the launcher's or, behind srun, "
            "the one that the program is linked to."
        ),
    ] = None,
) -> None:
    """Start an MPI job with Trunkline preloaded into its ranks.

    mpiexec decides which MPI library it is, and so which preload library; it runs without it itself. srun starts
    programs of any, and hands on its environment.
    """
    load_cluster(cluster)  # faults are reported here, not by 32 ranks at once
    words, environment = job_with_settings(command, mpi, cluster_file(cluster), os.environ)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(words[0], words, environment)
    except OSError as error:
        raise BadInput(f"cannot start {words[0]}: {error.strerror}") from error
