"""``trunkline run``: an MPI job on a real cluster, with the preload library and its settings."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from trunkline.cluster import cluster_file, load_cluster
from trunkline.errors import BadInput
from trunkline.mpi import Mpi, find_mpis, settings_of_caller
from trunkline.paths import preload_library

__all__ = ["run"]


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- MPIEXEC ...", help="The job, as you start it today.")],
    cluster: Annotated[str, typer.Option(help="A bundled cluster's name, or a cluster file that every host can read.")],
) -> None:
    """Start an MPI job with Trunkline preloaded into its ranks.

    The launcher decides which MPI library it is, and so which preload library; the launcher itself runs without it.
    """
    load_cluster(cluster)  # faults are reported here, not by 32 ranks at once
    launcher = shutil.which(command[0])
    if launcher is None:
        raise BadInput(f"there is no command '{command[0]}' on PATH; start the job with your MPI library's mpiexec")
    mpi = _mpi_of(launcher)
    library = preload_library(mpi.name)
    if not library.exists():
        raise BadInput(f"no preload library was built for {mpi.name}; run 'make setup' again now that it is installed")
    settings = {
        **settings_of_caller(),
        "LD_PRELOAD": ":".join(filter(None, [str(library), os.environ.get("LD_PRELOAD", "")])),
        "TRUNKLINE_CLUSTER": str(cluster_file(cluster).resolve()),
    }
    words = [launcher]
    for name, value in settings.items():
        words += ["-x", f"{name}={value}"] if mpi.family == "openmpi" else ["-genv", name, value]
    words += command[1:]
    sys.stdout.flush()
    os.execv(launcher, words)


def _mpi_of(launcher: str) -> Mpi:
    wanted = Path(launcher).resolve()
    found = find_mpis()
    for mpi in found.values():
        if Path(mpi.mpiexec).resolve() == wanted:
            return mpi
    raise BadInput(
        f"{launcher} belongs to no MPI library that Trunkline was built for ({', '.join(found) or 'none found'}); "
        "install it, then run 'make setup' again"
    )
