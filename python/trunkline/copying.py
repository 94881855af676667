"""The program that copies files and folders to all hosts of a job, and a job of it."""

from __future__ import annotations

import shlex
import shutil
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline import _core
from trunkline.build_library import kept_libraries
from trunkline.compat import zip_equal
from trunkline.errors import BadInput
from trunkline.launchers import job_with_settings
from trunkline.mpi import Mpi, preload_of
from trunkline.paths import mpi_program
from trunkline.remote_shell import ask_all

_OURS = "libtrunkline-"
_MOST_HOSTS = 100_000
_OTHER_WAYS = ("HYDRA_", "OMPI_MCA_plm", "PRTE_MCA_plm", "SLURM_JOB", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE")
"""How variables begin by which a launcher reaches hosts by something else than ssh."""


@dataclass(frozen=True)
class Copy:
    """What is copied.

    Attributes:
        files: On the host of rank 0; folders, too.
        folder: On each host; ``{host}`` in it is the host's name.
        block_bytes: Of one broadcast.
        waiting_bytes: What a host may keep in memory for its disk.
        reads_back: Compare what is on the disk in the end.
        json: A file for the results; ``-``: standard output; None: nowhere.
        in_place: Whether progress is told in place, as on a terminal.
    """

    files: Sequence[str]
    folder: str
    block_bytes: int
    waiting_bytes: int
    reads_back: bool
    json: str | None
    in_place: bool

    def __post_init__(self) -> None:
        names = Counter(Path(file).name for file in self.files)
        if twice := [name for name, count in names.items() if count > 1]:
            raise BadInput(f"two files would be {twice[0]} in {self.folder}: copy them one after the other")
        if not 1 << 10 <= self.block_bytes <= 1 << 30:
            raise BadInput("--block: from 1 KiB to 1 GiB")
        if self.waiting_bytes < 2 * self.block_bytes:
            raise BadInput("--memory: two blocks at least, one to arrive and one to be written")

    def words(self, library: Mpi) -> list[str]:
        """The program, as each rank starts it.

        Raises:
            BadInput: where none was built for that MPI library.
        """
        program = mpi_program("copy", library.name)
        if not program.exists():
            preload_of(library)  # where that is missing too, nothing was built for this library
            raise BadInput(
                f"{program} is missing, which copies: when Trunkline was built for {library.name}, xxHash's header "
                "(xxhash.h) was not found. See that it is there (Debian: libxxhash-dev), then build again: "
                + _how_to_build(library)
            )
        return [
            str(program),
            *("--to", str(Path(self.folder).absolute()), "--block", str(self.block_bytes)),
            *("--buffers", str(self.waiting_bytes // self.block_bytes)),
            *("--read-back", str(int(self.reads_back)), "--progress", str(int(self.in_place))),
            *(
                ()
                if self.json is None
                else ("--json", self.json if self.json == "-" else str(Path(self.json).absolute()))
            ),
            *("--", *(str(Path(file).absolute()) for file in self.files)),
        ]


def _how_to_build(library: Mpi) -> str:
    """Where what serves it comes from says how."""
    if library.name in kept_libraries():
        return f"trunkline library --build --mpicc {library.mpicc}"
    return "make setup, or install Trunkline again"


def settings_of_rank(library: Mpi, cluster_file: Path | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Variables by which the rank that we are has Trunkline preloaded, where nobody has seen to it.

    Args:
        library: The job's.
        cluster_file: The cluster of its ranks; None: it is not known.
        environment: Of the rank.
    """
    preloaded = environment.get("LD_PRELOAD", "")
    if cluster_file is None or _OURS + library.name in preloaded:
        return {}
    return {
        "LD_PRELOAD": ":".join(filter(None, [str(preload_of(library)), preloaded])),
        "TRUNKLINE_CLUSTER": str(cluster_file.resolve()),
    }


def job_of_hosts(
    library: Mpi, hosts: str, program: Sequence[str], cluster_file: Path | None, environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """A job of one rank on each host, which the library's own launcher reaches by ssh, and its environment.

    Args:
        library: Whose launcher starts it.
        hosts: With brackets, as Slurm writes them: ``node[01-16]``.
        program: What each rank starts.
        cluster_file: With it Trunkline is preloaded; None: the ranks have the library's own broadcast.
        environment: Of the caller.

    Raises:
        BadInput: where the hosts cannot be read or reached, the program is not there, or the launcher is gone.
    """
    try:
        names = _core.expand_hostlist(hosts)
    except ValueError as error:
        raise BadInput(f"--hosts: {error}") from None
    if len(set(names)) < len(names) or len(names) > _MOST_HOSTS:
        raise BadInput("--hosts: each host once")
    library.check_installed()
    if not any(name.startswith(_OTHER_WAYS) for name in environment):
        _check_hosts(names, program[0])
    if library.family == "openmpi":
        where = ["-H", ",".join(f"{name}:1" for name in names)]
    else:
        where = ["-hosts", ",".join(names), "-ppn", "1"]
    job = [library.mpiexec, *where, "-n", str(len(names)), *program]
    if cluster_file is None:
        return job, dict(environment)
    return job_with_settings(job, library.name, cluster_file, environment)


def _check_hosts(hosts: Sequence[str], program: str) -> None:
    """Ask each host but this one for the program: a launcher whose ssh fails may wait forever.

    Raises:
        BadInput: naming each host that ssh does not reach, or that has no such program, and what to do.
    """
    here = {"localhost", socket.gethostname(), socket.gethostname().partition(".")[0]}
    others = [host for host in hosts if host not in here]
    if not others:
        return
    ssh = shutil.which("ssh")
    if ssh is None:
        raise BadInput("--hosts: there is no ssh here, by which other hosts are reached (Debian: openssh-client)")
    faults = []
    for host, ended in zip_equal(others, ask_all(ssh, others, ["test", "-x", shlex.quote(program)])):
        if isinstance(ended, str):
            faults.append(f"host {host} is not reached without a password: {ended}; try: ssh {host} true")
        elif ended.returncode != 0:
            faults.append(f"host {host} has no {program}: install Trunkline on all hosts under the same path")
    if faults:
        raise BadInput("--hosts: " + "\n".join(faults))
