"""A real Slurm on a lab: a slurmd on each host, the controller on the first, munge with a key of its own.

All of it runs inside the lab's namespaces and keeps its files in the lab's own folder, so it ends with the lab, however
that ends. Slurm knows the lab's switches from ``topology.conf``.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline import _core
from trunkline.errors import BadInput, Failed
from trunkline.lab.places import FOLDER
from trunkline.lab.session import Lab

_SLURM = FOLDER / "slurm"
_CONFIGURATION = _SLURM / "slurm.conf"
_SOCKET = "/dev/shm/.munge.socket"
"""Each host has a folder of its own there: one munge for all would take what hosts hand on for a replay."""
_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo")
_PACKAGES = "slurmctld slurmd slurm-client munge"
READY_SECONDS = 300

_TEXT = """\
ClusterName=lab
SlurmctldHost={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A requeued job waits until the credentials of its first run have expired.
AuthInfo=socket={socket},cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
PlugStackConfig={folder}/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmi2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TopologyPlugin=topology/tree
# More processors than this machine has, by the word of this file.
SlurmdParameters=config_overrides
# Hosts share the machine's /tmp, but not its /dev/shm.
TmpFS=/dev/shm
SlurmdTimeout=300
KillWait=5
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
MailProg=/bin/true
NodeName={nodes} CPUs={processors} State=UNKNOWN
PartitionName=lab Nodes={nodes} Default=YES MaxTime=INFINITE State=UP
"""

_HOST = """\
umask 077
munged --force --num-threads=1 --key-file={folder}/munge.key --socket={socket} --seed-file={folder}/{name}.seed \
  --pid-file={folder}/{name}.munge.pid --log-file={folder}/{name}.munge.log || exit 1
{controller}exec slurmd -N {name} -f {configuration}
"""


@dataclass(frozen=True)
class Plugin:
    """What ``plugstack.conf`` says of Trunkline.

    Attributes:
        file: The plug-in.
        library: The preload library for whichever MPI.
        is_on: Whether it serves jobs that ask for nothing.
    """

    file: Path
    library: Path
    is_on: bool = True

    @property
    def line(self) -> str:
        """Of ``plugstack.conf``."""
        default = "on" if self.is_on else "off"
        return f"optional {self.file} library={self.library} cluster={Lab.cluster_file} default={default}\n"


def check_slurm() -> None:
    """Look for what it needs, before a lab is up.

    Raises:
        BadInput: with what is missing and the command that helps.
    """
    if os.geteuid() != 0:
        raise BadInput(
            "--slurm needs root: slurmd gives up where it cannot drop its groups, as inside a user namespace; "
            "'sudo env PATH=\"$PATH\" trunkline lab run ...' is one way; all else of the lab does without"
        )
    if missing := [program for program in _PROGRAMS if shutil.which(program, path=_path()) is None]:
        raise BadInput(
            f"--slurm needs Slurm and munge, and there is no {', '.join(missing)}: apt-get install {_PACKAGES}"
        )


def _path() -> str:
    """Daemons are where ordinary users do not look."""
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def start_slurm(lab: Lab, topology: str, processors: int, plugin: Plugin | None) -> dict[str, str]:
    """Start it on all hosts of a lab that is up.

    Args:
        lab: Whose hosts become its nodes.
        topology: Of ``topology.conf``.
        processors: That each node has by its book: as many tasks go there.
        plugin: Trunkline's; None: none.

    Returns:
        Variables by which its commands find it.

    Raises:
        Failed: where it does not come up; the message has what its daemons said.
    """
    hosts = lab.cluster.hosts
    folder = lab.root / _SLURM.relative_to("/")
    _write_files(folder, hosts, topology, processors, plugin)
    environment = {"SLURM_CONF": str(_CONFIGURATION), "PATH": _path()}
    started = {name: _start_host(lab, name, environment) for name in hosts}
    for name, process in started.items():
        _, said = process.communicate()
        if process.returncode != 0:
            raise Failed(f"Slurm did not start on host {name}: {_last(said) or _last_of(folder / f'{name}.log')}")
    _wait_for(lab, folder, environment)
    return environment


def _write_files(folder: Path, hosts: Sequence[str], topology: str, processors: int, plugin: Plugin | None) -> None:
    for one in (folder, folder / "state", folder / "spool"):
        one.mkdir()
    key = folder / "munge.key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(128))
    text = _TEXT.format(
        controller=hosts[0],
        socket=_SOCKET,
        folder=_SLURM,
        nodes=_core.compress_hostlist(list(hosts)),
        processors=processors,
    )
    (folder / "slurm.conf").write_text(text)
    (folder / "topology.conf").write_text(topology)
    (folder / "mpi.conf").write_text("PMIxCliTmpDirBase=/dev/shm\n")
    (folder / "plugstack.conf").write_text(plugin.line if plugin else "")


def _start_host(lab: Lab, name: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Ends once its daemons are up, each of which has gone into the background."""
    is_first = name == lab.cluster.hosts[0]
    script = _HOST.format(
        folder=_SLURM,
        socket=_SOCKET,
        name=name,
        configuration=_CONFIGURATION,
        controller=f"slurmctld -f {_CONFIGURATION} || exit 1\n" if is_first else "",
    )
    return lab.popen(
        ["sh", "-c", script], host=name, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def _wait_for(lab: Lab, folder: Path, environment: dict[str, str]) -> None:
    """Until every node is idle."""
    until = time.monotonic() + READY_SECONDS
    words = ["sinfo", "--noheader", "--states=idle", "--format=%D"]
    while True:
        said = lab.run(words, env=environment, capture=True)
        if said.stdout.split() == [str(len(lab.cluster.hosts))]:
            return
        if time.monotonic() > until:
            last = _last(said.stderr) or _last_of(folder / "slurmctld.log")
            raise Failed(f"Slurm's nodes did not all come up within {READY_SECONDS} s: {last}")
        time.sleep(0.1)


def _last(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _last_of(file: Path) -> str:
    return _last(file.read_text(errors="replace")) if file.exists() else "it said nothing"
