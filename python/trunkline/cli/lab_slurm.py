"""``trunkline lab run --slurm``: a command that finds a real Slurm on the lab's hosts."""

from __future__ import annotations

import os
from pathlib import Path

from trunkline.errors import BadInput
from trunkline.lab.session import Lab
from trunkline.lab.slurm import Plugin, check_slurm, start_slurm
from trunkline.mpi import Mpi, find_mpis, settings_of
from trunkline.paths import CHOOSER, IDLE_SHIM, SLURM_PLUGIN
from trunkline.sources.slurm_write import topology_conf


def check_slurm_run(ranks: int | None, native: bool) -> None:
    """What does not go together, and what is missing, before a lab is up.

    Raises:
        BadInput: with what is wrong and what to do.
    """
    if ranks is not None:
        raise BadInput("-n is of a job that the lab starts; with --slurm say it to sbatch, srun or salloc")
    check_slurm()
    if not native and not SLURM_PLUGIN.exists():
        raise BadInput(
            "Trunkline's plug-in for Slurm was not built: apt-get install libslurm-dev, then 'make setup' again; "
            "--native does without"
        )


def slurm_environment(
    lab: Lab, *, processors: int, mpi: Mpi | None, native: bool, trace: str | None, measured: dict[str, str]
) -> dict[str, str]:
    """Start Slurm on the lab, and say what a command there has to find.

    Args:
        lab: That is up.
        processors: Of each node.
        mpi: Whose settings count besides those of the system's libraries.
        native: Without Trunkline.
        trace: The folder for traces.
        measured: What messages cost on this lab now; the caller's own settings come before it.
    """
    plugin = None if native else Plugin(SLURM_PLUGIN, CHOOSER)
    environment = start_slurm(lab, topology_conf(lab.cluster), processors, plugin)
    for one in (*(one for one in find_mpis().values() if one.name == one.family), *([mpi] if mpi else [])):
        environment |= one.lab_settings()
    preloads = [str(IDLE_SHIM), os.environ.get("LD_PRELOAD", "")]
    environment["LD_PRELOAD"] = ":".join(filter(None, preloads))
    if native:
        return environment
    settings = {**measured, **settings_of(), "TRUNKLINE_CLUSTER": Lab.cluster_file}
    return {**environment, **settings, **({} if trace is None else {"TRUNKLINE_TRACE": str(Path(trace).absolute())})}
