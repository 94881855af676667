"""LAM/MPI, the papers' peer: a daemon on each host, booted and halted with each job; refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from trunkline.lab.session import Lab
from trunkline_papers.peers.driver import Driver, Setting
from trunkline_papers.peers.found import timing_program

__all__ = ["LamDriver"]

USER = "nobody"
"""Whose id its processes have on the lab."""
CAPABILITIES = "+sys_admin,+sys_chroot,+sys_ptrace,+dac_override"
"""What these processes keep: without them they could not enter other hosts."""


class LamDriver(Driver):
    """LAM/MPI 7."""

    # One start in ten, in some folders many more, fails in MPI_Init with "Bad address": it writes what it has not set.
    attempts = 12

    def why_not(self, collective: str) -> str | None:
        """See :meth:`trunkline_papers.peers.driver.Driver.why_not`."""
        if missing := super().why_not(collective):
            return missing
        if os.geteuid() != 0:
            return "LAM/MPI refuses root, which an ordinary user is inside a lab of his own; run as root for it"
        if shutil.which("setpriv") is None:
            return "LAM/MPI refuses root, and there is no setpriv (util-linux) to run it as another user"
        if USER not in {user.pw_name for user in pwd.getpwall()}:
            return f"LAM/MPI refuses root, and there is no user '{USER}' to run it as"
        return None

    def start(
        self, lab: Lab, folder: Path, words: Sequence[str], setting: Setting, preload: bool
    ) -> subprocess.Popen[str]:
        """See :meth:`trunkline_papers.peers.driver.Driver.start`."""
        del setting, preload
        hosts = folder / "lam-hosts"
        hosts.write_text("".join(f"{host} cpu=1\n" for host in lab.cluster.hosts), encoding="utf-8")
        own = shutil.copy(timing_program(self.mpi), folder / "b")  # the longer its path, the more often that happens
        run = shlex.join([self.mpi.mpiexec, "-ssi", "rpi", "tcp", "C", str(own), *words])
        script = f"lamboot -b -x {shlex.quote(str(hosts))} >&2 && {run}; status=$?; lamhalt >&2; exit $status"
        user = pwd.getpwnam(USER)
        as_user = [
            *("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"),
            *(f"--inh-caps={CAPABILITIES}", f"--ambient-caps={CAPABILITIES}", "sh", "-c", script),
        ]
        env = {
            "LAMRSH": lab.agent,
            "LAM_MPI_SESSION_PREFIX": "/dev/shm",  # each host has its own
            "HOME": "/dev/shm",
            "USER": USER,
            "LOGNAME": USER,
        }
        return self.popen(lab, folder, as_user, env)
