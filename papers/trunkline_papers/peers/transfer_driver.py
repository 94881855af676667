"""UFTP, udpcast and NORM: transfers to many receivers that are no messages of MPI."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline_papers.peers.driver import Driver, Setting
from trunkline_papers.peers.found import timing_program

__all__ = ["TRANSFERS", "Transfer", "TransferDriver"]


@dataclass(frozen=True)
class Transfer:
    """One of them.

    Attributes:
        programs: Of others, looked up on PATH.
        package: Debian's, which ``make peers`` installs.
        ways: What the timing program can do with it: ``paced`` at the link's rate; ``fec``, with forward error
            correction besides.
    """

    programs: tuple[str, ...]
    package: str
    ways: tuple[str, ...]


TRANSFERS = {
    "uftp": Transfer(("uftp", "uftpd"), "uftp", ("paced",)),
    "udpcast": Transfer(("udp-sender", "udp-receiver"), "udpcast", ("paced", "fec")),
    "norm": Transfer((), "libnorm-dev", ("paced", "fec")),
}


class TransferDriver(Driver):
    """A program of others or a library, timed by ``bench/timing_transfer.c`` on every host."""

    collectives = ("bcast",)

    def __init__(self, name: str) -> None:
        self.transfer = TRANSFERS[name]
        super().__init__(Mpi(name, name, "", "", "", ""))  # the timing program says the version

    def why_not(self, collective: str) -> str | None:
        """See :meth:`trunkline_papers.peers.driver.Driver.why_not`."""
        if collective not in self.collectives:
            return super().why_not(collective)
        missing = [name for name in self.transfer.programs if shutil.which(name) is None]
        if not Path(timing_program(self.mpi)).exists():
            missing.append(timing_program(self.mpi))
        package = self.transfer.package
        return f"{missing[0]} is missing: 'make peers' installs {package} and builds again" if missing else None

    def start(
        self, lab: Lab, folder: Path, words: Sequence[str], setting: Setting, preload: bool
    ) -> subprocess.Popen[str]:
        """See :meth:`trunkline_papers.peers.driver.Driver.start`."""
        del setting, preload
        hosts = lab.cluster.hosts

        def of_rank(rank: int) -> str:
            own = ["--rank", str(rank), "--hosts", ",".join(hosts), "--rate", f"{lab.rate_bps:.0f}"]
            return shlex.join([timing_program(self.mpi), *own, *words])

        others = "".join(
            f"{shlex.quote(lab.agent)} {host} {shlex.quote(f'exec {of_rank(rank)}')} </dev/null & "
            for rank, host in enumerate(hosts)
            if rank > 0
        )
        # The others end once rank 0 has.
        return self.popen(lab, folder, ["sh", "-c", f"{others}{of_rank(0)}; status=$?; wait; exit $status"], {})
