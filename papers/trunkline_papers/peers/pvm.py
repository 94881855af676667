"""PVM, the papers' other peer: its daemon on each host, started and halted with each job."""

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from trunkline.lab.session import Lab
from trunkline_papers.peers.driver import Driver, Setting
from trunkline_papers.peers.found import timing_program

__all__ = ["PvmDriver"]


class PvmDriver(Driver):
    """PVM 3."""

    collectives = ("bcast",)

    def start(
        self, lab: Lab, folder: Path, words: Sequence[str], setting: Setting, preload: bool
    ) -> subprocess.Popen[str]:
        """See :meth:`trunkline_papers.peers.driver.Driver.start`."""
        del setting, preload
        hosts = lab.cluster.hosts
        daemon = self.mpi.mpiexec
        file = folder / "pvm-hosts"
        file.write_text("".join(f"{host} dx={daemon}\n" for host in hosts), encoding="utf-8")
        run = shlex.join([timing_program(self.mpi), "--hosts", ",".join(hosts), *words])
        # Two jobs of one lab follow each other, so a daemon is up when its socket's name is there, and down without it.
        script = (
            f"{shlex.quote(daemon)} {shlex.quote(str(file))} >&2 & "
            f"for try in $(seq 200); do ls /dev/shm/pvmd.* >/dev/null 2>&1 && break; sleep 0.05; done; "
            f"{run}; status=$?; echo halt | pvm >&2; wait; exit $status"
        )
        env = {"PVM_RSH": lab.agent, "PVM_TMP": "/dev/shm", "PVM_ALLOW_ROOT": "1"}
        return self.popen(lab, folder, ["sh", "-c", script], env)
