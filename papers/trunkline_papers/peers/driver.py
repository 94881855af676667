"""What every peer's driver offers: whether it can run here, how its timing program starts, which settings it has."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trunkline import _core
from trunkline.bench.job import Outcome, Repetition, follow
from trunkline.errors import Failed
from trunkline.lab.session import Lab
from trunkline.mpi import BUILD_IT, Mpi
from trunkline.paths import preload_library
from trunkline.peers.algorithm import PeerAlgorithm
from trunkline_papers.peers.found import timing_program

__all__ = ["DEFAULT", "LARGEST", "Driver", "PreloadDriver", "Setting", "setting_of"]

LARGEST = 1 << 40
"""Bytes: a message that every segment is shorter than."""


@dataclass(frozen=True)
class Setting:
    """One way to set up a library's own algorithms.

    Attributes:
        name: For people and for the JSON; names one setting of a driver.
        env: Variables of the ranks.
        least_bytes: Shorter messages are left out: there it is the same as another setting.
    """

    name: str
    env: Mapping[str, str] = field(default_factory=dict)
    least_bytes: int = 0


DEFAULT = Setting("default")

_SETTINGS = (
    "TRUNKLINE_",
    "OMPI_",
    "PMIX_",
    "PRTE_",
    "MPIR_",
    "MPICH_",
    "HYDRA_",
    "I_MPI_",
    "UCX_",
    "FI_",
    "LAM_",
    "PVM_",
)
"""How variables begin that set up the libraries and Trunkline: the caller's are no part of a comparison."""


def setting_of(algorithm: PeerAlgorithm, more: Mapping[str, str]) -> Setting:
    """One of a library's own algorithms as a setting; ``more``: variables that it needs besides."""
    segment = algorithm.segment_bytes
    return Setting(algorithm.name, {**algorithm.environment, **more}, segment + 1 if segment else 0)


class Driver(ABC):
    """One peer."""

    preloads = False
    """Whether Trunkline can be preloaded into it."""
    collectives: Collection[str] | None = None
    """Those that its timing program can run; None: all."""

    attempts = 1
    """How often a job is started that ends before it has measured anything."""

    def __init__(self, mpi: Mpi) -> None:
        self.mpi = mpi

    @property
    def name(self) -> str:
        """As ``--peers`` takes it."""
        return self.mpi.name

    def why_not(self, collective: str) -> str | None:
        """What is missing on this machine and what to do about it; None: nothing."""
        if self.collectives is not None and collective not in self.collectives:
            return f"it is not measured with {collective}"
        missing = [path for path in (self.mpi.mpiexec, timing_program(self.mpi)) if not Path(path).exists()]
        if self.preloads and not preload_library(self.name).exists():
            missing.append(str(preload_library(self.name)))
        return f"{missing[0]} is missing: install {self.name} and run {BUILD_IT}" if missing else None

    def settings(self, collective: str, cluster: _core.Cluster, folder: Path) -> list[Setting]:
        """The library's own algorithms and their parameters, likely winners first; none where it has no choice.

        Args:
            collective: Which collective operation.
            cluster: What it will run on.
            folder: Where files that settings need are written; the lab's hosts can read it.
        """
        del collective, cluster, folder
        return []

    @staticmethod
    def popen(lab: Lab, folder: Path, argv: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start a job on a lab, in a folder that takes its crash dumps, without the caller's settings of libraries."""
        return lab.popen(
            argv, env=env, without=_SETTINGS, folder=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    @abstractmethod
    def start(
        self, lab: Lab, folder: Path, words: Sequence[str], setting: Setting, preload: bool
    ) -> subprocess.Popen[str]:
        """Start the timing program, rank r on host r, its standard error with its standard output.

        Args:
            lab: Where.
            folder: For files that only this job needs.
            words: Options of the timing program.
            setting: How the library is set up.
            preload: Whether Trunkline is preloaded.
        """

    def run(
        self,
        lab: Lab,
        folder: Path,
        words: Sequence[str],
        setting: Setting,
        preload: bool,
        on_progress: Callable[[Repetition], None] = lambda _: None,
        into: Outcome | None = None,
    ) -> Outcome:
        """Start the timing program and follow it to its end; some libraries fail to start now and then.

        What goes in is what :meth:`start` and :func:`trunkline.bench.job.follow` take.

        Raises:
            Failed: where it does not end well, with what it said.
        """
        outcome = Outcome() if into is None else into
        for left in reversed(range(self.attempts)):
            try:
                return follow(self.start(lab, folder, words, setting, preload), self.name, on_progress, into=outcome)
            except Failed:
                if outcome.seconds or outcome.ran or left == 0:
                    raise
        raise AssertionError("a driver makes at least one attempt")


class PreloadDriver(Driver):
    """A library that Trunkline has a preload library for, started as everything else on a lab is."""

    preloads = True

    def start(
        self, lab: Lab, folder: Path, words: Sequence[str], setting: Setting, preload: bool
    ) -> subprocess.Popen[str]:
        """See :meth:`Driver.start`."""
        hosts = lab.cluster.hosts
        ours = {"TRUNKLINE_CLUSTER": lab.cluster_file, "TRUNKLINE_STRICT": "1"} if preload else {}
        if preload and lab.host_costs:
            ours["TRUNKLINE_HOST_COSTS"] = lab.host_costs
        argv, env = self.mpi.launch(
            hosts=hosts,
            ranks=len(hosts),
            ranks_per_host=1,
            program=[timing_program(self.mpi), *words],
            agent=lab.agent,
            env={**ours, **setting.env},
            preload=[preload_library(self.name)] if preload else [],
        )
        return self.popen(lab, folder, argv, env)
