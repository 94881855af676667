"""A benchmark from start to end: lab up, each MPI in turn, progress shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trunkline._core import Cluster
from trunkline.bench.job import Limits, Repetition
from trunkline.bench.measure import Cell, measure
from trunkline.lab.impairments import Impairments
from trunkline.lab.message_cost import tell_message_cost
from trunkline.lab.rate import lab_rate
from trunkline.lab.session import Lab
from trunkline.mpi import Mpi
from trunkline.placement import hosts_used
from trunkline.terminal import progress_bar
from trunkline.units import format_rate


@dataclass(frozen=True)
class Session:
    """What is compared on one cluster."""

    cluster: Cluster
    mpis: Sequence[Mpi]
    collective: str
    sizes: Sequence[int]
    algorithms: Sequence[str]
    limits: Limits
    rate: str = "auto"
    """A rate with its unit, or ``auto``."""
    ranks_per_host: int = 1
    tuning: str | None = None
    """A tuning file that ``auto`` follows."""
    hosts: int | None = None
    """How many of the cluster's hosts, from the first one; None: all."""
    impairments: Impairments = field(default_factory=Impairments)
    """Those of the cluster's network."""
    root: int = 0
    dealt: bool = False
    """Whether hosts go in turn over the sites; else in the cluster's order."""
    forms: Sequence[str] = ("",)
    """Of calls: :attr:`trunkline.bench.measure.Cell.form`."""
    tests_every_s: float = 0.0
    """Work beside calls tests them so often; 0: never."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """More variables for the ranks."""


def measure_with_progress(sessions: Sequence[Session]) -> list[Cell]:
    """Run the sessions one after the other, showing what is under way.

    Raises:
        TrunklineError: as :func:`trunkline.bench.measure.measure` and the lab do.
    """
    cells: list[Cell] = []
    total = sum(len(s.mpis) * len(s.sizes) * (len(s.algorithms) * len(s.forms) + 1) for s in sessions)
    with progress_bar(total) as bar:
        for session in sessions:
            name = session.cluster.name
            bar.show(f"{name}: looking for the highest true rate")
            rate_bps = lab_rate(session.cluster, session.rate)
            impaired = session.impairments.of(session.cluster)
            with Lab(impaired, rate_bps, session.impairments) as lab:
                bar.show(f"{name} at {format_rate(rate_bps)}: what messages cost")
                tell_message_cost(lab, len(hosts_used(session.cluster, session.hosts)) * session.ranks_per_host)
                for mpi in session.mpis:
                    where = f"{name} at {format_rate(rate_bps)}, {mpi.name}"
                    bar.show(f"{where}: starting")

                    def show(repetition: Repetition, where: str = where) -> None:
                        bar.show(f"{where}: {repetition.text}", done=repetition.decided)

                    cells += measure(
                        lab,
                        mpi,
                        session.collective,
                        session.sizes,
                        session.algorithms,
                        session.limits,
                        session.ranks_per_host,
                        show,
                        session.tuning,
                        session.hosts,
                        impairments=session.impairments.text,
                        root=session.root,
                        dealt=session.dealt,
                        forms=session.forms,
                        tests_every_s=session.tests_every_s,
                        settings=session.settings,
                    )
        bar.show("done")
    return cells
